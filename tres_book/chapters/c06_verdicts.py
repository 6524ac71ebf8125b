"""The claims of Table 4 and of muted links by stored crawls, on either law of VitalWeb."""

from collections.abc import Iterator

import pandas as pd

from tres_lib.intervals import mean_interval, paired

from ..crawls.stored import ends as stored_ends
from ..crawls.worlds import NAMED, Found, World, ends, is_complete
from .c06_ablations import ABLATIONS, TABLE_4

CRAWLERS = tuple(TABLE_4 | ABLATIONS)
SECOND = World("second law", (), ("second-table-4", "second-limits", "second-5_2"), (), CRAWLERS)
FIRST = World("first law", (), ("table-4", "table-3-5_2"), (), CRAWLERS)
SILENT = {"second law": "second-muted", "first law": "muted"}
MEASURES = ("by the classifier", "by the truth", "domains")
LENGTH = "20,000 fetches"


def gains(ends: pd.DataFrame) -> pd.DataFrame:
    """Return how far TRES is ahead of each ablation, paired by web, a row a crawl and measure.

    Columns: the crawl's, ``measure``, ``gain`` (points, or domains) and ``ratio``.
    """
    tables = []
    for name in MEASURES:
        pairs = paired(ends, name, NAMED, {"policy": "tres"})
        columns = {
            "measure": name,
            "gain": pairs["reference"] - pairs[name],
            "ratio": pairs["reference"] / pairs[name].clip(lower=1),
        }
        tables.append(pairs.assign(**columns))
    return pd.concat(tables, ignore_index=True)


def findings() -> Iterator[tuple[str, Found, str]]:
    """Yield each claim of the chapter, as `c05_verdicts.findings` does."""
    whole = [world for world in (SECOND, FIRST) if is_complete(world.limited)]
    for world in whole:
        for claim, (mean, low, high, n) in _of_table_4(gains(ends(world))).items():
            yield claim, Found(mean, (low, high), n, LENGTH), _aside(world.name, whole[0].name)
    silent = [law for law, name in SILENT.items() if is_complete([name])]
    for law in silent:
        found = silent_links(stored_ends(SILENT[law]))
        yield "crawlers-where-links-are-silent", found, _aside(law, silent[0])


def silent_links(ends: pd.DataFrame) -> Found:
    """Return what TRES finds more than best-first and linear where all links are muted."""
    mute = ends[ends["muted"] == 1]
    deaf = mute.pivot(index=["topic", "web_seed"], columns="policy", values="by the truth")
    least = []
    for _, part in deaf.groupby("topic"):
        rules = part[part.columns.intersection(["best-first", "linear"])]
        least.append(mean_interval(part["tres"] - part[rules.mean().idxmax()]))
    mean, low, high = min(least)
    return Found(mean, (low, high), ends["web_seed"].nunique(), LENGTH)


def _of_table_4(gains: pd.DataFrame) -> dict[str, tuple[float, float, float, int]]:
    def of(policy: str, measure: str, value: str) -> list[tuple[float, float, float, int]]:
        rows = gains[(gains["policy"] == policy) & (gains["measure"] == measure)]
        cells = [group[value] for _, group in rows.groupby(["topic", "limit"])]
        return [(*mean_interval(cell), len(cell)) for cell in cells]

    return {
        "tres-tree-beats-async-harvest": min(of("tres-async", MEASURES[0], "gain")),
        "tres-tree-beats-async-domains": min(of("tres-async", "domains", "ratio")),
        "tres-bilstm-reward": min(of("tres-svm", MEASURES[0], "gain")),
        "tres-domain-features-harvest": min(of("tres-nh", MEASURES[0], "gain")),
        "tres-domain-features-domains": max(of("tres-nh", "domains", "ratio")),
        "tres-low-discount": min(of("tres-gamma-0.99", MEASURES[0], "gain")),
    }


def _aside(law: str, main: str) -> str:
    return "" if law == main else law
