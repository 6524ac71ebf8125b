"""The claims of Table 4 and of muted links by stored crawls, on either law of VitalWeb."""

from collections.abc import Iterator, Sequence

import pandas as pd

from ..crawls.stored import ends as stored_ends
from ..crawls.worlds import (
    BY_TURNS,
    HARDEST,
    JUDGE,
    NAMED,
    RIVALS,
    Found,
    World,
    ends,
    is_complete,
)
from ..intervals import best_of, paired, summarise
from .c06_ablations import CRAWLERS

NAMES = tuple(CRAWLERS)
SECOND = World("second law", (), ("second-table-4", "second-limits", "second-5_2"), (), NAMES)
FIRST = World("first law", (), ("table-4", "table-3-5_2"), (), NAMES)
OF_05 = {
    SECOND: ("second-free", "second-5_2", "second-limits"),
    FIRST: ("table-3", "table-3-5_2", "table-3-limits"),
}
COMPARED = {  # the crawls of chapter 05, of which rivals are taken
    law: World(law.name, (), studies, RIVALS[law.name], RIVALS[law.name])
    for law, studies in OF_05.items()
}
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
        own, others = ends(world), COMPARED[world]
        found = table_4(gains(own)) | svm(own, ends(others), others.rivals[:2])
        for claim, what in found.items():
            if world is whole[0] or claim not in BY_TURNS:
                yield claim, what, "" if world is whole[0] else world.name
    sync = stored_ends("table-3-sync").assign(hours=lambda table: table["cpu"] / 3_600)
    yield "tres-sync-infeasible", Found.most(summarise(sync, "topic", "hours"), LENGTH), ""
    silent = [law for law, name in SILENT.items() if is_complete([name])]
    cases = ("crawlers-where-links-are-silent", 1.0), ("crawlers-where-most-links-are-silent", 0.9)
    for (claim, muted), laws in zip(cases, (silent, silent[::-1]), strict=True):
        for law in laws:
            what = silent_links(stored_ends(SILENT[law]), muted)
            yield claim, what, "" if law == laws[0] else law


def svm(own: pd.DataFrame, others: pd.DataFrame, rivals: Sequence[str]) -> dict[str, Found]:
    """Return what Section 3.6.2 says of TRES_SVM, by claim; `rivals` are ACHE and SeedFinder."""
    pairs = paired(own, JUDGE, NAMED, {"policy": "tres"}).query("policy == 'tres-svm'")
    pairs = pairs.assign(kept=pairs[JUDGE] / pairs["reference"])[[*NAMED, "kept"]]
    kept = paired(pairs, "kept", ["limit", "web_seed"], {"topic": HARDEST})
    kept["share"] = kept["reference"] / kept["kept"]
    kept = best_of(kept, "share", ["limit"], "topic")  # the topic in which it keeps less

    runs = [own[own["policy"] == "tres-svm"], others[others["policy"].isin(rivals)]]
    runs = pd.concat(runs, ignore_index=True)
    ten = paired(runs[runs["limit"] == "10"], JUDGE, NAMED, {"policy": "tres-svm"})
    ten["lead"] = ten["reference"] - ten[JUDGE]
    last = {"policy": "tres-svm", "limit": "5_2"}
    sites = paired(runs, "domains", ["topic", "web_seed"], last)
    sites["ratio"] = sites["reference"] / sites["domains"].clip(lower=1)
    sites = best_of(sites[sites["policy"].isin(rivals)], "domains", ["topic"], "crawler")
    return {
        "tres-svm-collapses": Found.most(summarise(kept, "limit", "share"), LENGTH),
        "tres-svm-above-rivals": Found.least(
            summarise(best_of(ten, JUDGE, ["topic"]), "topic", "lead"), LENGTH
        ),
        "tres-svm-domains": Found.most(summarise(sites, "topic", "ratio"), LENGTH),
    }


def silent_links(ends: pd.DataFrame, muted: float = 1.0) -> Found:
    """Return what TRES finds more than best-first and linear where so many links lack text."""
    some = ends[(ends["muted"] == muted) & ends["policy"].isin(["tres", "best-first", "linear"])]
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
        "tres-low-discount": cells("tres-gamma-0.99", JUDGE),
    }
    most = {"tres-domain-features-domains": Found.most(cells("tres-nh", "domains"), LENGTH)}
    return {claim: Found.least(table, LENGTH) for claim, table in rests_on.items()} | most
