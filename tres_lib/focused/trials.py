"""One crawl of a study as data: its setting goes in as plain values, its log comes out.

A module of its own, so that sweeps can run it in other processes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ..topics import KwBiLstmSettings, default_classifier, topic_keywords
from ..web import ReplayWeb, VitalWeb
from .crawl import crawl

if TYPE_CHECKING:
    import pandas as pd


def trial(
    policy: str,
    topic: str,
    *,
    web_seed: int = 0,
    budget: int = 3_000,
    max_per_domain: int | tuple[int, int] | None = None,
    web: str = "vital",
    sites: int = 20_000,
    epochs: int = 20,
) -> pd.DataFrame:
    """Log of one single-seed crawl, as `CrawlResult.log`, with the kind of each page.

    The web seed decides the web (if it is a VitalWeb), the seed page and the crawl's
    randomness: crawls of one web share its pages, so that the web is what varies between runs.

    Parameters
    ----------
    policy, topic : str
    web_seed : int
    budget, max_per_domain
        See `crawl`.
    web : {"vital", "wikispeedia"}
    sites : int
        Of VitalWeb.
    epochs : int
        At most so many in the training of the classifier.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    place = _web(web, web_seed if web == "vital" else 0, sites)
    classifier, keywords = _judge(topic, epochs)
    result = crawl(
        place,
        place.seeds(topic, 1, web_seed),
        topic,
        policy=policy,
        budget=budget,
        max_per_domain=max_per_domain,
        classifier=classifier,
        keywords=keywords,
        rng=web_seed,
        progress=False,
    )
    kind = getattr(place, "kind", None)
    log = result.log.assign(stopped=result.stopped)
    return log.assign(kind=log["url"].map(kind) if kind else "article")


@lru_cache(maxsize=2)
def _web(name: str, seed: int, sites: int) -> VitalWeb | ReplayWeb:
    if name == "vital":
        return VitalWeb(seed, sites)
    if name == "wikispeedia":
        return ReplayWeb.from_wikispeedia()
    raise ValueError(f"web={name!r}: use 'vital' or 'wikispeedia'")


@lru_cache(maxsize=3)
def _judge(topic: str, epochs: int):
    settings = KwBiLstmSettings(max_epochs=epochs)
    return default_classifier(topic, settings), topic_keywords(topic).keywords
