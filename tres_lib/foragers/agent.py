"""The reinforcing agent: Algorithms 8 and 9, named as in the paper. Loads numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .forager import Forager, random_weight
from .law import DAY
from .newsweb import NewsWeb
from .settings import Rules
from .site import WINDOW, advance, open_desk, open_site
from .steps import forage as plain_forage


class ReinforcingAgent:
    """Gives foragers their turns, rewards them, multiplies and deletes them.

    Parameters
    ----------
    web : NewsWeb
    rules : sequence of Rules
        Of the founders: an equal share of them, in a row, works by each; the readings about the
        web and the agent are those of the first.
    forage : callable
        `steps.forage` or `steps.compiled_forage`.

    Attributes
    ----------
    foragers : list of Forager
        In the order of their turns.
    site, desk : Site, Desk
        The web, and what was handed in; Algorithm 7 is `steps.manage_received_url`.
    population, total_score : (windows,) int64, float64
        Foragers, and the sum of their scores, at the end of each window of three hours.
    """

    def __init__(self, web: NewsWeb, rules: Sequence[Rules], forage: Callable):
        self._rules, self._all_rules, self._forage = rules[0], rules, forage
        self._web, self._seconds, self.foragers = web, web.days * DAY, []
        self.site, self.desk = open_site(web, self._rules), open_desk(web)
        self._known = advance(self.site, 0, 0.0)
        self.population = np.zeros(len(self.desk.sent), np.int64)
        self.total_score = np.zeros(len(self.desk.sent))

    def seed_urls(self, rng: np.random.Generator) -> list[int]:
        """The front page and what a forager with random weights visits next from there.

        Section 4.2.1 takes the first 10 URLs of the crawl that gathered its pages.
        """
        rules, nowhere = self._rules._replace(random=False, learning=False), open_desk(self._web)
        weight = random_weight(self.site.state.shape[1], rules, rng)
        forager = Forager(self.site, {0: 0.0}, weight, rules)
        forager.select_start(rng)
        for _ in range(rules.start_size):  # no time passes: a step each
            plain_forage(forager.memory, self.site, nowhere, 0.0, 1e-9, rules)
        return forager.memory.path_url[: forager.status["step"]].tolist()

    def found(self, seeds: list[int], rng: np.random.Generator) -> None:
        """Start the founders, with the seeds for a weblog and random weights (Algorithm 9)."""
        n, kinds = self._rules.founders, len(self._all_rules)
        for i in range(n):
            rules = self._all_rules[i * kinds // n]
            weight = random_weight(self.site.state.shape[1], rules, rng)
            self.foragers.append(Forager(self.site, dict.fromkeys(seeds, 0.0), weight, rules))

    def manage_forager(self, turn: int, rng: np.random.Generator) -> int:
        """Algorithm 8: multiply or delete the forager whose turn it was; whose turn is next."""
        rules, forager, n = self._rules, self.foragers[turn], len(self.foragers)
        score = forager.status["score"]
        if score >= rules.max_score and n < rules.max_foragers:
            self.foragers.append(forager.multiply(rng))
            forager.status["score"] = rules.init_score
        elif score <= rules.min_score and n > rules.min_foragers:
            del self.foragers[turn]
            return turn % len(self.foragers)
        return (turn + 1) % len(self.foragers)

    def run(self, rng: np.random.Generator) -> None:
        """Algorithm 9: give each forager its time in turn, until time is over.

        The web stands still during a turn.
        """
        now, turn = 0.0, 0
        while now < self._seconds:
            self._known = advance(self.site, self._known, now)
            window, end = int(now // WINDOW), now + self._rules.slice_seconds
            end = min(end, self._seconds)
            now = self.foragers[turn].work(self.desk, now, end, rng, self._forage)
            turn = self.manage_forager(turn, rng)
            if now >= min((window + 1) * WINDOW, self._seconds):
                self.population[window:] = len(self.foragers)
                self.total_score[window:] = sum(f.status["score"] for f in self.foragers)
