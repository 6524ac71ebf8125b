"""The Whittle index of an ephemeral source in closed form (Theorem 1).

A source that is not crawled goes from x to alpha x + u, towards x* = u / (1 - alpha); a crawl
earns x and puts it back to u. From u it runs through its orbit, X_n = x* (1 - alpha^(n + 1)).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arguments import numbers
from .sources import fitted

BLOCK = 8_192  # numbers at a time: what a block needs stays in the processor's cache
SLACK = 4 * np.finfo(float).eps  # of a state that was computed, relative to x*


def whittle_index(x: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Subsidy for not crawling at which crawling in state x is just as good (Theorem 1).

    zeta [(1 - alpha) x - u] + u (1 - alpha^zeta) / (1 - alpha), where zeta - 1 = `hitting_time`.
    Of all whole numbers from 1 on, that zeta gives the largest value, so the index is the upper
    envelope of lines: convex, and continuous where zeta jumps.

    Parameters
    ----------
    x, alpha, u : arrays that broadcast
        States, at least 0; shares of utility kept over an epoch, in [0, 1); utility that an
        epoch brings. Beyond x* the index is x.

    Returns
    -------
    array, or a float if all are scalars

    Raises
    ------
    ValueError
    """
    return index_of(*_checked(x, alpha, u))


def index_of(x: np.ndarray, alpha: np.ndarray, u: np.ndarray) -> np.ndarray:
    """`whittle_index` of arrays that have been checked before."""
    blocks = np.nditer(
        [x, alpha, u, None],
        flags=["external_loop", "buffered", "zerosize_ok"],
        buffersize=BLOCK,
        op_dtypes=[float] * 4,
    )
    with blocks, np.errstate(divide="ignore", invalid="ignore"):
        for *block, out in blocks:
            out[...] = _index(*block)
        return blocks.operands[3][()]


def hitting_time(x: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Epochs after which a source that starts in u is in x or above (Eqs. 15 and 16).

    A state X_n as a computer has it is hit after n epochs, although log_alpha may come out
    above n.

    Parameters
    ----------
    x, alpha, u : see `whittle_index`

    Returns
    -------
    array of float
        Whole numbers; inf from x* on, which is never reached (but 0 for alpha = 0, x = u).

    Raises
    ------
    ValueError
    """
    x, alpha, u = _checked(x, alpha, u)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = 1 - (1 - alpha) * x / u  # alpha^(n + 1) in X_n
        epochs = np.ceil(np.log(left + SLACK) / np.log(alpha)) - 1
        epochs = np.where(left > 0, np.maximum(epochs, 0), np.inf)
        return np.where(x <= u * (1 + SLACK), 0.0, epochs)[()]


def orbit(n: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """State X_n of a source n epochs after it was put back to u."""
    with np.errstate(divide="ignore"):
        return -u * np.expm1(np.add(n, 1) * np.log(alpha)) / np.subtract(1, alpha)


def orbit_index(n: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Whittle index of X_n (remark below Theorem 1): W_n = X_n - (n + 1) u alpha^(n + 1)."""
    steps = np.add(n, 1)
    return orbit(n, alpha, u) - steps * u * np.power(alpha, steps, dtype=float)


def _index(x: np.ndarray, alpha: np.ndarray, u: np.ndarray) -> np.ndarray:
    lost, log_alpha = 1 - alpha, np.log(alpha)
    growth = u - lost * x  # of the state until the next epoch
    zeta = np.maximum(np.ceil(np.log(growth / u) / log_alpha), 1)
    hit = -u * np.expm1(zeta * log_alpha) / lost
    return np.where(growth > 0, hit - zeta * growth, x)


def _checked(x: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> list[np.ndarray]:
    arrays = {"x": numbers("x", x), "alpha": numbers("alpha", alpha), "u": numbers("u", u)}
    if (arrays["alpha"] >= 1).any():
        raise ValueError(f"alpha={arrays['alpha'].max()}: give shares in [0, 1)")
    return fitted(**arrays)
