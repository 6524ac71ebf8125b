"""Foragers, and the reinforcing agent that gives them turns: Algorithms 1, 6 and 8 to 11.

It loads numba; the steps of a path are in `algorithms`.
"""

from collections.abc import Sequence

import numpy as np

from .algorithms import STATUS, AgentLog, Memory, WebArrays, forage
from .newsweb import NewsWeb
from .settings import ARTICLE, DAY, SUBHUB, WINDOW, Rules


class Forager:
    """An agent that follows paths through the web and sends the pages that are new (Alg. 10)."""

    def __init__(self, web: WebArrays, weblog: dict[int, float], weight: np.ndarray, rules: Rules):
        n = len(web.current)
        steps = rules.max_step + 1
        self.weblog = weblog  # URLs by value, the most valuable first
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
        following = 0.0
        for i in reversed(range(self.status["step"])):
            url = int(self.memory.path_url[i])
            cumulated = float(self.memory.path_profit[i]) + rules.discount * following
            value = cumulated if rules.inclusive else following
            old = self.weblog.get(url)
            self.weblog[url] = value if old is None else (1 - rules.beta) * old + rules.beta * value
            following = cumulated
        best = sorted(self.weblog, key=self.weblog.__getitem__, reverse=True)[: rules.weblog_size]
        self.weblog = {url: self.weblog[url] for url in best}

    def multiply(self, rng: np.random.Generator) -> "Forager":
        """Return a forager with a random half of the weblog (Algorithm 6)."""
        rules = self.rules
        # A weblog that no update refills is copied whole, unless the rules say `split_fixed`.
        given = self.weblog.copy()
        if len(given) > 1 and (rules.weblog or rules.split_fixed):
            urls = list(given)
            half = set(rng.permutation(urls)[: len(urls) // 2].tolist())
            given = {url: self.weblog[url] for url in urls if url in half}
            self.weblog = {url: self.weblog[url] for url in urls if url not in half}
        # Weights are copied if it learns, else drawn.
        own = self.memory.weight
        weight = own.copy() if rules.learning else random_weight(len(own), rules, rng)
        child = Forager(self._web, given, weight, rules)
        if rules.inherit_marked:
            child.memory.marked[:] = self.memory.marked
        return child

    def select_start(self, rng: np.random.Generator) -> None:
        """Begin a path at a random one of the first starting URLs, after an update (Alg. 11)."""
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


class ReinforcingAgent:
    """Give foragers their turns, multiply and delete them; the rules are shared out in a row."""

    def __init__(self, web: NewsWeb, rules: Sequence[Rules]):
        self._rules = rules[0]
        self._all_rules = rules
        self._newsweb = web
        self._seconds = web.days * DAY
        self.foragers: list[Forager] = []  # in the order of their turns
        self.web = web_arrays(web, self._rules)
        self.log = empty_log(web)
        self._versions = advance(self.web, 0, 0.0)
        # At the end of each window of 3 hours.
        self.population = np.zeros(len(self.log.sent), np.int64)
        self.total_score = np.zeros(len(self.log.sent))

    def seed_urls(self, rng: np.random.Generator) -> list[int]:
        """Return the front page and the next that a forager with random weights visits."""
        # Section 4.2.1 takes the first 10 URLs of the crawl that gathered its pages.
        rules = self._rules._replace(random=False, learning=False)
        unused = empty_log(self._newsweb)
        weight = random_weight(self.web.state.shape[1], rules, rng)
        forager = Forager(self.web, {0: 0.0}, weight, rules)
        forager.select_start(rng)
        for _ in range(rules.start_size):  # no time passes: a step each
            forage(forager.memory, self.web, unused, 0.0, 1e-9, rules)
        return forager.memory.path_url[: forager.status["step"]].tolist()

    def add_founders(self, seeds: list[int], rng: np.random.Generator) -> None:
        """Add the founders, with seed URLs as weblog and random weights (Algorithm 9)."""
        n = self._rules.founders
        for i in range(n):
            rules = self._all_rules[i * len(self._all_rules) // n]
            weight = random_weight(self.web.state.shape[1], rules, rng)
            self.foragers.append(Forager(self.web, dict.fromkeys(seeds, 0.0), weight, rules))

    def manage_forager(self, turn: int, rng: np.random.Generator) -> int:
        """Multiply or delete a forager, by its place, after its turn; return the next (Alg. 8)."""
        rules = self._rules
        forager = self.foragers[turn]
        n = len(self.foragers)
        score = forager.status["score"]
        if score >= rules.max_score and n < rules.max_foragers:
            self.foragers.append(forager.multiply(rng))
            forager.status["score"] = rules.init_score
        elif score <= rules.min_score and n > rules.min_foragers:
            del self.foragers[turn]
            return turn % len(self.foragers)
        return (turn + 1) % len(self.foragers)

    def run(self, rng: np.random.Generator) -> None:
        """Give each forager its time in turn, while the web stands still (Algorithm 9)."""
        now = 0.0
        turn = 0
        while now < self._seconds:
            self._versions = advance(self.web, self._versions, now)
            window = int(now // WINDOW)
            end = min(now + self._rules.slice_seconds, self._seconds)
            now = self.foragers[turn].work(self.log, now, end, rng)
            turn = self.manage_forager(turn, rng)
            if now >= min((window + 1) * WINDOW, self._seconds):
                self.population[window:] = len(self.foragers)
                self.total_score[window:] = sum(f.status["score"] for f in self.foragers)


def web_arrays(web: NewsWeb, rules: Rules) -> WebArrays:
    """Return the web before its first version, with dates as the rules read them."""
    kind = web.kind[web.url]
    date = np.where(kind == ARTICLE, web.born if rules.redated else web.published[web.url], -np.inf)
    if rules.dated_hubs:
        date = np.where(kind <= SUBHUB, web.born, date)
    page = web.url.astype(np.int64) if rules.by_url else np.arange(len(web.url))
    links = (*web.version_links, web.stored_versions if rules.stored_links else page[:0])
    return WebArrays(web.born, web.url, page, date, web.state, *links, np.full(len(web), -1))


def empty_log(web: NewsWeb) -> AgentLog:
    """Return the log of an agent that has received nothing yet."""
    seen = np.zeros(len(web.url), np.bool_)
    found_at = np.full(len(web.url), np.inf)
    found_url = np.zeros(len(web), np.bool_)
    windows = int(np.ceil(web.days * DAY / WINDOW - 1e-9))
    counts = np.zeros((3, windows), np.int64)
    return AgentLog(seen, found_at, found_url, np.zeros(len(web), np.int64), *counts)


def advance(web: WebArrays, first: int, now: float) -> int:
    """Put versions from the first on, born by now, on the web; return the number of all there."""
    end = int(np.searchsorted(web.born, now, side="right"))
    web.current[web.url[first:end]] = np.arange(first, end)  # of a URL's versions the last stays
    return end
