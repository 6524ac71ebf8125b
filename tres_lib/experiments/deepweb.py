"""One crawl of a study as data: its setting goes in as plain values, its log comes out.

A module of its own, so that sweeps can run it in other processes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from ..deepweb.site import sample_documents
from ..deepweb.learners import AS_PRINTED, POOL, RL, RlSettings
from ..deepweb.policies import POLICIES
from ..deepweb.records import split_words
from ..deepweb.site import SearchSite
from ..deepweb.surfacing import surface
from ..deepweb.estimates import ranks

if TYPE_CHECKING:
    import pandas as pd

_OWN = RlSettings()
# What makes the difference: the repaired and the printed method, each with one thing changed.
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
        "printed, pool: 500": replace(AS_PRINTED, pool=POOL),
        "printed, h = 0": replace(AS_PRINTED, h=0),
        "printed, statistics alone": replace(AS_PRINTED, weights=(1.0, 0.0, 0.0)),
        "printed, weights .8 .1 .1": replace(AS_PRINTED, weights=(0.8, 0.1, 0.1)),
    },
}
VARIANTS = {name: settings for group in CHANGES.values() for name, settings in group.items()}
SITES = 12  # kept for the next crawl of them


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
    """Log of one crawl, as `SurfacingResult.log`, with the column ``coverage``.

    The seed decides which documents the site holds and their order, the first term (a word of
    a random title or description) and the policy's randomness. All policies meet the same.

    Parameters
    ----------
    policy : str
        The name of a policy, or of a change to one in ``CHANGES``.
    seed : int
    mode, order, page_size, max_results : see `SearchSite`
    queries : int
    documents : int or None
        Size of the site; None for all that there are.
    language : str

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    if policy not in POLICIES and policy not in VARIANTS:
        raise ValueError(f"policy={policy!r}: use one of {', '.join([*POLICIES, *VARIANTS])}")
    site = _site(language, documents, seed, mode, order, page_size, max_results)
    _, first, own = _streams(seed)
    chooser = partial(RL, VARIANTS[policy]) if policy in VARIANTS else policy
    term = _first_term(language, documents, seed, first)
    log = surface(site, chooser, queries, own, term).log
    return log.assign(coverage=log["acquired"] / len(site))


def response_sizes(
    mode: str, *, seed: int = 0, documents: int | None = None, language: str = "en-us"
) -> pd.DataFrame:
    """Each word's rank by frequency in the whole text, and how many records it matches.

    Returns
    -------
    DataFrame
        One row a word: ``word``, ``rank`` (1 for the most frequent), ``df`` (records that contain
        it anywhere) and ``size`` (records that a site of this mode finds).
    """
    import pandas as pd

    whole = _site(language, documents, seed, "fulltext", "rank", 20, 100).vocabulary()
    found = _site(language, documents, seed, mode, "rank", 20, 100).vocabulary()
    df = np.array(list(whole.values()))
    sizes = [found.get(word, 0) for word in whole]
    table = {"word": list(whole), "rank": ranks(df), "df": df, "size": sizes}
    return pd.DataFrame(table).sort_values("rank", ignore_index=True)


def _streams(seed: int) -> list[np.random.Generator]:
    """Randomness of the documents, of the first term and of the policy."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]


@lru_cache(maxsize=2)
def _documents(language: str, n: int | None, seed: int) -> list[dict[str, str]]:
    return sample_documents(language, n, _streams(seed)[0])


@lru_cache(maxsize=SITES)
def _site(
    language: str,
    n: int | None,
    seed: int,
    mode: str,
    order: str,
    page_size: int,
    max_results: int | None,
) -> SearchSite:
    return SearchSite(_documents(language, n, seed), mode, page_size, max_results, order)


def _first_term(language: str, n: int | None, seed: int, rng: np.random.Generator) -> str:
    documents = _documents(language, n, seed)
    for i in rng.permutation(len(documents)):
        words = split_words(f"{documents[i]['title']} {documents[i]['description']}")
        if words:
            return str(rng.choice(words))
    raise ValueError(f"language={language!r}: no document has a word in its title")
