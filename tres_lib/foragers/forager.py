"""A forager: Algorithms 1, 6, 10 and 11, around the steps of `algorithms`. Loads numba."""

from __future__ import annotations

import numpy as np

from .algorithms import STATUS, AgentLog, Memory, WebArrays, forage
from .settings import Rules


class Forager:
    """An agent that follows paths through the web and sends the pages that are new (Algorithm 10).

    The weblog has the values of URLs, the most valuable first, 0 of seeds; the weight (k,) the
    parameters of the URL ordering.
    """

    def __init__(self, web: WebArrays, weblog: dict[int, float], weight: np.ndarray, rules: Rules):
        n = len(web.current)
        steps = rules.max_step + 1
        self.weblog = weblog
        self._web = web
        self.rules = rules
        self.memory = Memory(
            status=np.zeros(1, STATUS),
            weight=weight,
            frontier=np.zeros(n, np.int64),
            met=np.zeros(n, np.int64),
            stored=np.zeros(n, np.int64),
            marked=np.zeros(len(web.url), np.bool_),
            value=np.zeros(n, np.float32),
            draws=np.zeros(steps),
            path_url=np.zeros(steps, np.int64),
            path_profit=np.zeros(steps),
        )
        self.status["score"] = rules.init_score
        self.status["last"] = -1

    @property
    def status(self) -> np.void:
        """Return score and place in the path, see `algorithms.STATUS`."""
        return self.memory.status[0]

    def weblog_update(self) -> None:
        """Move the values of the path's URLs towards the sum of later rewards (Algorithm 1)."""
        rules = self.rules
        later = 0.0
        for i in reversed(range(self.status["step"])):
            url = int(self.memory.path_url[i])
            cumulated = float(self.memory.path_profit[i]) + rules.discount * later
            value = cumulated if rules.inclusive else later
            old = self.weblog.get(url)
            self.weblog[url] = value if old is None else (1 - rules.beta) * old + rules.beta * value
            later = cumulated
        best = sorted(self.weblog, key=self.weblog.__getitem__, reverse=True)[: rules.weblog_size]
        self.weblog = {url: self.weblog[url] for url in best}

    def multiply(self, rng: np.random.Generator) -> Forager:
        """Return a forager with a random half of the weblog (Algorithm 6).

        Its weights are copied if the forager learns, else drawn. A weblog that no update refills
        is copied whole, unless the rules say `split_fixed`.
        """
        rules = self.rules
        given = self.weblog.copy()
        if len(given) > 1 and (rules.weblog or rules.split_fixed):
            urls = list(given)
            half = set(rng.permutation(urls)[: len(urls) // 2].tolist())
            given = {url: self.weblog[url] for url in urls if url in half}
            self.weblog = {url: self.weblog[url] for url in urls if url not in half}
        own = self.memory.weight
        weight = own.copy() if rules.learning else random_weight(len(own), rules, rng)
        child = Forager(self._web, given, weight, rules)
        if rules.inherit_marked:
            child.memory.marked[:] = self.memory.marked
        return child

    def select_start(self, rng: np.random.Generator) -> None:
        """Begin a new path at a random starting URL, alone in the frontier (Algorithm 11).

        It is one of the first `start_size` URLs of the weblog, after its update if there is one.
        """
        if self.rules.weblog:
            self.weblog_update()
        starts = list(self.weblog)[: self.rules.start_size]
        start = starts[rng.integers(len(starts))]
        status = self.status
        status["path"] += 1
        status["step"] = 0
        status["frontier"] = 1
        if not self.rules.update_across_restarts:
            status["last"] = -1
        self.memory.frontier[0] = start
        self.memory.met[start] = status["path"]
        if self.rules.random:
            self.memory.draws[:] = rng.random(len(self.memory.draws))
        self.memory.stored[start] = max(self._web.current[start], 0)

    def work(self, log: AgentLog, now: float, end: float, rng: np.random.Generator) -> float:
        """Forage until `end` and finish the last step; return the time then, in seconds."""
        while now < end:
            if self.status["step"] > self.rules.max_step or not self.status["frontier"]:
                self.select_start(rng)
            now = forage(self.memory, self._web, log, now, end, self.rules)
        return now


def random_weight(k: int, rules: Rules, rng: np.random.Generator) -> np.ndarray:
    """Return random parameters of the URL ordering, (k,) float32."""
    return (rules.weight_scale * rng.standard_normal(k)).astype(np.float32)
