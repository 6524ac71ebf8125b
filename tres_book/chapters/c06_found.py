"""What chapter 06's sentences name: figures of stored crawls."""

from types import SimpleNamespace
from typing import Any

import pandas as pd

from ..crawls.comparison import JUDGE
from ..crawls.stored import ends as stored_ends
from ..intervals import best_of, paired, summarise
from ..study import results
from ..study.findings import Figure, name_of, of_table
from . import c06_ablations as verdicts, c06_structure as structure

TRUTH = structure.JUDGES[1]
MOST = 0.9  # of the links lack text


def figures() -> dict[str, Any]:
    """Return what parts of TRES are worth, who finds most without text, and at how many points."""
    gains = verdicts.gains(verdicts.ends())
    part = {"tree": "tres-no-tree", "once": "tres-async", "svm": "tres-svm", "hub": "tres-nh"}
    found = {name: worth(gains, policy) for name, policy in part.items()}
    runs = results.stored("second-structure")
    return {
        **found,
        **paying(gains),
        **synchronous(),
        "quiet": quiet(),
        "points": counted(runs),
        "small_sites": small_sites(runs),
    }


def worth(gains: pd.DataFrame, policy: str) -> SimpleNamespace:
    """Return what a part is worth, e.g. ``_10.food``; ``least`` and ``most`` of limit and topic."""
    rows = gains[(gains["policy"] == policy) & (gains["measure"] == JUDGE)]
    table = summarise(rows, ["limit", "topic"], "gain")
    by = {name_of(limit): of_table(part, "topic") for limit, part in table.groupby("limit")}
    return SimpleNamespace(**by, **extremes(table), lowest=Figure(table["low"].min()))


def extremes(table: pd.DataFrame) -> dict[str, Figure]:
    """Return the rows of `summarise` with the smallest and the largest mean."""
    ends = ("least", table["mean"].idxmin()), ("most", table["mean"].idxmax())
    return {name: Figure(*table.loc[index, ["mean", "low", "high"]]) for name, index in ends}


def paying(gains: pd.DataFrame) -> dict[str, SimpleNamespace]:
    """Return the range of what reward and features of the domain are worth, without food."""
    rows = gains[gains["policy"].isin(["tres-svm", "tres-nh"]) & (gains["measure"] == JUDGE)]
    table = summarise(rows[rows["topic"] != "food"], ["policy", "limit", "topic"], "gain")
    return {"paying": SimpleNamespace(**extremes(table), lowest=Figure(table["low"].min()))}


def synchronous() -> dict[str, Any]:
    """Return how many times TRES's CPU *sync* took, and by how much TRES is ahead of it."""
    runs = stored_ends("table-3", "table-3-sync")
    runs = runs[runs["policy"].isin(["tres", "sync"])]
    cpu = runs.groupby("policy")["cpu"].mean()
    pairs = paired(runs, JUDGE, ["topic", "web_seed"], {"policy": "tres"})
    pairs["lead"] = pairs["reference"] - pairs[JUDGE]
    lead = of_table(summarise(pairs, "topic", "lead"), "topic")
    return {"sync_times": Figure(cpu["sync"] / cpu["tres"]), "over_sync": lead}


def quiet() -> SimpleNamespace:
    """Return true harvest by topic where nine in ten links lack text: of TRES, and its rivals'.

    ``rule`` is the better of two that learn nothing, and ``lead`` TRES less it.
    """
    runs = stored_ends("second-muted").query(f"muted == {MOST}")
    rules = best_of(runs[runs["policy"].isin(verdicts.RULES)], TRUTH, ["topic"])
    of = {name: runs[runs["policy"] == name] for name in ("tres", "prospector")} | {"rule": rules}
    means = {name: of_table(summarise(part, "topic", TRUTH), "topic") for name, part in of.items()}
    lead = verdicts.silent_leads(runs, MOST)
    return SimpleNamespace(**means, lead=of_table(lead, "topic"), **extremes(lead))


def counted(runs: pd.DataFrame) -> SimpleNamespace:
    """Return at how many points TRES leads the paper's others, and is first of all nine."""
    found = {"all": len(structure.POINTS)}
    for name, judge in zip(("classifier", "truth"), structure.JUDGES, strict=True):
        table = structure.outcomes(runs, judge)
        found[f"by_{name}"] = (table["winner"] == "tres").sum()
        found[f"first_by_{name}"] = (table["first"] == "tres").sum()
    return SimpleNamespace(**{name: Figure(int(n)) for name, n in found.items()})


def small_sites(runs: pd.DataFrame) -> SimpleNamespace:
    """Return true harvest at the points of small sites less SeedFinder's: TRES's, Prospector's."""
    some = runs[runs["point"].isin(structure.SMALL_SITES)]
    pairs = paired(some, TRUTH, ["point", "topic", "web_seed"], {"policy": "seedfinder"})
    pairs["lead"] = pairs[TRUTH] - pairs["reference"]
    table = summarise(pairs, ["policy", "point"], "lead")
    by = {name: extremes(part) for name, part in table.groupby("policy")}
    return SimpleNamespace(**{name: SimpleNamespace(**by[name]) for name in ("tres", "prospector")})
