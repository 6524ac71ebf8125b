"""What a crawler that knows the truth finds, beside which levels at limits are read."""

from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from tres_lib.focused.baselines.simple import Queued
from tres_lib.focused.policy import Blind, Context
from tres_webs import FetchError, domain

LOOKED_AT = 50  # irrelevant links, where no relevant one is left


class LookAhead(Queued, Blind):
    """Truth with two links' look-ahead: relevant links first, then what they lead to.

    Of relevant links comes first that whose page has the most relevant links to other domains;
    where none is left, that of the fifty oldest irrelevant ones. It sees pages before they are
    fetched, and plans no further: no bound, but the best that is known beside `Oracle`.
    """

    def __init__(self, context: Context, web: Any):
        super().__init__(context)
        assert context.truth and context.topic  # of a laboratory's web
        self._web = web
        self._relevant = cache(lambda url: bool(web.is_relevant(url, context.topic)))
        self._outward = cache(self._count)
        self._cold: dict[int, str] = {}  # irrelevant links' URLs by id, oldest first

    def choose(self, step: int) -> int:
        action, self.q = self.queue.top()
        if self.q < 1:
            action = self._warmest()
        self._picked = action
        return action

    def _warmest(self) -> int:
        oldest = dict(islice(self._cold.items(), LOOKED_AT))
        return max(oldest, key=lambda action: self._outward(oldest[action]))

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        for action in ids:
            self._cold.pop(action, None)

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        urls = [link.url for link in self._context.frontier.new_links(ids)]
        good = [self._relevant(url) for url in urls]
        pairs = zip(ids.tolist(), urls, good, strict=True)
        self._cold |= {action: url for action, url, relevant in pairs if not relevant}
        return np.array([g and 1 + self._outward(u) for u, g in zip(urls, good, strict=True)])

    def _count(self, url: str) -> int:
        """Return how many relevant pages of other domains a page links to."""
        try:
            links = self._web.fetch(url).links
        except FetchError:
            return 0
        home = domain(url)
        return sum(self._relevant(k.url) for k in links if domain(k.url) != home)
