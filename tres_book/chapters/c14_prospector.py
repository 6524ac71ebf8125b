"""Chapter 14: the test of Prospector on webs that nobody had seen when its settings were frozen."""

from collections.abc import Iterable

import pandas as pd

from ..crawls.record import crawls_of
from ..crawls.stored import ends
from ..crawls.sweeps import TOPICS, Settings
from ..crawls.variants import WITHOUT
from ..study import best_of, paired, summarise
from ..study.study import Study

MINE = "prospector"
OTHERS = ("best-first", "linear", "tres", "tres-async", "ache-global", "seedfinder-global")
# By the second law the authors' ACHE and SeedFinder, too, and twins that start alike (chapter 05).
AUTHORS = (*OTHERS, "ache", "seedfinder", "prospector-flat", "tres-pretrained")
FOUR = (MINE, "best-first", "linear", "tres")
APART = ("oracle", "prospector-flat")  # no competitors
FRESH = range(300, 310)  # webs; development used 100 to 109, chapters 04 to 06 use 0 to 3
LINKS = {0.0: "links with text", 1.0: "links without text"}
GOALS = {0.0: 95, 1.0: 80}  # per cent of harvest, by the share of muted links
LIMITS = ("10", "5", "5_2")
SECOND = {"web": "second", "errors": "skip"}
BOTH: Settings = [{"muted": share} | SECOND for share in LINKS]
PARTS: dict[str, tuple[Iterable[str], Iterable[int], Settings]] = {  # policies, webs, ways
    "wikispeedia": ((MINE, *OTHERS), FRESH[:5], [{"web": "wikispeedia", "budget": 400}]),
    "second-short": ((MINE, *AUTHORS), FRESH, BOTH),
    "second-without": (WITHOUT, FRESH, BOTH),
    "second-limits": ((MINE, *AUTHORS), FRESH[:5], [{"limit": n} | SECOND for n in LIMITS]),
}


def plan(part: str) -> Settings:
    """Return the settings of `record` for a part of the test.

    "second-short" is 600 fetches, of informative and of muted links; "second-without" the same for
    Prospector less one of its parts.
    """
    policies, webs, ways = PARTS[part]
    return [
        {"policy": policy, "topic": topic, "web_seed": web, "budget": 600, **way}
        for web in webs
        for topic in TOPICS
        for way in ways
        for policy in policies
    ]


def studies() -> dict[str, Study]:
    """Return the parts of the test as studies, such as ``prospector-second-short``."""
    names = {part: f"prospector-{part}" for part in PARTS}
    return {name: crawls_of(name, plan(part)) for part, name in names.items()}


def crawls(*names: str) -> pd.DataFrame:
    """Return the ends of stored crawls: ``true`` and ``domains`` are by the ground truth.

    ``harvest`` is by the classifier, and ``links`` says in words whether links are ``muted``.
    """
    columns = {"by the truth": "true", "by the classifier": "harvest", "true domains": "domains"}
    table = ends(*names).drop(columns="domains").rename(columns=columns)
    table["muted"] = table["muted"].fillna(0.0) if "muted" in table else 0.0
    return table.assign(links=table["muted"].map(LINKS))


def lead(table: pd.DataFrame) -> tuple[str, pd.Series]:
    """Return the best other policy on these very runs, and Prospector's lead over it, by web."""
    means = table.groupby(["policy", "web_seed"])["true"].mean().unstack("policy")
    best = means.drop(columns=[MINE, *APART], errors="ignore").mean().idxmax()
    return best, means[MINE] - means[best]


def _leads(table: pd.DataFrame, value: str, on: list[str]) -> pd.DataFrame:
    """Return the runs of its competitors with Prospector's ``lead`` over each."""
    pairs = paired(table[~table["policy"].isin(APART)], value, on, {"policy": MINE})
    return pairs.assign(lead=pairs["reference"] - pairs[value])


def least_leads(table: pd.DataFrame) -> pd.DataFrame:
    """Return the policy that comes nearest to Prospector, by topic, and Prospector's lead."""
    means = summarise(_leads(table, "true", ["topic", "web_seed"]), ["topic", "policy"], "lead")
    return means.loc[means.groupby("topic", sort=False)["mean"].idxmin()].set_index("topic")


def cells(*tables: pd.DataFrame, value: str = "true") -> pd.DataFrame:
    """Return Prospector and the best other policy in each cell of topic, limit and kind of link.

    Means are over the ``n`` webs in which Prospector ran, and the ``lead`` is paired by web.
    """
    keys = ["topic", "limit", "muted", "budget"]
    runs = pd.concat(tables)
    for name, usual in {"limit": "none", "muted": 0.0}.items():
        runs[name] = runs[name].fillna(usual) if name in runs else usual
    mine = runs[runs["policy"] == MINE].groupby(keys, sort=False)[value].agg(["size", "mean"])
    pairs = _leads(runs, value, [*keys, "web_seed"])
    best = best_of(pairs, value, keys)
    others = best.groupby(keys, sort=False).agg({"policy": "first", value: "mean"})
    led = summarise(best, keys, "lead").set_index(keys)[["mean", "low", "high"]]
    table = pd.concat([mine, others, led], axis=1).reset_index()
    table.columns = [*keys, "n", MINE, "other", "best other", "lead", "low", "high"]
    return pd.concat([part for _, part in table.groupby("topic", sort=False)], ignore_index=True)


def duels(table: pd.DataFrame) -> pd.DataFrame:
    """Return by other policy Prospector's lead, mean over webs, and the ``crawls ahead``."""
    pairs = _leads(table, "true", ["topic", "web_seed"])
    webs = pairs.groupby(["policy", "web_seed"])["lead"].mean().reset_index()
    led = summarise(webs, "policy", "lead").set_index("policy")
    led["lead"] = [f"{r.mean:+.1f} [{r.low:+.1f}, {r.high:+.1f}]" for r in led.itertuples()]
    won = pairs["lead"].gt(0).groupby(pairs["policy"])
    led["crawls ahead"] = won.sum().map("{} of ".format) + won.size().map(str)
    return led[["lead", "crawls ahead"]]


def losses(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ``loss`` in points ``without`` a part of Prospector, by web, mean over topics."""
    alike = ["web_seed", "muted", "links", "budget"]
    runs = table[table["policy"].isin([MINE, *WITHOUT])]
    lost = paired(runs, "true", ["topic", *alike], {"policy": MINE})
    part = lost["policy"].str.removeprefix("prospector-no-")
    lost = lost.assign(loss=lost["reference"] - lost["true"], without=part)
    return lost.groupby(["without", *alike], sort=False)["loss"].mean().reset_index()


def shares(curves: pd.DataFrame, step: int = 1_000) -> pd.DataFrame:
    """Return crawls at a step, ``true`` in per cent of what any crawl found of the topic."""
    found = curves["step"] * curves["true harvest rate"]
    shares = 100 * found / found.groupby(curves["topic"]).transform("max")
    return curves.assign(true=shares, budget=step)[curves["step"] == step]
