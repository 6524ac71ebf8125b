"""The Whittle index of an ephemeral source in closed form (Theorem 1).

A source that is not crawled goes from state x to alpha x + u, towards x* = u / (1 - alpha). A crawl
earns x and resets the state to u. From u the states are X_n = x* (1 - alpha^(n + 1)), the orbit.
"""

import numpy as np
from numpy.typing import ArrayLike

from .sources import checked

BLOCK = 8_192  # numbers at a time: what a block needs stays in the processor's cache
SLACK = 4 * np.finfo(float).eps  # rounding of a computed state, relative to x*


def whittle_index(x: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return the subsidy for not crawling that makes crawling in state x just as good (Theorem 1).

    zeta [(1 - alpha) x - u] + u (1 - alpha^zeta) / (1 - alpha), where zeta - 1 = `hitting_time`;
    from x* on the index is x. States x (utility waiting) and u, the utility that an epoch brings,
    are at least 0; alpha, the share that lasts over an epoch, is in [0, 1). They broadcast.

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


def hitting_time(x: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return the epochs that a source needs from u to reach state x (Eqs. 15 and 16).

    Whole floats; inf from x* on, which is never reached (but 0 for alpha = 0, x = u).

    Examples
    --------
    >>> hitting_time([1.0, 1.2, 1.5, 2.0], alpha=0.5, u=1.0)
    array([ 0.,  1.,  1., inf])
    """
    x, alpha, u = checked(x=x, alpha=alpha, u=u)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = 1 - (1 - alpha) * x / u  # alpha^(n + 1) in X_n
        epochs = np.ceil(np.log(left + SLACK) / np.log(alpha)) - 1
        epochs = np.where(left > 0, np.maximum(epochs, 0), np.inf)
        return np.where(x <= u * (1 + SLACK), 0.0, epochs)[()]


def orbit(n: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return X_n, the state of a source n epochs after its reset to u; all three broadcast."""
    with np.errstate(divide="ignore"):
        return np.negative(u) * np.expm1(np.add(n, 1) * np.log(alpha)) / np.subtract(1, alpha)


def orbit_index(n: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return the Whittle index of X_n, W_n = X_n - (n + 1) u alpha^(n + 1) (below Theorem 1).

    Examples
    --------
    >>> orbit_index([0, 1, 2], alpha=0.5, u=1.0)
    array([0.5  , 1.   , 1.375])
    """
    steps = np.add(n, 1)
    return orbit(n, alpha, u) - steps * u * np.power(alpha, steps, dtype=float)


def _index(x: np.ndarray, alpha: np.ndarray, u: np.ndarray) -> np.ndarray:
    lost = 1 - alpha
    log_alpha = np.log(alpha)
    growth = u - lost * x  # of the state until the next epoch
    # Of all whole numbers from 1 on this one gives the largest value, so the index is an envelope
    # of lines: convex, and continuous where zeta jumps.
    zeta = np.maximum(np.ceil(np.log(growth / u) / log_alpha), 1)
    hit = -u * np.expm1(zeta * log_alpha) / lost
    return np.where(growth > 0, hit - zeta * growth, x)
