"""Chapter 14: the test of Prospector on webs that nobody had seen when its settings were frozen."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
import yaml

from tres_lib.checks import one_of
from tres_lib.store import DATA

from ..crawls.record import crawls_of
from ..crawls.trial import WITHOUT
from ..study import PER_CENT, interval_table, mean_interval, paired, summarise
from ..study.plan import Study
from ..study.results import stored

MINE = "prospector"
TOPICS = ("sports", "food", "computing")
OTHERS = ("best-first", "linear", "tres", "tres-async", "ache-global", "seedfinder-global")
FOUR = (MINE, "best-first", "linear", "tres")
TOLD = "oracle"  # in long crawls: how much there is to find
FRESH = range(300, 310)  # webs; development used 100 to 109, chapters 04 to 06 use 0 to 3
MUTED = (0.0, 1.0)
LIMITS = ("10", "5", "5_2")
Settings = list[dict[str, Any]]
BOTH: Settings = [{"muted": share} for share in MUTED]
_PLANS: dict[str, tuple[Iterable[str], Iterable[int], Settings]] = {  # policies, webs, ways
    "long": ((*FOUR, TOLD), [0], [{"budget": 20_000}]),
    "short": ((MINE, *OTHERS), FRESH, BOTH),
    "wikispeedia": ((MINE, *OTHERS), FRESH[:5], [{"web": "wikispeedia", "budget": 400}]),
    "without": (WITHOUT, FRESH, BOTH),
    "without-long": ((MINE, *WITHOUT), FRESH, [way | {"budget": 5_000} for way in BOTH]),
    "limits": ((MINE, *OTHERS), FRESH[:5], [{"limit": limit} for limit in LIMITS]),
    "templates": (FOUR, FRESH[:5], [way | {"templates": 8} for way in BOTH]),
}
PARTS = tuple(_PLANS)


def plan(part: str) -> Settings:
    """Return the settings of `record` for a part of the test.

    "short" is 600 fetches, of telling and of silent links, "without" the same for Prospector less
    one of its parts, "without-long" the same for 5,000 fetches, "limits" has limits on the pages
    of a domain, "long" is the paper's length, "wikispeedia" the real web of 4,604 pages,
    "templates" webs whose sites have eight layouts.
    """
    policies, webs, ways = _PLANS[one_of("part", part, PARTS)]
    return [
        {"policy": policy, "topic": topic, "web_seed": web, "budget": 600, **way}
        for web in webs
        for topic in TOPICS
        for way in ways
        for policy in policies
    ]


def studies() -> dict[str, Study]:
    """Return the parts of the test as studies, such as ``prospector-short``."""
    return {name: crawls_of(name, plan(part)) for part in PARTS for name in [study_name(part)]}


def study_name(part: str) -> str:
    """Return the name of the stored study of a part."""
    return f"prospector-{one_of('part', part, PARTS)}"


def results(part: str) -> pd.DataFrame:
    """Return the stored crawls of a part of the test, a row a crawl.

    Columns are those of `plan`'s settings and of `record`; ``true`` and ``domains`` are
    by the web's ground truth, ``harvest`` by the classifier, rates in per cent of the budget.
    """
    found = {"by the truth": "true", "by the classifier": "harvest", "true domains": "domains"}
    return stored(study_name(part)).drop(columns="domains").rename(columns=found)


def lead(table: pd.DataFrame, value: str = "true") -> tuple[str, pd.Series]:
    """Return the best other policy, and Prospector's lead over it in points, by web.

    Both are means over topics. The best is the best on these very runs, which favours it; the
    oracle is no competitor.
    """
    means = table.groupby(["policy", "web_seed"])[value].mean().unstack("policy")
    best = means.drop(columns=[MINE, TOLD], errors="ignore").mean().idxmax()
    return best, means[MINE] - means[best]


def least_leads(table: pd.DataFrame, value: str = "true") -> pd.DataFrame:
    """Return the other policy that comes nearest to Prospector, by topic.

    Columns ``policy``, ``n``, and Prospector's lead over it, paired by web: ``mean``, ``low`` and
    ``high`` of its 95 % interval, in the units of `value`. The oracle is no competitor.
    """
    pairs = paired(table[table["policy"] != TOLD], value, ["topic", "web_seed"], {"policy": MINE})
    leads = pairs.assign(lead=pairs["reference"] - pairs[value])
    means = summarise(leads, ["topic", "policy"], "lead")
    return means.loc[means.groupby("topic", sort=False)["mean"].idxmin()].set_index("topic")


def cells(*tables: pd.DataFrame, value: str = "true") -> pd.DataFrame:
    """Return Prospector and the best other policy in each cell of topic, limit and kind of link.

    Means over the ``n`` webs in which Prospector ran, with columns topic, limit, muted, budget,
    ``prospector``, ``other`` (its name), ``best other``, and the ``lead``, paired by web, with the
    ends of its 95 % interval, ``low`` and ``high``.
    """
    runs = pd.concat(tables)
    for name, usual in {"limit": "none", "muted": 0.0}.items():
        runs[name] = runs[name].fillna(usual) if name in runs else usual
    keys = ["topic", "limit", "muted", "budget"]
    found = runs.pivot_table(value, [*keys, "web_seed"], "policy", sort=False)
    found = found[found[MINE].notna()].drop(columns=TOLD, errors="ignore")
    rows = []
    for cell, part in found.groupby(keys, sort=False):
        others = part.drop(columns=MINE).mean()
        best = others.idxmax()
        led = mean_interval((part[MINE] - part[best]).dropna())
        rows.append((*cell, len(part), part[MINE].mean(), best, others.max(), *led))
    columns = [*keys, "n", MINE, "other", "best other", "lead", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def duels(table: pd.DataFrame) -> pd.DataFrame:
    """Return Prospector's lead over each other policy, by policy.

    Columns ``lead`` (points, mean over webs of the mean over topics, with its 95 % interval) and
    ``crawls ahead`` (in which Prospector found more).
    """
    rows = {}
    found = table.pivot_table("true", ["topic", "web_seed"], "policy", sort=False)
    for other in found.columns.drop(MINE):
        mean, low, high = mean_interval(lead(table[table["policy"].isin([MINE, other])])[1])
        ahead = (found[MINE] > found[other]).sum()
        rows[other] = [f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]", f"{ahead} of {len(found)}"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["lead", "crawls ahead"])


def beside_prototype(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return harvest rates by policy and topic with the prototype's beside them, "" if none."""
    numbers = yaml.safe_load((DATA / "prototype.yaml").read_text(encoding="utf-8"))[name]
    here = interval_table(table, "policy", "topic", "true", within=PER_CENT)
    there = pd.DataFrame(numbers).T.reindex(here.index)[here.columns]
    there = there.map(lambda number: "" if pd.isna(number) else f"{number:g}")
    both = pd.concat({"prototype": there, "here": here}, axis=1).swaplevel(axis=1)
    return both[[(topic, source) for topic in here for source in ("prototype", "here")]]
