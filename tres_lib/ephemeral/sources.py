"""Sources of ephemeral content, their random arrivals, and their Whittle index (Theorem 1).

A source that is not crawled goes from state x to alpha x + u, towards x* = u / (1 - alpha). A crawl
earns x and resets the state to u. From u the states are X_n = x* (1 - alpha^(n + 1)), the orbit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import count, instance, numbers, positive


@dataclass(frozen=True, eq=False)
class Sources:
    """N sources, by the numbers that the Whittle index needs, (N,) arrays or scalars."""

    alpha: np.ndarray  # share of the utility of content that lasts over an epoch, in [0, 1)
    u: np.ndarray  # expected utility, at the end of an epoch, of what arrived in it (Eq. 1)
    arrivals: np.ndarray | None = None  # mean items per epoch, for stochastic simulation only

    def __post_init__(self) -> None:
        given = {name: value for name, value in vars(self).items() if value is not None}
        values = checked(**given)
        if values[0].ndim > 1 or not values[0].size:
            raise ValueError(f"alpha: shape {values[0].shape}; give a number, or one per source")
        for name, value in zip(given, values, strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return self.alpha.size

    @property
    def limit(self) -> np.ndarray:
        """Return x* = u / (1 - alpha), the state that a source never crawled tends to."""
        return self.u / (1 - self.alpha)

    def copies(self, n: int) -> "Sources":
        """Return n copies of the whole list, one after another."""
        count("n", n)
        return Sources(**{k: np.tile(a, n) for k, a in vars(self).items() if a is not None})


def listed(sources: Sources) -> Sources:
    """Return the same sources as arrays (N,), a scalar as (1,); ValueError if they are none."""
    instance("sources", sources, Sources)
    return Sources(**{k: np.atleast_1d(a) for k, a in vars(sources).items() if a is not None})


def source(
    mean_utility: ArrayLike, decay: ArrayLike, arrival_rate: ArrayLike, period: float = 1.0
) -> Sources:
    """Return sources by the paper's parameters, which broadcast.

    alpha = exp(-mu T) and u = xi Lambda (1 - alpha) / mu (Eq. 1), where xi is the mean utility of
    an item when new, mu the rate at which it decays, Lambda items per unit of time, T the time
    between two epochs.

    Examples
    --------
    >>> two = source(mean_utility=[1.0, 0.5], decay=0.7, arrival_rate=10.0)
    >>> two.alpha.round(3), two.u.round(3)
    (array([0.497, 0.497]), array([7.192, 3.596]))
    """
    xi, mu, rate = broadcast(
        mean_utility=numbers("mean_utility", mean_utility, zero=True),
        decay=numbers("decay", decay),
        arrival_rate=numbers("arrival_rate", arrival_rate, zero=True),
    )
    T = positive("period", period)
    return Sources(np.exp(-mu * T), -xi * rate * np.expm1(-mu * T) / mu, rate * T)


def checked(**given: ArrayLike) -> tuple[np.ndarray, ...]:
    """Return the arrays broadcast; ValueError unless finite, from 0 on, and alpha below 1."""
    arrays = {name: numbers(name, values, zero=True) for name, values in given.items()}
    top = arrays["alpha"].max(initial=0)
    if top >= 1:
        raise ValueError(f"alpha={top}: give shares below 1, by a larger decay or period")
    return broadcast(**arrays)


def broadcast(**arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arrays broadcast against one another."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError as error:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{', '.join(arrays)}: shapes do not fit: {shapes}") from error


class Arrivals:
    """Poisson arrivals of items, whose utility decays until the epoch ends (Section 7)."""

    def __init__(self, sources: Sources, rng: np.random.Generator | int | None):
        if sources.arrivals is None:
            raise ValueError("sources: arrivals=None; use source(), or give Sources the arrivals")
        self._rng = np.random.default_rng(rng)
        self._mean = sources.arrivals
        with np.errstate(divide="ignore", invalid="ignore"):
            self._decay = -np.log(sources.alpha)
            left = np.where(self._decay > 0, -np.expm1(-self._decay) / self._decay, 1)
            self._xi = np.where(self._mean > 0, sources.u / (self._mean * left), 0)

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """Return each source's new utility at the end of an epoch (N,), and new items (N,) int."""
        counts = self._rng.poisson(self._mean)
        at = np.repeat(np.arange(len(counts)), counts)
        age = self._rng.random(len(at))  # uniform, given the number: a Poisson process
        items = np.exp(-self._decay[at] * age)
        return self._xi * np.bincount(at, items, minlength=len(counts)), counts


BLOCK = 8_192  # numbers at a time: what a block needs stays in the processor's cache


def whittle_index(x: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return the subsidy for not crawling that makes crawling in state x just as good (Theorem 1).

    zeta [(1 - alpha) x - u] + u (1 - alpha^zeta) / (1 - alpha), where zeta - 1 are the epochs from
    u to x (Eqs. 15 and 16); from x* on the index is x. States x (utility waiting) and u, the
    utility that an epoch brings, are at least 0; alpha, the share that lasts over an epoch, is in
    [0, 1). They broadcast.

    Examples
    --------
    >>> whittle_index([1.0, 1.25, 1.5, 2.0], alpha=0.5, u=1.0)
    array([0.5 , 0.75, 1.  , 2.  ])
    """
    return index_of(*checked(x=x, alpha=alpha, u=u))


def index_of(x: np.ndarray, alpha: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return `whittle_index` of arrays that have been checked before."""
    blocks = np.nditer(
        [x, alpha, u, None],
        flags=["external_loop", "buffered", "zerosize_ok"],
        buffersize=BLOCK,
        op_dtypes=[np.dtype(float)] * 4,
    )
    with blocks, np.errstate(divide="ignore", invalid="ignore"):
        for *block, out in blocks:
            out[...] = _index(*block)
        return blocks.operands[3][()]


def orbit(n: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return X_n, the state of a source n epochs after its reset to u; all three broadcast."""
    with np.errstate(divide="ignore"):
        return np.negative(u) * np.expm1(np.add(n, 1) * np.log(alpha)) / np.subtract(1, alpha)


def _index(x: np.ndarray, alpha: np.ndarray, u: np.ndarray) -> np.ndarray:
    lost = 1 - alpha
    log_alpha = np.log(alpha)
    growth = u - lost * x  # of the state until the next epoch
    # Of all whole numbers from 1 on this one gives the largest value, so the index is an envelope
    # of lines: convex, and continuous where zeta jumps.
    zeta = np.maximum(np.ceil(np.log(growth / u) / log_alpha), 1)
    hit = -u * np.expm1(zeta * log_alpha) / lost
    return np.where(growth > 0, hit - zeta * growth, x)
