"""Chapter 12: which query next. Crawls as data, and what is compared in their logs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from tres_lib import deepweb
from tres_lib.deepweb.learners import POOL
from tres_lib.deepweb.policies import ranks
from tres_lib.deepweb.state import split_words

from ..intervals import best_of, paired, summarise
from ..study import results
from ..study.findings import of_table
from ..study.study import Study, grid, studies_of
from .c12_laboratory import CONTROLS, sample_documents

_OWN = deepweb.RlSettings()
# The repaired method and our completion of the text, each with one thing changed.
CHANGES = {
    "rl": {
        "overlap: hits": replace(_OWN, overlap="hit"),
        "overlap: DF": replace(_OWN, overlap="df"),
        "features now": replace(_OWN, features="current"),
        "no DF by field": replace(_OWN, by_field=False),
        "no probes": replace(_OWN, probes=0),
        "h = 0": replace(_OWN, h=0),
        "pool: 100": replace(_OWN, pool=100),
    },
    "rl-printed": {
        "printed, pool: 500": replace(deepweb.AS_PRINTED, pool=POOL),
        "printed, h = 0": replace(deepweb.AS_PRINTED, h=0),
        "printed, statistics alone": replace(deepweb.AS_PRINTED, weights=(1.0, 0.0, 0.0)),
        "printed, weights .8 .1 .1": replace(deepweb.AS_PRINTED, weights=(0.8, 0.1, 0.1)),
    },
}
VARIANTS = {name: settings for group in CHANGES.values() for name, settings in group.items()}
COMPLETION, POOLED = "rl-printed", "printed, pool: 500"  # our completion; of these words alone
OPEN: dict[str, tuple] = {  # what the text leaves open; a completion takes one of each
    "first": ("", "of"),  # the first query: a word of a random title, or this one
    "probes": (0, 5, 10),  # how T begins
    "sigma": (0.25, 0.5, 1.0, 2.0),
    "weights": ((0.5, 0.25, 0.25), (0.8, 0.1, 0.1), (0.98, 0.01, 0.01)),  # statistics weigh most
    "neighbours": (5, 20, None),
    "pool": (None, POOL),
}
_GRID = grid(**OPEN)
_DRAWN = np.random.default_rng(39).choice(len(_GRID), 20, replace=False)
COMPLETIONS = {f"completion {i:02}": _GRID[place] for i, place in enumerate(_DRAWN)}
LITERATURE = ["frequency", "harvest", "tfidf"]
POLICIES = ["rl", "rl-printed", "ridge", "random", "random-pool", "words", *LITERATURE, "oracle"]
FOUR = [(mode, order) for mode in ("fulltext", "fields") for order in ("rank", "static")]
TWO = [("fulltext", "static"), ("fields", "rank")]
PARTS: dict[str, tuple[list[str], list[str], list[tuple[str, str]]]] = {
    "theorem": (["en-us"], ["random-pool"], [("fulltext", "rank"), ("fields", "rank")]),
    "policies": (["en-us"], POLICIES, FOUR),
    "changes": (["en-us"], list(VARIANTS), TWO),
    "languages": (["es-es", "fr-fr"], ["rl", "frequency", "tfidf", "ridge"], TWO),
    "completions": (["en-us"], list(COMPLETIONS), TWO),
}
FEW = ("site", "query", "coverage", "new", "returned", "expected_size")  # of a log of queries
COLUMNS = {"theorem": ("site", "query", "returned", "new", "df")}  # of the other parts FEW
RUN = ["site", "seed", "policy"]
SITES = 12  # kept for the next crawl of them
SEEDS = range(20, 30)  # of the sites
DOCUMENTS, QUERIES = 5_000, 300
FIRST_SEEDS, FIRST_QUERIES = SEEDS[:5], 100  # of completions


def studies() -> dict[str, Study]:
    """Return the sweeps by part, a key of `PARTS`."""
    parts = {}
    for part in PARTS:
        size = {"documents": DOCUMENTS, "queries": QUERIES, "page_size": 20}
        caps = [100, None] if part == "theorem" else [100]
        seeds: Iterable[int] = SEEDS
        if part == "completions":
            seeds, size["queries"] = FIRST_SEEDS, FIRST_QUERIES
        plans = [plan(part, seeds, max_results=most, **size) for most in caps]
        parts[part] = (trial, sorted(sum(plans, []), key=lambda setting: setting["seed"]))
    named = studies_of("deep-web", parts, ("seed",))
    return {part: replace(study, columns=COLUMNS.get(part, FEW)) for part, study in named.items()}


def plan(part: str, seeds: Iterable[int], **fixed: Any) -> list[dict[str, Any]]:
    """Return the settings of a part's crawls: a key of ``PARTS``; ``fixed`` goes into each."""
    languages, policies, kinds = PARTS[part]
    return [
        {"language": language, "policy": policy, "mode": mode, "order": order, "seed": seed} | fixed
        for language in languages
        for seed in seeds
        for mode, order in kinds
        for policy in policies
    ]


def trial(
    policy: str,
    *,
    seed: int = 0,
    mode: str = "fulltext",
    order: str = "rank",
    queries: int = 300,
    documents: int | None = None,
    language: str = "en-us",
    page_size: int = 20,
    max_results: int | None = 100,
) -> pd.DataFrame:
    """Return the log of one crawl, as `SurfacingResult.log`, with ``coverage`` and ``site``.

    The seed decides the site's documents and their order, the first term (a word of a random title
    or description) and the policy's randomness. All policies meet the same.
    """
    site = _site(language, documents, seed, mode, page_size, max_results, order)
    (_, first, own), texts = _streams(seed), _documents(language, documents, seed)
    drawn = (texts[i] for i in first.permutation(len(texts)))
    words = (split_words(f"{text['title']} {text['description']}") for text in drawn)
    choices = dict(COMPLETIONS.get(policy, {}))
    term = choices.pop("first", "") or str(first.choice(next(filter(None, words))))
    settings = replace(deepweb.AS_PRINTED, **choices) if choices else VARIANTS.get(policy)
    chooser = partial(deepweb.RL, settings) if settings else CONTROLS.get(policy, policy)
    log = deepweb.surface(site, chooser, queries, own, term).log
    return log.assign(coverage=log["acquired"] / len(site), site=f"{mode}, {order}")


def response_sizes(
    mode: str, *, seed: int = 0, documents: int | None = None, language: str = "en-us"
) -> pd.DataFrame:
    """Return by word the records with it anywhere, ``df``, and what a site finds, ``size``."""
    whole = _site(language, documents, seed, "fulltext").vocabulary()
    matching = _site(language, documents, seed, mode).vocabulary()
    df = np.array(list(whole.values()))
    sizes = [matching.get(word, 0) for word in whole]
    table = {"word": list(whole), "rank": ranks(df), "df": df, "size": sizes}
    return pd.DataFrame(table).sort_values("rank", ignore_index=True)


def summary(logs: pd.DataFrame) -> pd.DataFrame:
    """Return one row a run: mean ``coverage`` in % and the ``final`` one, and what tells of it.

    ``fruitless`` queries, in %, brought nothing new in the second half; ``agreement`` is Spearman's
    correlation of expected and true response sizes.
    """
    runs = logs.groupby(RUN, sort=False)
    late = logs[logs["query"] > runs["query"].transform("size") / 2]
    idle = late["new"].eq(0).groupby([late[name] for name in RUN], sort=False).mean()
    sizes = runs[["expected_size", "returned"]]
    table = {
        "coverage": 100 * runs["coverage"].mean(),
        "final": 100 * runs["coverage"].last(),
        "fruitless": 100 * idle,
        "agreement": sizes.apply(lambda log: log.corr("spearman").iloc[0, 1]),
    }
    return pd.DataFrame(table).reset_index()


def gains(runs: pd.DataFrame, policy: str, others: Sequence[str], value: str) -> pd.DataFrame:
    """Return a policy's ``gain`` over the ``best`` of others, by mean over seeds, in each run."""
    best = best_of(runs[runs["policy"].isin(others)], value, ["site"])
    both = pd.concat([runs[runs["policy"] == policy], best])
    pairs = paired(both, value, ["site", "seed"], {"policy": policy})
    pairs["gain"] = pairs["reference"] - pairs[value]
    return pairs.rename(columns={"policy": "best"})[["site", "seed", "best", "gain"]]


def readings(runs: pd.DataFrame, mode: str = "") -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield what the text leaves open of results and candidates, our policy there, and the runs.

    Of the kinds of site of a mode, or of both; see the readings in data/claims.yaml.
    """
    runs = runs[runs["site"].str.startswith(mode)]
    for order, name in {"rank": "ranked", "static": "own order"}.items():
        yield f"{name}, all words", COMPLETION, runs[runs["site"].str.endswith(order)]
    order = {"fulltext": "own order, ", "fields": "ranked, "}.get(mode, "")
    yield f"{order}500 words", POOLED, runs[runs["site"].isin([", ".join(kind) for kind in TWO])]


def share_of_oracle(runs: pd.DataFrame, policy: str, value: str) -> pd.DataFrame:
    """Return in each run a policy's ``share`` of what the oracle has, in %."""
    wide = runs.pivot(index=["site", "seed"], columns="policy", values=value)
    return (100 * wide[policy] / wide["oracle"]).rename("share").reset_index()


def spared(runs: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Return by how many points fewer of a policy's queries are in vain than of *frequency*'s."""
    return gains(runs.eval("spared = -fruitless"), policy, ["frequency"], "spared")


def used(logs: pd.DataFrame, policy: str, other: str) -> pd.DataFrame:
    """Return by crawl whether a query brought another number of new records than another's, 0/1."""
    keys = ["site", "seed", "query"]
    pair = [logs[logs["policy"] == name].set_index(keys)["new"] for name in (policy, other)]
    unlike = pd.concat(pair, axis=1, join="inner").pipe(lambda t: t.iloc[:, 0] != t.iloc[:, 1])
    return unlike.groupby(["site", "seed"]).any().astype(float).rename("used").reset_index()


def effects(runs: pd.DataFrame, value: str = "coverage") -> pd.DataFrame:
    """Return the gain in a column of every change over the unchanged method (``to``), by run."""
    tables = [
        gains(runs, change, [method], value).assign(change=change, to=method)
        for method, changes in CHANGES.items()
        for change in changes
    ]
    return pd.concat(tables, ignore_index=True)


def by_completion(runs: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return `gains` of each completion over the literature, and its ``share`` of the oracle, in %.

    Compared are runs of `FIRST_SEEDS`; the logs that they sum up have `FIRST_QUERIES`.
    """
    runs = runs[runs["seed"].isin(FIRST_SEEDS)]

    def both(name: str) -> pd.DataFrame:
        lead, share = gains(runs, name, LITERATURE, value), share_of_oracle(runs, name, value)
        return lead.merge(share).assign(policy=name)

    return pd.concat(map(both, COMPLETIONS), ignore_index=True)


def extremes(table: pd.DataFrame, value: str) -> dict[str, str]:
    """Return the ``best`` and the ``worst`` completion by their means where these are least."""
    least = table.groupby(["policy", "site"])[value].mean().groupby("policy").min()
    return {"best": str(least.idxmax()), "worst": str(least.idxmin())}


def _streams(seed: int) -> list[np.random.Generator]:
    """Return the randomness of the documents, of the first term and of the policy."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]


@lru_cache(maxsize=2)
def _documents(language: str, n: int | None, seed: int) -> list[dict[str, str]]:
    return sample_documents(language, n, _streams(seed)[0])


@lru_cache(maxsize=SITES)
def _site(language: str, n: int | None, seed: int, *settings: Any) -> deepweb.SearchSite:
    return deepweb.SearchSite(_documents(language, n, seed), *settings)


def figures() -> dict[str, Any]:
    """Return what sentences name: leads in points of mean coverage by kind of site."""
    plan = studies()
    runs = summary(results.rows(plan["policies"]))
    two = runs[runs["site"].isin([", ".join(kind) for kind in TWO])]
    two = pd.concat([two, summary(results.rows(plan["changes"]))])
    abroad = results.rows(plan["languages"])
    abroad = summary(abroad.assign(site=abroad["language"] + ", " + abroad["site"]))
    best = LITERATURE
    return {
        "lead": _over(runs, COMPLETION, best),
        "drawn": _over(runs, "random-pool", [COMPLETION]),
        "repaired": _over(runs, "rl", best),
        "repaired_at_end": _over(runs, "rl", best, "final"),
        "abroad": _over(abroad, "rl", ["frequency", "tfidf"]),
        "over_ridge": _over(runs, "rl", ["ridge"]),
        "with_pool": _over(two, POOLED, best),
        "of_pool": _over(two, POOLED, [COMPLETION]),
        "features": _over(two, COMPLETION, ["printed, statistics alone"]),
    }


def _over(
    runs: pd.DataFrame, policy: str, others: Sequence[str], value: str = "coverage"
) -> SimpleNamespace:
    """Return by kind of site a policy's gain over the best of others."""
    return of_table(summarise(gains(runs, policy, others, value), "site", "gain"), "site")
