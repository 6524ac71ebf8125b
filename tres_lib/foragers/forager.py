"""A forager: Algorithms 1, 6, 10, 11 and 12 as methods; `steps` has what a step does.

Loads numba.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .settings import Rules
from .site import Desk, Site
from .steps import STATUS, Memory


class Forager:
    """An agent that walks paths through the web and hands in what is new (Algorithm 10).

    Parameters
    ----------
    site : Site
    weblog : dict of int to float
        URLs and their weblog values, the most valuable first; seeds have the value 0.
    weight : (k,) float32
        Parameters of the URL ordering.
    rules : Rules
    """

    def __init__(self, site: Site, weblog: dict[int, float], weight: np.ndarray, rules: Rules):
        n, steps = len(site.current), rules.max_step + 1
        self.weblog, self._site, self._rules = weblog, site, rules
        self.memory = Memory(
            status=np.zeros(1, STATUS),
            weight=weight,
            frontier=np.zeros(n, np.int64),
            met=np.zeros(n, np.int64),
            stored=np.zeros(n, np.int64),
            marked=np.zeros(len(site.url), np.bool_),
            value=np.zeros(n, np.float32),
            luck=np.zeros(steps),
            path_url=np.zeros(steps, np.int64),
            path_profit=np.zeros(steps),
        )
        self.status["score"], self.status["last"] = rules.init_score, -1

    @property
    def status(self) -> np.void:
        """Score and place in the path, see `steps.STATUS`."""
        return self.memory.status[0]

    def weblog_update(self) -> None:
        """Algorithm 1: move the values of the path's URLs towards the rewards after them."""
        rules, later = self._rules, 0.0
        for i in range(self.status["step"] - 1, -1, -1):
            url, profit = int(self.memory.path_url[i]), float(self.memory.path_profit[i])
            cumulated = profit + rules.discount * later
            value = cumulated if rules.inclusive else later
            old = self.weblog.get(url)
            self.weblog[url] = value if old is None else (1 - rules.beta) * old + rules.beta * value
            later = cumulated
        best = sorted(self.weblog, key=self.weblog.get, reverse=True)[: rules.weblog_size]
        self.weblog = {url: self.weblog[url] for url in best}

    def multiply(self, rng: np.random.Generator) -> Forager:
        """Algorithm 6: a new forager with half of the weblog, and these weights or random ones."""
        rules, given = self._rules, self.weblog.copy()
        if len(given) > 1 and (rules.weblog or rules.split_fixed):
            urls = list(given)
            half = set(rng.permutation(urls)[: len(urls) // 2].tolist())
            given = {url: self.weblog[url] for url in urls if url in half}
            self.weblog = {url: self.weblog[url] for url in urls if url not in half}
        own = self.memory.weight
        weight = own.copy() if rules.learning else random_weight(len(own), rules, rng)
        child = Forager(self._site, given, weight, rules)
        if rules.inherit_marked:
            child.memory.marked[:] = self.memory.marked
        return child

    def select_start(self, rng: np.random.Generator) -> None:
        """Algorithm 11 at the end of a path: the next one begins at a random starting URL.

        The start is all that the frontier holds, so that it will be the first step.
        """
        if self._rules.weblog:
            self.weblog_update()
        starts, status = list(self.weblog)[: self._rules.start_size], self.status
        start = starts[rng.integers(len(starts))]
        status["path"], status["step"], status["frontier"] = status["path"] + 1, 0, 1
        if not self._rules.update_across_restarts:
            status["last"] = -1
        self.memory.frontier[0], self.memory.met[start] = start, status["path"]
        if self._rules.random:
            self.memory.luck[:] = rng.random(len(self.memory.luck))
        self.memory.stored[start] = max(self._site.current[start], 0)

    def work(
        self, desk: Desk, now: float, end: float, rng: np.random.Generator, forage: Callable
    ) -> float:
        """Algorithm 12 until time is over, though a step is finished; what time it is then."""
        while now < end:
            if self.status["step"] > self._rules.max_step or not self.status["frontier"]:
                self.select_start(rng)
            now = forage(self.memory, self._site, desk, now, end, self._rules)
        return now


def random_weight(k: int, rules: Rules, rng: np.random.Generator) -> np.ndarray:
    """Random parameters of the URL ordering, (k,) float32."""
    return (rules.weight_scale * rng.standard_normal(k)).astype(np.float32)
