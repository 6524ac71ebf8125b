"""Chapter 14: the test of Prospector on webs that nobody had seen when its settings were frozen."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd

from ..crawls import stored
from ..crawls.comparison import JUDGE, TRUTH, ahead
from ..crawls.record import crawls_of
from ..crawls.sweeps import TOPICS, Settings
from ..crawls.trial import LIMITS
from ..crawls.variants import WITHOUT
from ..intervals import best_of, summarise
from ..study import results
from ..study.claims import Found
from ..study.findings import Figure
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
SECOND = {"web": "second", "errors": "skip"}
BOTH: Settings = [{"muted": share} | SECOND for share in LINKS]
CAPPED: Settings = [{"limit": n} | SECOND for n in ("10", "5", "5_2")]
PARTS: dict[str, tuple[Iterable[str], Iterable[int], Settings]] = {  # policies, webs, ways
    "wikispeedia": ((MINE, *OTHERS), FRESH[:5], [{"web": "wikispeedia", "budget": 400}]),
    "second-short": ((MINE, *AUTHORS), FRESH, BOTH),
    "second-without": (WITHOUT, FRESH, BOTH),
    "second-limits": ((MINE, *AUTHORS), FRESH[:5], CAPPED),
}
SHORT, WITHOUT_PART = "prospector-second-short", "prospector-second-without"  # studies
SHORT_LIMITED = "prospector-second-limits"
FREE, LIMITED, MUTED = "second-free", ("second-5_2", "second-limits"), "second-muted"
# Of chapter 06's sweep, the webs whose sites are small.
SMALL = ("sites to 300", "sites to 3,000", "small sites, a fifth leaves", "small sites, muted")


def studies() -> dict[str, Study]:
    """Return the parts of the test: 600 fetches of informative and of muted links, by `PARTS`."""
    studies = {}
    for part, (policies, webs, ways) in PARTS.items():
        settings = [
            {"policy": policy, "topic": topic, "web_seed": web, "budget": 600, **way}
            for web in webs
            for topic in TOPICS
            for way in ways
            for policy in policies
        ]
        studies[f"prospector-{part}"] = crawls_of(f"prospector-{part}", settings)
    return studies


def crawls(*names: str) -> pd.DataFrame:
    """Return the ends of stored crawls; ``links`` says in words whether links are ``muted``."""
    table = stored.ends(*names)
    muted = table["muted"].fillna(0.0) if "muted" in table else 0.0
    return table.assign(muted=muted).assign(links=lambda t: t["muted"].map(LINKS))


def leads(table: pd.DataFrame, value: str = TRUTH, on: Sequence[str] = ()) -> pd.DataFrame:
    """Return the runs of its competitors with Prospector's ``lead`` over each."""
    others = table[~table["policy"].isin(APART)]
    return ahead(others, value, ["topic", "web_seed", *on], policy=MINE)


def best_other(table: pd.DataFrame, muted: float = 0.0) -> tuple[str, pd.Series]:
    """Return the best other policy on these very runs, and Prospector's lead over it, by web."""
    means = table[table["muted"] == muted].groupby(["policy", "web_seed"])[TRUTH].mean().unstack(0)
    best = means.drop(columns=[MINE, *APART], errors="ignore").mean().idxmax()
    return best, means[MINE] - means[best]


def least_leads(table: pd.DataFrame, muted: float = 0.0) -> pd.DataFrame:
    """Return the policy that comes nearest to Prospector, by topic, and Prospector's lead."""
    some = leads(table[table["muted"] == muted])
    means = summarise(some, ["topic", "policy"], "lead")
    return means.loc[means.groupby("topic", sort=False)["mean"].idxmin()].set_index("topic")


def cells(table: pd.DataFrame, value: str = TRUTH) -> pd.DataFrame:
    """Return Prospector, the best ``other``, and the lead, by topic, limit and kind of link."""
    keys = ["topic", "limit", "muted", "budget"]
    best = best_of(leads(table, value, keys[1:]), value, keys)
    led = summarise(best, [*keys, "policy"], "lead")
    means = best.groupby(keys, sort=False)[["reference", value]].mean().set_axis(led.index)
    means.columns = pd.Index([MINE, "best other"])
    return led.join(means).rename(columns={"policy": "other", "mean": "lead"})


def losses(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ``loss`` in points ``without`` a part of Prospector, by web, mean over topics."""
    alike = ["web_seed", "muted", "links", "budget"]
    lost = leads(table[table["policy"].isin([MINE, *WITHOUT])], on=alike[1:])
    part = lost["policy"].str.removeprefix("prospector-no-").rename("without")
    return lost.groupby([part, *alike], sort=False)["lead"].mean().rename("loss").reset_index()


def shares(crawls: pd.DataFrame, fetches: int = 1_000) -> pd.DataFrame:
    """Return crawls with what they found by a step, in per cent of the most that any ever found."""
    most = crawls["truly found"].str[-1].groupby(crawls["topic"]).transform("max")
    found = 100 * fetches * stored.true_harvest(crawls, fetches) / most
    return crawls.assign(**{TRUTH: found}, budget=fetches, muted=0.0)


def where_small(rival: str, judge: str) -> pd.DataFrame:
    """Return Prospector's ``lead`` over a rival at each of `SMALL`, pairs of topic and web."""
    runs = results.stored("second-structure")
    runs = runs[runs["policy"].isin([MINE, rival]) & runs["point"].isin(SMALL)]
    pairs = ahead(runs, judge, ["point", "topic", "web_seed"], policy=MINE)
    return summarise(pairs, "point", "lead")


def findings() -> dict[str, Found]:
    """Return what was found of each claim."""
    found = {name: measure(crawls(*names)) for name, (measure, names) in CLAIMS.items()}
    return found | {"prospector-real-long": lead(shares(stored.crawls("wikispeedia")))}


def lead(table: pd.DataFrame, muted: float = 0.0) -> Found:
    """Return the lead over the best other policy, mean of the topics."""
    return Found.mean(best_other(table, muted)[1], _fetches(table))


def level(short: pd.DataFrame) -> Found:
    """Return how far the harvest is above `GOALS`, with or without text in links."""
    mine = short[short["policy"] == MINE]
    above = mine.assign(above=mine[TRUTH] - mine["muted"].map(GOALS))
    webs = above.groupby(["muted", "web_seed"])["above"].mean().reset_index()
    return Found.least(summarise(webs, "muted", "above"), _fetches(mine))


def learns(table: pd.DataFrame) -> Found:
    """Return what the fits gain where no link has text."""
    lost = losses(table).query("muted == 1 and without == 'fits'")
    return Found.mean(lost["loss"], _fetches(table))


def never_behind(table: pd.DataFrame) -> Found:
    """Return the largest lead of another policy over cells of topic, limit, links and length."""
    led = cells(table)
    others = {"mean": -led["lead"], "low": -led["high"], "high": -led["low"]}
    return Found.most(led.assign(**others), _fetches(led))


def domains(table: pd.DataFrame) -> Found:
    """Return in which share of cells of links with text no other policy finds more domains."""
    led = cells(table[table["muted"] == 0], "true domains")
    return Found((led["lead"] >= 0).mean(), None, led["n"].min(), _fetches(led))


def least(table: pd.DataFrame, muted: float = 0.0, of: Sequence[str] = ()) -> Found:
    """Return the least lead of all topics over the best other policy, or the best of some."""
    table = table[table["policy"].isin(of)] if of else table
    return Found.least(least_leads(table, muted), _fetches(table))


CLAIMS: dict[str, tuple[Callable[..., Found], Sequence[str]]] = {  # measure, studies it takes
    "prospector-short": (lead, [SHORT]),
    "prospector-silent": (partial(lead, muted=1.0), [SHORT]),
    "prospector-level": (level, [SHORT]),
    "prospector-learns": (learns, [SHORT, WITHOUT_PART]),
    "prospector-never-behind": (never_behind, [SHORT, SHORT_LIMITED, FREE]),
    "prospector-domains": (domains, [SHORT, SHORT_LIMITED]),
    "prospector-real": (lead, ["prospector-wikispeedia"]),
    "prospector-long": (partial(least, of=FOUR), [FREE]),
    "prospector-table-3": (least, [FREE]),
    "prospector-table-3-never-behind": (never_behind, [FREE, *LIMITED]),
    "prospector-table-3-domains": (domains, [FREE, *LIMITED]),
    "prospector-muted-long": (partial(least, muted=1.0), [MUTED]),
}


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say beside its claims."""
    limited = crawls(*LIMITED)
    ten = limited[limited["policy"].isin([MINE, "tres"]) & (limited["limit"] == "10")]
    ten = ten[ten["topic"] == "computing"]
    values = {"true": TRUTH, "domains": "true domains"}
    tables = {
        "short": cells(crawls(SHORT, SHORT_LIMITED)),
        "long": cells(crawls(FREE, *LIMITED)),
        "over_seedfinder": where_small("seedfinder", TRUTH),
        "over_tres": where_small("tres", JUDGE),
    }
    found = {name: decided(table) for name, table in tables.items()}
    at_ten = {name: decided(cells(ten, value)).least for name, value in values.items()}
    return found | {"at_ten": SimpleNamespace(**at_ten)}


def decided(table: pd.DataFrame) -> SimpleNamespace:
    """Return how many cells there are, how many leads are decided, and the least and the most."""
    rows = table.rename(columns={"lead": "mean"})[["mean", "low", "high", "n"]]
    every = sorted(Figure(*row) for row in rows.itertuples(index=False))
    signs = {"ahead": int((table["low"] > 0).sum()), "behind": int((table["high"] < 0).sum())}
    return SimpleNamespace(cells=len(table), least=every[0], most=every[-1], **signs)


def _fetches(table: pd.DataFrame) -> str:
    """Return how long crawls are, and their limits on the pages of a domain if several."""
    lengths = " and ".join(f"{budget:,.0f}" for budget in sorted(table["budget"].unique()))
    limits = [name for name in LIMITS if name in set(table["limit"])]
    return f"{lengths} fetches" + (f", limits {', '.join(limits)}" if len(limits) > 1 else "")
