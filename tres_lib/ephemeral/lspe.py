"""Learning the index from the utility that crawls find: neither arrivals nor decay are known.

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

import numpy as np

from ..checks import count, generator, numbers
from ..numerics import compiled
from .index import orbit, orbit_index

LIVES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # of content, on average, in epochs
SWEEPS = 200  # of coordinate descent a crawl, from the former fit on


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
    >>> learner.index(np.array([4])).round(1), orbit_index(4, alpha=0.5, u=2.0).round(1)
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
        return (self.weights * orbit_index(age[:, None], self._alpha, 1.0)).T.sum(axis=0)

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        """Return priorities (n,) by the sources' ages."""
        self._turn += 1
        self._x, self._age = x, age
        explores = self._rng.random() < 1 / np.sqrt(self._turn)
        return self._rng.random(len(age)) if explores else self.index(age)

    def learn(self, crawled: np.ndarray, found: np.ndarray, elapsed: np.ndarray) -> None:
        """Refit the crawled sources, (m,), to the utility there; counts of items are ignored."""
        features = orbit(self._age[crawled][:, None], self._alpha, 1.0)
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
