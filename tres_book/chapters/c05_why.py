"""Chapter 05's open question: why ACHE finds more here than in the paper, and TRES less.

Between the first law's crawls and those of the second law five things changed. Here each is changed
alone, and each is left out of all.
"""

from typing import Any

import pandas as pd

from ..crawls.plan import LONG, TOPICS, WEBS
from ..crawls.record import crawls_of
from ..crawls.stored import ends as stored_ends
from ..crawls.worlds import JUDGE
from ..intervals import summarise
from ..study.plan import Study

HERE = WEBS[:5]
FIRST: dict[str, Any] = {"web": "vital", "amount": "leads", "errors": "count"}
SECOND: dict[str, Any] = {"web": "second", "amount": "paper", "errors": "skip"}
STORED = {"none of them": "table-3", "all": "second-free", "all but the scheduler": "second-free"}
CASES = {  # ACHE's scheduler, and the other things, some as on the second law
    "none of them": ("ache-global", FIRST),
    "the scheduler": ("ache", FIRST),
    "the structure": ("ache-global", FIRST | {"web": "second, closed names"}),
    "the names": ("ache-global", FIRST | {"web": "vital, open names"}),
    "the classifier": ("ache-global", FIRST | {"amount": "paper"}),
    "the books": ("ache-global", FIRST | {"errors": "skip"}),
    "all but the scheduler": ("ache-global", SECOND),
    "all but the structure": ("ache", SECOND | {"web": "vital, open names"}),
    "all but the names": ("ache", SECOND | {"web": "second, closed names"}),
    "all but the classifier": ("ache", SECOND | {"amount": "leads"}),
    "all but the books": ("ache", SECOND | {"errors": "count"}),
    "all": ("ache", SECOND),
}


def studies() -> dict[str, Study]:
    """Return ``second-why``: the crawls of `CASES` that no other study has."""
    settings = [
        {"policy": policy, "topic": topic, "web_seed": seed, "limit": "none"} | LONG | changed
        for seed in HERE
        for topic in TOPICS
        for name, (ache, changed) in CASES.items()
        if name not in STORED
        for policy in (ache, "tres")
        if name != "the scheduler" or policy != "tres"  # TRES has none
    ]
    return {"second-why": crawls_of("second-why", settings)}


def answer(value: str = JUDGE, since: str = "none of them") -> pd.DataFrame:
    """Return what ACHE and TRES reach in each case, paired by topic and web with that of `since`.

    There are the ``change`` of a column and its ``level``; n counts webs.
    """
    tables = []
    for name, (ache, changed) in CASES.items():
        table = stored_ends(STORED.get(name, "second-why"))
        table = table[table["web_seed"].isin(HERE) & (table["limit"] == "none")]
        if name not in STORED:
            table = table[(table[list(changed)] == pd.Series(changed)).all(axis=1)]
        for crawler, policy in (("ACHE", ache), ("TRES", "tres")):
            tables.append(table[table["policy"] == policy].assign(crawler=crawler, case=name))
    runs = pd.concat(tables, ignore_index=True)
    keys = ["crawler", "topic", "web_seed"]
    before = runs[runs["case"] == since].set_index(keys)[value]
    runs["change"] = runs[value] - before.reindex(pd.MultiIndex.from_frame(runs[keys])).to_numpy()
    cells = ["crawler", "case", "topic"]
    table = summarise(runs, cells, "change")
    return table.merge(runs.groupby(cells, sort=False)[value].mean().rename("level").reset_index())


def with_all_else() -> pd.DataFrame:
    """Return what scheduler and structure add to ACHE where the other things are there already."""
    tables = []
    for name in ("the scheduler", "the structure"):
        table = answer(since=f"all but {name}").assign(thing=name)
        tables.append(table[(table["crawler"] == "ACHE") & (table["case"] == "all")])
    columns = ["n", "mean", "low", "high", "level"]
    return pd.concat(tables).set_index(["thing", "topic"])[columns]
