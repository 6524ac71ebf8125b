"""The reinforcing agent: Algorithms 8 and 9, named as in the paper. Loads numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .forager import Forager, random_weight
from .newsweb import NewsWeb
from .parameters import ARTICLE, DAY, SUBHUB, WINDOW
from .settings import Rules
from .steps import AgentLog, WebArrays
from .steps import forage as plain_forage


class ReinforcingAgent:
    """Give foragers their turns, reward them, multiply and delete them.

    Parameters
    ----------
    web : NewsWeb
    rules : sequence of Rules
        Of the founders, an equal share of which, in a row, follows each; the readings about the
        web and the agent are those of the first.
    forage : callable
        `steps.forage` or `steps.compiled_forage`.

    Attributes
    ----------
    foragers : list of Forager
        In the order of their turns.
    web, log : WebArrays, AgentLog
        The web, and the pages received; Algorithm 7 is `steps.manage_received_url`.
    population, total_score : (windows,) arrays
        Number of foragers, and the sum of their scores, at the end of each window of 3 hours.
    """

    def __init__(self, web: NewsWeb, rules: Sequence[Rules], forage: Callable):
        self._rules = rules[0]
        self._all_rules = rules
        self._forage = forage
        self._newsweb = web
        self._seconds = web.days * DAY
        self.foragers: list[Forager] = []
        self.web = web_arrays(web, self._rules)
        self.log = empty_log(web)
        self._known = advance(self.web, 0, 0.0)
        self.population = np.zeros(len(self.log.sent), np.int64)
        self.total_score = np.zeros(len(self.log.sent))

    def seed_urls(self, rng: np.random.Generator) -> list[int]:
        """Return the front page and the next pages that a forager with random weights visits.

        Section 4.2.1 takes the first 10 URLs of the crawl that gathered its pages.
        """
        rules = self._rules._replace(random=False, learning=False)
        unused = empty_log(self._newsweb)
        weight = random_weight(self.web.state.shape[1], rules, rng)
        forager = Forager(self.web, {0: 0.0}, weight, rules)
        forager.select_start(rng)
        for _ in range(rules.start_size):  # no time passes: a step each
            plain_forage(forager.memory, self.web, unused, 0.0, 1e-9, rules)
        return forager.memory.path_url[: forager.status["step"]].tolist()

    def found(self, seeds: list[int], rng: np.random.Generator) -> None:
        """Add the founders, with the seeds as weblog and random weights (Algorithm 9)."""
        n = self._rules.founders
        for i in range(n):
            rules = self._all_rules[i * len(self._all_rules) // n]
            weight = random_weight(self.web.state.shape[1], rules, rng)
            self.foragers.append(Forager(self.web, dict.fromkeys(seeds, 0.0), weight, rules))

    def manage_forager(self, turn: int, rng: np.random.Generator) -> int:
        """Multiply or delete the forager after its turn; return the next turn (Algorithm 8)."""
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
        """Give each forager its time in turn, until time is over (Algorithm 9).

        The web stands still during a turn.
        """
        now = 0.0
        turn = 0
        while now < self._seconds:
            self._known = advance(self.web, self._known, now)
            window = int(now // WINDOW)
            end = min(now + self._rules.slice_seconds, self._seconds)
            now = self.foragers[turn].work(self.log, now, end, rng, self._forage)
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
    current = np.full(len(web), -1)
    return WebArrays(web.born, web.url, page, date, web.state, *web.version_links, current)


def empty_log(web: NewsWeb) -> AgentLog:
    """Return the log of an agent that has received nothing yet."""
    versions = len(web.url)
    windows = int(np.ceil(web.days * DAY / WINDOW - 1e-9))
    return AgentLog(
        seen=np.zeros(versions, np.bool_),
        found_at=np.full(versions, np.inf),
        found_url=np.zeros(len(web), np.bool_),
        steps=np.zeros(len(web), np.int64),
        downloaded=np.zeros(windows, np.int64),
        sent=np.zeros(windows, np.int64),
        relevant=np.zeros(windows, np.int64),
    )


def advance(web: WebArrays, known: int, now: float) -> int:
    """Put versions born by now on the web, beyond the known ones; return their number in all."""
    new = int(np.searchsorted(web.born, now, side="right"))
    web.current[web.url[known:new]] = np.arange(known, new)  # of a URL's versions the last stays
    return new
