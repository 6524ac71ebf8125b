"""Compiled loops that give the same bits on every processor.

LLVM may join a product and a sum into one rounding where the processor can, so that equal code
gives other last digits on another machine. Here nothing is joined unless `fma` says so, sums
keep their order, and no function of the system's mathematical library is called.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numba import njit
from numba.extending import intrinsic

from tres_webs.checks import count

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # the first has 21 zero bits
ROOT_HALF = math.sqrt(0.5)
TAYLOR = tuple(1 / math.factorial(k) for k in range(13, -1, -1))
ATANH = tuple(2 / (2 * k + 1) for k in range(11, -1, -1))  # of 2 atanh(s) / s, by s squared

MEMORY = 10  # of L-BFGS: pairs of a step and the change of the gradient
ENOUGH = 1e-4  # share of the descent that the gradient promises (Armijo)
HALVINGS = 20  # of a step, at most
FLAT = 1e-5  # largest entry of a gradient that is taken for 0
STILL = 2e-9  # relative descent that is taken for none

compiled = njit(cache=True, error_model="numpy")


@intrinsic
def fma(typing: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x y + z, rounded once: one instruction, or slow exact code where there is none."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return x(x, x, x), generate


@compiled
def exp(x):
    """Return e^x, a float64 right to the last digit or two, for x from -700 to 700."""
    n = np.floor(x * LOG2_E + 0.5)
    rest = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    total = 0.0
    for coefficient in TAYLOR:
        total = fma(total, rest, coefficient)
    return math.ldexp(total, int(n))


@compiled
def log(x):
    """Return ln x, a float64 right to the last digit or two, for a normal positive x."""
    m, power = math.frexp(x)
    n = float(power)
    if m < ROOT_HALF:
        m, n = 2.0 * m, n - 1.0
    s = (m - 1.0) / (m + 1.0)
    total = 0.0
    for coefficient in ATANH:
        total = fma(total, s * s, coefficient)
    return fma(n, LN2_HIGH, fma(n, LN2_LOW, s * total))


@compiled
def logs(x):
    """Return ln x of each, (n,) float64."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = log(x[i])
    return out


@compiled
def logistic(x):
    """Return 1 / (1 + e^-x) of each, (n,) float64."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = 1.0 / (1.0 + exp(-max(min(x[i], 700.0), -700.0)))
    return out


@compiled
def dot64(a, b):
    """Return the sum of the products, from left to right."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@compiled
def dot(x, w):
    """Return x @ w; x and w (n,) float32. BLAS adds in an order that depends on the processor."""
    a = b = c = d = np.float32(0.0)
    whole = len(x) // 4 * 4
    for i in range(0, whole, 4):
        a, b = fma(x[i], w[i], a), fma(x[i + 1], w[i + 1], b)
        c, d = fma(x[i + 2], w[i + 2], c), fma(x[i + 3], w[i + 3], d)
    for i in range(whole, len(x)):
        a = fma(x[i], w[i], a)
    return (a + b) + (c + d)


@compiled
def add_product(out, x, w):
    """Add x @ w to out, four rows of w at a time; x (m,), w (m, n), out (n,) float32."""
    whole = len(x) // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
        for k in range(len(out)):
            first = fma(a, w[i, k], b * w[i + 1, k])
            out[k] += fma(d, w[i + 3, k], fma(c, w[i + 2, k], first))
    for i in range(whole, len(x)):
        for k in range(len(out)):
            out[k] = fma(x[i], w[i, k], out[k])


@compiled
def add_products(out, x, w):
    """Add x @ w to out, as `add_product` does by row; x (l, m), w (m, n), out (l, n) float32."""
    even, whole = len(x) // 2 * 2, x.shape[1] // 4 * 4
    for r in range(0, even, 2):  # two rows share what they read of w
        for i in range(0, whole, 4):
            a, b, c, d = x[r, i], x[r, i + 1], x[r, i + 2], x[r, i + 3]
            e, f, g, h = x[r + 1, i], x[r + 1, i + 1], x[r + 1, i + 2], x[r + 1, i + 3]
            for k in range(out.shape[1]):
                w0, w1, w2, w3 = w[i, k], w[i + 1, k], w[i + 2, k], w[i + 3, k]
                out[r, k] += fma(d, w3, fma(c, w2, fma(a, w0, b * w1)))
                out[r + 1, k] += fma(h, w3, fma(g, w2, fma(e, w0, f * w1)))
        for i in range(whole, x.shape[1]):
            for k in range(out.shape[1]):
                out[r, k] = fma(x[r, i], w[i, k], out[r, k])
                out[r + 1, k] = fma(x[r + 1, i], w[i, k], out[r + 1, k])
    if even < len(x):
        add_product(out[even], x[even], w)


def minimize(
    loss: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, steps: int = 1_000
) -> np.ndarray:
    """Return where a strictly convex loss is least, (n,), after at most so many steps of L-BFGS."""
    # SciPy's would do, but its sums round by the processor. Nocedal and Wright, Numerical
    # Optimization, 2006, algorithms 7.4 and 7.5.
    pairs: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=MEMORY)  # the latest first
    at, (value, slope) = start, loss(start)
    for _ in range(steps):
        if np.abs(slope).max() <= FLAT:
            break
        way = direction(slope, pairs)
        promised = dot64(way, slope)
        length = 1.0 if pairs else min(1.0, 1.0 / dot64(np.sign(slope), slope))
        for _ in range(HALVINGS):
            new = at + length * way
            new_value, new_slope = loss(new)
            if new_value <= value + ENOUGH * length * promised:
                break
            length /= 2
        else:
            break
        pairs.appendleft((new - at, new_slope - slope))
        descent, at, value, slope = value - new_value, new, new_value, new_slope
        if descent <= STILL * max(abs(value), 1.0):
            break
    return at


def direction(slope: np.ndarray, pairs: Collection[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return minus the inverse Hessian, estimated from the last pairs, times the gradient."""
    way, passed = -slope, []
    for s, t in pairs:
        share = dot64(s, way) / dot64(s, t)
        way -= share * t
        passed.append((s, t, share))
    for s, t, _ in passed[:1]:
        way *= dot64(s, t) / dot64(t, t)
    for s, t, share in reversed(passed):
        way += (share - dot64(t, way) / dot64(s, t)) * s
    return way


def share_interval(found: int, sample: int, of: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share, of which a random sample is known.

    Of `of` things `sample` were drawn without replacement, and `found` of these have a property.

    Examples
    --------
    >>> low, high = share_interval(8, 20, 62)
    >>> print(f"{low:.2f} to {high:.2f}")
    0.23 to 0.60
    >>> share_interval(8, 20, 20)
    (0.4, 0.4)
    """
    import scipy  # its parts load when they are used

    # The least and the greatest share that neither tail test at 2.5 % rejects: Clopper and
    # Pearson's (1934) interval, with hypergeometric in place of binomial tails.
    count("found", found, 0, count("sample", sample, 1, count("of", of)))
    hypergeom, tail = scipy.stats.hypergeom, (1 - 0.95) / 2
    totals = range(found, of - sample + found + 1)
    low = bisect_left(totals, True, key=lambda n: hypergeom.sf(found - 1, of, n, sample) > tail)
    beyond = bisect_left(totals, True, key=lambda n: hypergeom.cdf(found, of, n, sample) <= tail)
    return totals[low] / of, totals[beyond - 1] / of
