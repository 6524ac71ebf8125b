"""The reinforcing agent, which gives foragers their turns: Algorithms 8 and 9. Loads numba."""

from collections.abc import Sequence

import numpy as np

from .algorithms import AgentLog, WebArrays, forage
from .forager import Forager, random_weight
from .newsweb import NewsWeb
from .settings import ARTICLE, DAY, SUBHUB, WINDOW, Rules


class ReinforcingAgent:
    """Give foragers their turns, multiply and delete them.

    An equal share of the founders, in a row, follows each of the rules; the readings about the web
    and the agent are those of the first.

    Examples
    --------
    `run_fleet` does this, and says what was found:

    >>> from tres_lib.foragers.settings import FleetSettings, rules_of
    >>> web, rng = NewsWeb.generate(0, days=0.125), np.random.default_rng(0)
    >>> agent = ReinforcingAgent(web, [rules_of("WL", FleetSettings())])
    >>> agent.add_founders(agent.seed_urls(rng), rng)
    >>> agent.run(rng)
    >>> agent.population, agent.log.downloaded
    (array([2]), array([4167]))
    """

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
        """Return the front page and the next pages that a forager with random weights visits.

        There are at most `start_size`. Section 4.2.1 takes the first 10 URLs of the crawl that
        gathered its pages.
        """
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
    links = web.version_links
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
