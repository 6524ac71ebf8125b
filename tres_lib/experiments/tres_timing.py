"""What a step costs: the crawler's CPU time from one fetch to the next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..focused.baselines.search_engine import search_engine
from ..focused.tres.variants import variant
from ..topics import KwBiLstmSettings, default_classifier, topic_keywords
from ..web import VitalWeb
from ..web.page import Page, Web
from .tres import cap_of, single_seed_crawl

if TYPE_CHECKING:
    import pandas as pd


class Clock:
    """A web that notes CPU times, of its own fetches and of the crawler between them.

    Attributes
    ----------
    between, fetching : list of float, CPU seconds
        One of each a fetch: since the last one ended, and of the fetch itself.
    """

    def __init__(self, web: Web):
        self._web = web
        self.between: list[float] = []
        self.fetching: list[float] = []
        self._last = time.process_time()

    def fetch(self, url: str) -> Page:
        """The page, from the web behind."""
        self.between.append(self._since_last())
        try:
            return self._web.fetch(url)
        finally:
            self.fetching.append(self._since_last())

    def is_relevant(self, url: str, topic: object) -> bool | None:
        """The truth, from the web behind."""
        return self._web.is_relevant(url, topic)

    def seeds(self, topic: str, n: int, rng: int) -> list[str]:
        """Seed pages, from the web behind."""
        return self._web.seeds(topic, n, rng)

    def _since_last(self) -> float:
        last, self._last = self._last, time.process_time()
        return self._last - last


def timed_trial(
    policy: str,
    topic: str,
    *,
    web_seed: int = 0,
    limit: str = "none",
    budget: int = 1_000,
    sites: int = 20_000,
    epochs: int = 20,
) -> pd.DataFrame:
    """Log of one single-seed crawl on VitalWeb, with CPU seconds.

    Column ``cpu`` is the crawler's time since the fetch before: judging that page, learning
    from it, taking in its links, choosing. ``fetching`` is the web's time for the page
    chosen. No judgement is shared between crawls, so that each pays for its own.

    Parameters
    ----------
    policy, topic, web_seed, limit, budget, sites, epochs : see `trial`

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    cap, web = cap_of(limit), VitalWeb(web_seed, sites)  # not open_web's, which remembers pages
    judge = default_classifier(topic, KwBiLstmSettings(max_epochs=epochs))
    judges, clock = (judge, topic_keywords(topic).keywords), Clock(web)
    options = {"budget": budget, "max_per_domain": cap}
    if policy == "seedfinder":
        options["search"] = search_engine(web)  # built off the clock
    result = single_seed_crawl(clock, variant(policy), topic, web_seed, judges, **options)
    return result.log.assign(cpu=clock.between, fetching=clock.fetching)


def seconds_a_step(
    policy: str,
    topic: str,
    *,
    limit: str = "none",
    budget: int = 200,
    sites: int = 20_000,
    epochs: int = 20,
) -> float:
    """CPU seconds a step of a short crawl, fetches included: what a sweep will cost, beforehand.

    The first step is left out, for libraries load in it. Longer crawls cost somewhat more a step.

    Parameters
    ----------
    policy, topic, limit, budget, sites, epochs : see `trial`

    Raises
    ------
    ValueError
        If a name is unknown, or the budget is below 2.
    """
    if budget < 2:
        raise ValueError(f"budget={budget}: give at least 2 steps, for the first is left out")
    log = timed_trial(policy, topic, limit=limit, budget=budget, sites=sites, epochs=epochs)
    return float(log.loc[log["step"] > 1, ["cpu", "fetching"]].sum(axis=1).mean())
