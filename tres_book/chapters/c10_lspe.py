"""The Whittle index learnt from what crawls find, by LSPE(0): neither arrivals nor decay known.

K. Avrachenkov and V. S. Borkar (A learning algorithm for the Whittle index policy for scheduling
web crawlers, 2019) rest such a scheme on LSPE(0), least-squares policy evaluation with lambda 0,
and on the index's structure. Only their abstract was read; what follows is derived here.

A source's state is its age k, the epochs since its last crawl. Waiting earns the subsidy s and
leads to k + 1; a crawl earns what it finds, R_k on average, and leads to age 0, whose value is the
gain. LSPE(0) fits weights of features to what an action earned, and the former fit of the state
after it, less the gain. After a crawl these two cancel: the fit is least squares of what was found,
by age, for every subsidy and threshold at once. Of waits nothing is unknown. Crawling from age n
on gains (n s + R_n) / (n + 1), and both actions are equal at age n for

    s = W_n = R_n - (n + 1) (R_{n + 1} - R_n), the index.

Of the structure, R rises and bends down only. So features are the states of sources with given
mean lives, and weights are from 0 on. As W is linear in R, it is the same mixture of their indices.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tres_lib import ephemeral
from tres_lib.numerics import compiled
from tres_webs.checks import count, generator, numbers

from .. import orbits
from ..intervals import summarise
from ..study import results
from ..study.findings import name_of, of_table
from ..study.study import Study, grid
from .c10_whittle import PRIORS, random_sources

LIVES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # of content, on average, in epochs
SWEEPS = 200  # of coordinate descent a crawl, from the former fit on
TENTH, HALF = 0.9, 0.5  # of the epochs, from where errors and rewards count


def studies() -> dict[str, Study]:
    """Return the study of the learner and its rivals."""
    settings = grid(prior=PRIORS, n=(20,), epochs=(5_000,), seed=range(30))
    return {"lspe": Study("lspe", learnt_trial, settings)}


def learners() -> pd.DataFrame:
    """Return the runs of the learner and of its rivals, in %."""
    found = results.rows(studies()["lspe"]).replace({"prior": PRIORS})
    found[found.columns.drop(["prior", "n", "epochs", "seed"])] *= 100
    return found


def figures() -> dict[str, Any]:
    """Return the figures of the chapter's sentences that no claim records."""
    learnt, names = learners(), ("certainty", "epsilon-decay", "lspe")
    return {name_of(n): of_table(summarise(learnt, ["prior"], n), "prior") for n in names}


class Lspe:
    """A policy for `simulate`, of n sources, that knows no more of them than what it found.

    The prior has the utility expected from an epoch, a number or (n,), and its weight in crawls,
    both above 0. At epoch t it crawls at random with probability 1 / sqrt(t). Of the states that
    it is given it reads only those of the sources that it crawls.

    Examples
    --------
    >>> learner = Lspe(1, prior=(1.0, 0.01))
    >>> for age in range(20):  # of a source with alpha 0.5 and u 2
    ...     _ = learner(np.array([4 - 4 * 0.5 ** (age + 1)]), np.array([age]))
    ...     learner.learn(np.array([0]), np.array([0]), np.array([age]))
    >>> learner.index(np.array([4])).round(1), orbits.orbit_index(4, 0.5, 2.0).round(1)
    (array([3.5]), np.float64(3.6))
    """

    def __init__(self, n: int, prior: tuple[float, float], rng: np.random.Generator | int = 0):
        mean, weight = (numbers(f"prior={prior!r}", value) for value in prior)
        size = len(LIVES)
        self._alpha = np.exp(-1 / np.array(LIVES))
        self._rng = generator("rng", rng)
        self._turn = 0
        #: (n, features) utility that an epoch brings of each mean life
        self.weights = np.tile(np.broadcast_to(mean, count("n", n))[:, None] / size, size)
        self._product = weight * self.weights
        self._square = np.tile(weight * np.eye(size), (n, 1, 1))

    def index(self, age: np.ndarray) -> np.ndarray:
        """Return the learnt index of the sources at these ages, (n,)."""
        return (self.weights * orbits.orbit_index(age[:, None], self._alpha, 1.0)).T.sum(axis=0)

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        """Return priorities (n,) by the sources' ages."""
        self._turn += 1
        self._x, self._age = x, age
        explores = self._rng.random() < 1 / np.sqrt(self._turn)
        return self._rng.random(len(age)) if explores else self.index(age)

    def learn(self, crawled: np.ndarray, found: np.ndarray, elapsed: np.ndarray) -> None:
        """Refit the crawled sources, (m,), to the utility there; counts of items are ignored."""
        features = ephemeral.orbit(self._age[crawled][:, None], self._alpha, 1.0)
        _fit(self._square, self._product, self.weights, crawled, features, self._x[crawled])


@compiled
def _fit(square, product, weights, crawled, features, utility):
    """Add an observation of each crawled source, and minimise the squared error, weights >= 0."""
    for m, i in enumerate(crawled):
        for j in range(weights.shape[1]):
            product[i, j] += features[m, j] * utility[m]
            for k in range(weights.shape[1]):
                square[i, j, k] += features[m, j] * features[m, k]
        for _ in range(SWEEPS):
            for j in range(weights.shape[1]):
                off = product[i, j]
                for k in range(weights.shape[1]):
                    off -= square[i, j, k] * weights[i, k]
                weights[i, j] = max(weights[i, j] + off / square[i, j, j], 0.0)


class Watched(Lspe):
    """A learner of known sources, whose errors are kept."""

    def __init__(self, sources: ephemeral.Sources, mean: float, rng: np.random.Generator):
        super().__init__(len(sources), (mean, 1.0), rng)
        self._true = partial(orbits.orbit_index, alpha=sources.alpha, u=sources.u)
        self.errors: list[float] = []  # of all indices, over their sum, by epoch

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        true = self._true(age)
        self.errors.append(np.abs(self.index(age) - true).sum() / true.sum())
        return super().__call__(x, age)


class Rates:
    """A learner of n arrival rates alone, who knows decay and what an item is worth.

    A crawl takes all items, so a Gamma prior stays a Gamma: here of the given mean, worth one
    epoch. It ranks as if rates were their means; with `rng` it forces visits as `Lspe` does.
    """

    def __init__(
        self, sources: ephemeral.Sources, prior: float, rng: np.random.Generator | None = None
    ):
        self._items, self._epochs = np.full(len(sources), prior), np.ones(len(sources))
        worth = sources.u / sources.arrivals
        self._index = partial(orbits.orbit_index, alpha=sources.alpha, u=worth)
        self._rng, self._turn = rng, 0

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        """Return priorities (n,) by the sources' ages."""
        self._turn += 1
        if self._rng is not None and self._rng.random() < 1 / np.sqrt(self._turn):
            return self._rng.random(len(age))
        return self._items / self._epochs * self._index(age)

    def learn(self, crawled: np.ndarray, found: np.ndarray, elapsed: np.ndarray) -> None:
        """Add the items found in crawled sources, (m,), and the epochs in which they arrived."""
        self._items[crawled] += found
        self._epochs[crawled] += elapsed


def learnt_trial(prior: float, n: int, epochs: int, seed: int) -> dict[str, float]:
    """Return the learner's error and what policies earn, a fifth of n random sources crawled.

    ``error at T`` is that of all indices at the sources' ages at epoch T, ``error`` its mean over
    the last tenth of the run. The others are rewards in its second half, over that of the index
    with known parameters: ``lspe``, and of learners of the rates alone, without forced visits
    (``certainty``) and with them (``epsilon-decay``). All meet the same arrivals and see none
    before a crawl.
    """
    sources, crawls = random_sources(n, seed), max(n // 5, 1)
    # The third to fifth were those of rivals that left.
    arrivals, choices, *_, forced = np.random.SeedSequence(seed).spawn(6)
    assert sources.arrivals is not None

    def reward(policy: str | Rates | Lspe) -> float:
        seen = isinstance(policy, Lspe)  # who takes what was found from the states
        rng = np.random.default_rng(arrivals)
        run = ephemeral.simulate(sources, crawls, epochs, policy, True, rng, observed=seen)
        return float(run.reward[int(HALF * epochs) :].sum())

    known = reward("whittle")
    learner = Watched(sources, prior * sources.u.mean(), np.random.default_rng(choices))
    mean = prior * sources.arrivals.mean()
    rewards = {
        "lspe": reward(learner) / known,
        "certainty": reward(Rates(sources, mean)) / known,
        "epsilon-decay": reward(Rates(sources, mean, np.random.default_rng(forced))) / known,
    }
    early = {f"error at {t:,}": learner.errors[t - 1] for t in (50, 500, epochs) if t <= epochs}
    return {"error": float(np.mean(learner.errors[int(TENTH * epochs) :])), **early, **rewards}
