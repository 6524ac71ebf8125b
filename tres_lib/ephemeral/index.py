"""The Whittle index of an ephemeral source in closed form (Theorem 1).

A source that is not crawled goes from state x to alpha x + u, towards x* = u / (1 - alpha). A crawl
earns x and resets the state to u. From u the states are X_n = x* (1 - alpha^(n + 1)), the orbit.
"""

import numpy as np
from numpy.typing import ArrayLike

from .sources import checked

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
