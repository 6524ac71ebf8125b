"""Focused crawling by linear SARSA, asynchronous method (Han, Wuillemin and Senellart 2018)."""

from dataclasses import dataclass

import numpy as np

from ... import topics
from ...topics import TopicCosine, anchor_text, page_text
from ..features import FEATURES
from ..frontier import grown
from ..policy import Context, Transition
from .simple import Queued

# A state is a page, an action a link; each quantity is cut into levels, and Q is the sum of a
# weight for each level, from 0. A link is valued once, when its page is fetched ("asynchronous").
# Ours: the share of relevant pages on the path stands for their mean relevance, and the one path to
# a page for the subgraph of its ancestors.
LEVELS = 5
STATE = ("relevance", "change", "mean relevance", "share of relevant", "distance")
N_FEATURES = len(STATE) + 1  # and the relevance of the link's own words
NEARNESS, RATIO = FEATURES.index("inverse distance"), FEATURES.index("path ratio")
SHARES = np.arange(1, LEVELS) / LEVELS  # bounds between levels of what lies in [0, 1]


@dataclass(frozen=True, slots=True)
class Trail:
    """A fetched page with the relevances, 0 to 1, of the path to it."""

    relevance: float = 0.0
    change: float = 0.0  # the relevance less the one that the page inherits from the path
    inherited: float = 0.0  # what the relevance of the next page on the path is compared with
    mean: float = 0.0  # of the pages before it, 0 if there are none
    length: int = 0  # pages up to and with this one

    def extend(self, relevance: float, weight: float) -> "Trail":
        """Return the trail one page further; `weight` is `HanAsync.inheritance`."""
        if not self.length:
            return Trail(relevance, inherited=relevance, length=1)
        inherited = weight * relevance + (1 - weight) * self.inherited
        mean = (self.mean * (self.length - 1) + self.relevance) / self.length
        return Trail(relevance, relevance - self.inherited, inherited, mean, self.length + 1)


class HanAsync(Queued):
    """Crawl by asynchronous SARSA with linear values over discretised relevances.

    The source's text was not at hand: its parts are as TRES and a public re-implementation describe
    them, whose settings these are but for the learning rate. `cosine` is what measures relevance,
    by default that of the topic's corpus.
    """

    # alpha: of 0.01, as in the re-implementation, and 0.1 the better harvest was to decide, .20
    # against .35 (`VitalWeb` 100 to 102, 5,000 sites, 1,000 fetches, sports, reward by the SVM).
    learning_rate = 0.1
    discount = 0.9  # gamma
    epsilon = 0.1  # share of choices that are uniform over the frontier
    inheritance = 0.5  # weight of the latest page in what the next one is compared with
    small, large = 0.1, 0.3  # a change of relevance up to the one is none, beyond the other large

    def __init__(self, context: Context, cosine: TopicCosine | None = None):
        super().__init__(context)
        self.weights = np.zeros((N_FEATURES, LEVELS))
        self._cosine = cosine or topics.classifier(context.topic, "cosine")

        self.levels = np.zeros((0, N_FEATURES), np.int8)  # by id
        self.trails: dict[int, Trail] = {}  # by id: that of the page with the link
        self._here = Trail()
        self._waiting: tuple[int, float] | None = None  # action and reward

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        super().add(ids, x)
        if self._waiting is not None:
            self._update(*self._waiting, self._next(self._values(ids)))
            self._waiting = None

    def choose(self, step: int) -> int | None:
        action = super().choose(step)
        if action is not None and self._context.rng.random() < self.epsilon:
            self._picked = action = int(self._context.rng.choice(self.queue.live()))
            self.q = float(self._values(np.array([action]))[0])
        return action

    def learn(self, transition: Transition) -> None:
        before = self.trails.get(transition.id)  # a seed has none
        page = transition.page
        relevance = float(self._relevances([page_text(page)], "page")[0]) if page else 0.0
        self._here = (before or Trail()).extend(relevance, self.inheritance)
        self._waiting = (transition.id, transition.reward) if before else None

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        self.trails.update(dict.fromkeys(ids.tolist(), self._here))
        self.levels = grown(self.levels, int(ids.max()) + 1)
        self.levels[ids, :-1] = self._state(x[0])
        own = self._relevances(
            list(map(anchor_text, self._context.frontier.new_links(ids))), "anchor"
        )
        self.levels[ids, -1] = np.searchsorted(SHARES, own, "right")
        return self._values(ids)

    def _state(self, x: np.ndarray) -> np.ndarray:
        """Return the levels of the page just fetched, (5,); x is that of any of its links."""
        here = self._here
        own, mean, ratio = np.searchsorted(SHARES, [here.relevance, here.mean, x[RATIO]], "right")
        bounds = [-self.large, -self.small, self.small, self.large]
        change = np.searchsorted(bounds, here.change)
        hops = round(1 / x[NEARNESS]) - 1 if x[NEARNESS] else LEVELS - 1
        return np.array([own, change, mean, ratio, min(hops, LEVELS - 1)])

    def _relevances(self, texts: list[str], form: str) -> np.ndarray:
        """Return the texts' cosines over that of typical relevant texts of a form, at most 1."""
        # Raw cosines would fill one level of five.
        return np.minimum(self._cosine.cosine(texts) / self._cosine.typical[form], 1.0)

    def _values(self, ids: np.ndarray) -> np.ndarray:
        return self.weights[np.arange(N_FEATURES), self.levels[ids]].sum(axis=1)

    def _next(self, values: np.ndarray) -> float:
        """Return SARSA's value of the next action, one of the new page's links; 0 without any."""
        if not len(values):
            return 0.0
        explores = self._context.rng.random() < self.epsilon
        return float(self._context.rng.choice(values) if explores else values.max())

    def _update(self, action: int, reward: float, next_value: float) -> None:
        """Take one step of SARSA; a relevant page ends the episode."""
        # Rewards are 1 and 0, as for all policies here, where the source's were 30 and -1.
        target = reward if reward else self.discount * next_value
        step = self.learning_rate * (target - self._values(np.array([action]))[0])
        self.weights[np.arange(N_FEATURES), self.levels[action]] += step
