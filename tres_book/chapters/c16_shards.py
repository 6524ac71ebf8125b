"""Chapter 16: the plan of its stored crawls by shards, whose code has left (tag archive-0.2)."""

import hashlib
from typing import Any

from tres_lib.focused.drivers import crawl

from ..crawls.plan import LONG, TOPICS
from ..crawls.trial import PAPERS_AMOUNT, accepted_seed, classifier_of, open_web
from ..study.plan import Setting, Study

WEBS = range(400, 405)
SHARDS = (1, 4, 16, 64, 256)
ROUNDS = (5, 10, 40, 80)  # beside `USUAL`
USUAL = 20  # rounds
MANY = 16  # shards of the runs in which rounds vary
FEW = (0, 2, 16)  # shards of the long crawls
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
