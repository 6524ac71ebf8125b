"""Chapter 16: stored crawls in shards, whose code has left (tag archive-0.2): what they lost."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pandas as pd

from tres_lib.focused.drivers import crawl

from ..crawls.plan import LONG, TOPICS
from ..crawls.trial import PAPERS_AMOUNT, accepted_seed, classifier_of, open_web
from ..intervals import mean_interval
from ..study import results
from ..study.claims import Found
from ..study.findings import Figure
from ..study.plan import Setting, Study

WEBS = range(400, 405)
SHARDS = (1, 4, 16, 64, 256)
ROUNDS = (5, 10, 40, 80)  # beside `USUAL`
USUAL = 20  # rounds
MANY = 16  # shards of the runs in which rounds vary
FEW = (0, 2, 16)  # shards of the long crawls
OF_LAW = {"shards": "", "second-shards": "second law"}  # studies, and the world of their records
JUDGED = ((0, 0), (MANY, 5), (MANY, USUAL), (MANY, 80), (256, USUAL))  # what the claims ask for


def studies() -> dict[str, Study]:
    """Return crawls without and with ``shards``, by rounds, and in the first web long ones.

    ``second-shards`` are those that the claims ask for, on three webs of the second law.
    """
    ways = [(0, 0), *((shards, USUAL) for shards in SHARDS), *((MANY, rounds) for rounds in ROUNDS)]
    short = [(*way, 5_000) for way in ways]
    long = [(shards, USUAL * bool(shards), LONG["budget"]) for shards in FEW]
    common = {"sites": LONG["sites"], "epochs": LONG["epochs"]}
    first = [
        {"topic": topic, "web_seed": web, "shards": shards, "rounds": rounds, "budget": n, **common}
        for web in WEBS
        for topic in TOPICS
        for shards, rounds, n in short + long * (web == WEBS[0])
    ]
    second = [
        run | {"web": "second"}
        for run in first
        if (run["shards"], run["rounds"]) in JUDGED
        and run["budget"] != LONG["budget"]
        and run["web_seed"] in WEBS[:3]
    ]
    plans = {"shards": first, "second-shards": second}
    shared = "web_seed", "topic"
    return {n: Study(n, trial, p, shared, repeats=_is_one_crawl) for n, p in plans.items()}


def _is_one_crawl(setting: Setting) -> bool:
    return not setting["shards"]


def trial(
    topic: str,
    web_seed: int,
    shards: int,
    rounds: int,
    budget: int,
    sites: int,
    epochs: int,
    web: str = "vital",
) -> dict[str, Any]:
    """Crawl a VitalWeb by Prospector without shards; ValueError with them.

    On the "second" law errors are no steps, and the classifier accepts the seed page.
    ``true`` and ``harvest`` are relevant pages in per cent of the budget, by the truth and by the
    classifier. ``sent`` is links to other shards' sites, ``bytes`` of these and of examples, both a
    page fetched; ``imbalance`` is the most pages of a shard over the mean.
    """
    if shards:
        raise ValueError(f"shards={shards}: the code of shards left; git's tag archive-0.2 has it")
    place: Any = open_web(web, web_seed, sites)
    second = web in PAPERS_AMOUNT
    classifier, keywords = classifier_of(topic, epochs, "paper" if second else "leads")
    how: dict[str, Any] = {"policy": "prospector", "budget": budget, "rng": web_seed}
    how |= {"classifier": classifier, "keywords": keywords, "progress": False}
    how["errors"] = "skip" if second else "count"
    own = accepted_seed(place, topic, web_seed, classifier) if second else None
    start = place, [own] if own else place.seeds(topic, 1, web_seed), topic
    result = crawl(*start, **how)
    log = result.log[result.log["step"] > 0]
    return {
        "true": 100 * log["relevant_true"].fillna(False).astype(bool).sum() / budget,
        "harvest": 100 * log["reward"].sum() / budget,
        "domains": result.domains,
        "sent": 0.0,
        "bytes": 0.0,
        "imbalance": 1.0,
        "played": 1,
        "log": hashlib.sha256("\n".join(log["url"]).encode()).hexdigest()[:16],  # of URLs fetched
    }


def short(name: str = "shards") -> pd.DataFrame:
    """Return the stored crawls of a study that are short."""
    runs = results.stored(name)
    return runs[runs["budget"] == runs["budget"].min()]


def losses(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by web the true harvest less that of one crawl, a column of shards and rounds.

    It is the mean of the topics, as crawls of one web are not independent.
    """
    wide = runs.pivot(index=["web_seed", "topic"], columns=["shards", "rounds"], values="true")
    return wide.sub(wide[0, 0], axis=0).groupby("web_seed").mean()


def measures(name: str) -> dict[str, pd.Series]:
    """Return by web what each claim is about, by its id."""
    runs = short(name)
    lost, usual = losses(runs), runs[(runs["shards"] == MANY) & (runs["rounds"] == USUAL)]
    return {
        "shards-harvest": lost[MANY, USUAL],
        "shards-many": lost[256, USUAL],
        "shards-stale": lost[MANY, 80] - lost[MANY, 5],
        "shards-balance": usual.groupby("web_seed")["imbalance"].mean(),
    }


def findings() -> Iterator[tuple[str, str, Found]]:
    """Yield each claim, the world of its record, and what was found."""
    for name, world in OF_LAW.items():
        if results.length_if_stored(studies()[name], "5,000 fetches"):
            for claim, values in measures(name).items():
                yield claim, world, Found.mean(values, "5,000 fetches")


def costs() -> pd.DataFrame:
    """Return what the claims are about, "mean [low, high], n = 5", on either law."""
    rows = {
        "16 shards, 20 rounds": "shards-harvest",
        "256 shards, 20 rounds": "shards-many",
        "16 shards, 80 rounds less 5": "shards-stale",
        "16 shards: the busiest": "shards-balance",
    }
    laws = {"shards": "small-site web", "second-shards": "large-site web"}
    columns = {}
    for name, law in laws.items():
        values = {row: measures(name)[claim] for row, claim in rows.items()}
        texts = {
            row: "{:.2f} [{:.2f}, {:.2f}]".format(*mean_interval(x)) for row, x in values.items()
        }
        columns[law] = {row: f"{text}, n = {len(values[row])}" for row, text in texts.items()}
    return pd.DataFrame(columns)


def figures() -> dict[str, Figure]:
    """Return what the chapter's sentences say beside its claims."""
    lost = losses(short("second-shards"))
    more = lost[MANY, 80] - lost[MANY, USUAL]
    return {"large_80_less_20": Figure(*mean_interval(more), len(more))}
