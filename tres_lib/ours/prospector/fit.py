"""The fit of the logistic model, compiled, with the same bits on every processor."""

import numpy as np

from ...numerics import compiled, dot64, exp, log
from .evidence import NONE


@compiled
def posterior(theta, x, words, y, mean, precision, free):
    """Return the negative logarithm of the posterior, and its gradient, (k + m,).

    theta (k + m,) has the weights of k features and m words. Of n examples, x (n, k) has the
    features, words (n, l) the words, numbers below m ended by NONE, and y (n,) the labels from 0 to
    1. The prior has a mean and a precision for each weight; only `free` weights may move.
    """
    n, k = x.shape
    value, gradient = 0.0, np.zeros(len(theta))
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
    return value, gradient


@compiled
def log_odds(weights, of_words, x, words):
    """Return f of an example, by the weights of features and of all words."""
    f = dot64(weights, x)
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
