"""The claims of Table 4 and of muted links by stored crawls, on either law of VitalWeb."""

from collections.abc import Iterator

import pandas as pd

from tres_lib.intervals import best_of, paired, summarise

from ..crawls.stored import ends as stored_ends
from ..crawls.worlds import JUDGE, NAMED, Found, World, ends, is_complete
from .c06_ablations import CRAWLERS

NAMES = tuple(CRAWLERS)
SECOND = World("second law", (), ("second-table-4", "second-limits", "second-5_2"), (), NAMES)
FIRST = World("first law", (), ("table-4", "table-3-5_2"), (), NAMES)
SILENT = {"second law": "second-muted", "first law": "muted"}
MEASURES = (JUDGE, "by the truth", "domains")
LENGTH = "20,000 fetches"


def gains(ends: pd.DataFrame) -> pd.DataFrame:
    """Return how far TRES is ahead of each ablation, paired by web, in points or domains."""
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
        for claim, found in table_4(gains(ends(world))).items():
            yield claim, found, "" if world is whole[0] else world.name
    silent = [law for law, name in SILENT.items() if is_complete([name])]
    for law in silent:
        found = silent_links(stored_ends(SILENT[law]))
        yield "crawlers-where-links-are-silent", found, "" if law == silent[0] else law


def silent_links(ends: pd.DataFrame) -> Found:
    """Return what TRES finds more than best-first and linear where all links are muted."""
    some = ends[(ends["muted"] == 1) & ends["policy"].isin(["tres", "best-first", "linear"])]
    pairs = paired(some, "by the truth", ["topic", "web_seed"], {"policy": "tres"})
    pairs["gain"] = pairs["reference"] - pairs["by the truth"]
    best = best_of(pairs, "by the truth", ["topic"])
    return Found.least(summarise(best, "topic", "gain"), LENGTH)


def table_4(gains: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls by TRES and its ablations say of Table 4, by claim."""

    def cells(policy: str, measure: str) -> pd.DataFrame:
        rows = gains[(gains["policy"] == policy) & (gains["measure"] == measure)]
        return summarise(rows, ["topic", "limit"], "ratio" if measure == "domains" else "gain")

    rests_on = {
        "tres-tree-beats-async-harvest": cells("tres-async", JUDGE),
        "tres-tree-beats-async-domains": cells("tres-async", "domains"),
        "tres-bilstm-reward": cells("tres-svm", JUDGE),
        "tres-domain-features-harvest": cells("tres-nh", JUDGE),
        "tres-domain-features-domains": cells("tres-nh", "domains").nlargest(1, "mean"),
        "tres-low-discount": cells("tres-gamma-0.99", JUDGE),
    }
    return {claim: Found.least(table, LENGTH) for claim, table in rests_on.items()}
