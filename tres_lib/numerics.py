"""Compiled loops that give the same bits on every processor.

LLVM may join a product and a sum into one rounding where the processor can, so that equal code
gives other last digits on another machine. Here nothing is joined unless `fma` says so, sums
keep their order, and no function of the system's mathematical library is called.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numba.extending import intrinsic

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # the first has 21 zero bits
ROOT_HALF = math.sqrt(0.5)
TAYLOR = tuple(1 / math.factorial(k) for k in range(13, -1, -1))
ATANH = tuple(2 / (2 * k + 1) for k in range(11, -1, -1))  # of 2 atanh(s) / s, by s squared

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
