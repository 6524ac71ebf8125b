"""The fit of the logistic model: L-BFGS, compiled, with the same bits on every processor.

SciPy's would do, but its sums and numpy's exponentials round by the processor, so that a crawl
would take another course on another machine.
"""

import numpy as np

from ...numerics import compiled, exp, log
from .evidence import NONE

MEMORY = 10  # pairs of steps and changes of the gradient that are kept
ENOUGH = 1e-4  # share of the descent that the gradient promises (Armijo)
HALVINGS = 20  # of a step, at most
FLAT = 1e-5  # largest entry of a gradient that is taken for 0
STILL = 2e-9  # relative descent that is taken for none


@compiled
def posterior(theta, x, words, y, mean, precision, free, gradient):
    """Return the negative logarithm of the posterior, and write its gradient, (k + m,).

    theta (k + m,) has the weights of k features and m words. Of n examples, x (n, k) has the
    features, words (n, l) the words, numbers below m ended by NONE, and y (n,) the labels from 0 to
    1. The prior has a mean and a precision for each weight; only `free` weights may move.
    """
    n, k = x.shape
    value = 0.0
    for j in range(len(theta)):
        off = theta[j] - mean[j]
        gradient[j] = precision[j] * off
        value += 0.5 * precision[j] * off * off
    for i in range(n):
        f = log_odds(theta[:k], theta[k:], x[i], words[i])
        tail = exp(-min(abs(f), 700.0))
        value += max(f, 0.0) + log(1.0 + tail) - y[i] * f
        residual = (1.0 if f > 0 else tail) / (1.0 + tail) - y[i]
        for j in range(k):
            gradient[j] += residual * x[i, j]
        for word in words[i]:
            if word == NONE:
                break
            gradient[k + word] += residual
    for j in range(len(theta)):
        if not free[j]:
            gradient[j] = 0.0
    return value


@compiled
def fit(theta, x, words, y, mean, precision, free, steps):
    """Return the weights after at most so many steps of L-BFGS from `theta`; see `posterior`.

    Nocedal and Wright, *Numerical Optimization*, 2006, algorithms 7.4 and 7.5.
    """
    size = len(theta)
    s, t = np.zeros((MEMORY, size)), np.zeros((MEMORY, size))  # steps, changes of the gradient
    theta, new, slope = theta.copy(), theta.copy(), np.zeros(size)
    next_slope = np.zeros(size)
    value = posterior(theta, x, words, y, mean, precision, free, slope)
    for step in range(steps):
        if np.abs(slope).max() <= FLAT:
            break
        way = direction(slope, s, t, step)
        promised = dot(way, slope)
        length = 1.0 if step else min(1.0, 1.0 / np.abs(slope).sum())
        for _ in range(HALVINGS):
            for j in range(size):
                new[j] = theta[j] + length * way[j]
            new_value = posterior(new, x, words, y, mean, precision, free, next_slope)
            if new_value <= value + ENOUGH * length * promised:
                break
            length /= 2
        else:
            break
        row = step % MEMORY  # s . t > 0, as the posterior is strictly convex
        for j in range(size):
            s[row, j], t[row, j] = new[j] - theta[j], next_slope[j] - slope[j]
            theta[j], slope[j] = new[j], next_slope[j]
        descent, value = value - new_value, new_value
        if descent <= STILL * max(abs(value), 1.0):
            break
    return theta


@compiled
def direction(slope, s, t, step):
    """Return minus the inverse Hessian, estimated from the last pairs, times the gradient."""
    way = -slope
    pairs = min(step, MEMORY)
    share = np.zeros(MEMORY)
    for back in range(pairs):
        row = (step - 1 - back) % MEMORY
        share[row] = dot(s[row], way) / dot(s[row], t[row])
        for j in range(len(way)):
            way[j] -= share[row] * t[row, j]
    if pairs:
        row = (step - 1) % MEMORY
        scale = dot(s[row], t[row]) / dot(t[row], t[row])
        for j in range(len(way)):
            way[j] *= scale
    for back in range(pairs - 1, -1, -1):
        row = (step - 1 - back) % MEMORY
        more = share[row] - dot(t[row], way) / dot(s[row], t[row])
        for j in range(len(way)):
            way[j] += more * s[row, j]
    return way


@compiled
def dot(a, b):
    """Return the sum of the products, from left to right."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@compiled
def log_odds(weights, of_words, x, words):
    """Return f of an example, by the weights of features and of all words."""
    f = dot(weights, x)
    for word in words:
        if word == NONE:
            break
        f += of_words[word]
    return f


@compiled
def probability(weights, of_words, x, words):
    """Return 1 / (1 + exp(-f)) of an example; see `log_odds`."""
    f = log_odds(weights, of_words, x, words)
    return 1.0 / (1.0 + exp(-max(min(f, 700.0), -700.0)))


@compiled
def logits(p):
    """Return ln(p / (1 - p)) of each probability."""
    out = np.empty(len(p))
    for i in range(len(p)):
        out[i] = log(p[i] / (1.0 - p[i]))
    return out
