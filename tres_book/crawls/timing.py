"""What a crawl costs: CPU seconds of the crawler and of the web."""

import time
from dataclasses import replace
from typing import Any

import pandas as pd

from tres_lib import topics
from tres_lib.focused.baselines.search_engine import search_engine
from tres_lib.topics import KwBiLstmSettings, topic_keywords
from tres_webs import VitalWeb
from tres_webs.page import Page, Web
from tres_webs.wrapper import Wrapper

from .trial import accepted_seed, cap_of, single_seed_crawl
from .variants import policy_on, variant


class Clock(Wrapper):
    """A web that notes CPU seconds, of its own fetches and of the crawler between them."""

    def __init__(self, web: Web):
        super().__init__(web)
        self.between: list[float] = []
        self.fetching: list[float] = []
        self._last = time.process_time()

    def fetch(self, url: str) -> Page:
        start = time.process_time()
        self.between.append(start - self._last)
        try:
            return super().fetch(url)
        finally:
            self._last = time.process_time()
            self.fetching.append(self._last - start)


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
    """Return the log of a `trial` by the second law, with CPU seconds; it pays for its own scores.

    Column ``cpu`` is the crawler's time since the fetch before: classifying that page, learning
    from it, taking in its links, choosing. ``fetching`` is the web's time for the page chosen.
    """
    web = VitalWeb(web_seed, sites, law="second")  # not open_web's, which remembers pages
    settings = KwBiLstmSettings(max_epochs=epochs)
    classifier = topics.classifier(topic, settings=settings, amount="paper")
    options: dict[str, Any] = {"budget": budget, "max_per_domain": cap_of(limit)}
    seeds = [accepted_seed(web, topic, web_seed, classifier)]
    options |= {"errors": "skip", "seeds": seeds, "amount": "paper"}
    keywords = topic_keywords(topic).keywords
    changed = variant(policy)
    if policy.startswith("seedfinder"):
        search_engine(web)  # built off the clock
    changed = replace(changed, policy=policy_on(changed, web), sees_web=False)
    clock = Clock(web)
    result = single_seed_crawl(clock, changed, topic, web_seed, classifier, keywords, **options)
    return result.log.assign(cpu=clock.between, fetching=clock.fetching)
