"""The logistic model of a URL: its features, its prior, its fit.

A URL u has f(u) = w . phi(u) + the sum of v_t over its words t, and its page is relevant with
probability 1 / (1 + exp(-f(u))). `FEATURES` lists phi with the prior mean of each weight, fitted on
development webs; those of words are 0. Most features are rates of relevant pages, shrunk by two
pseudo-pages of share .3:

    rate(g, n) = logit((g + 2 * .3) / (n + 2)),    logit(p) = ln(p / (1 - p)),

where g sums the labels of n fetched pages: those that link to u, those linked beside it, those of
its site, and those that link into its site. A label is the classifier's probability that a page is
relevant. `Model.fit` finds the weights of the highest posterior density.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...focused.frontier import grown
from ...numerics import compiled, log, minimize
from . import evidence as of
from .evidence import NONE, WORDS, Tables
from .fit import log_odds, posterior
from .words import BUCKETS

SHARE, PSEUDO = 0.3, 2.0  # rates are shrunk to this share by so many pseudo-pages
STEPS = 25  # of L-BFGS, at most; it starts from the weights at hand
SD, SD_OF_CONSTANT = 0.5, 3.0  # of the weights' prior; a weight with deviation 0 stays at its mean

# phi(u), and the prior mean of each weight: rounded means of what was fitted on development webs.
FEATURES = {
    "constant": -1.0,
    "best anchor": 0.6,  # logit of the highest anchor probability (feature 5), within .01 to .99
    "mean anchor": 0.0,  # mean of those logits over all links to it
    "parents": 0.8,  # rate(labels of the pages that link to it, their number)
    "relevant parents": -0.1,  # ln(1 + those labels)
    "number of parents": -0.1,  # ln(1 + that number)
    "relevant parents abroad": 0.4,  # ln(1 + labels of parents on other sites)
    "beside": 0.3,  # rate(labels of fetched pages with links beside those to it, their number)
    "site": 0.3,  # rate(labels of the pages fetched from its site, their number)
    "pages of the site": -0.2,  # ln(1 + that number)
    "pointers": 0.3,  # rate(labels of other sites' pages that link into its site, their number)
    "anchors of the site": 0.0,  # mean of the best anchors of its URLs
    "link from its own site": 0.1,  # 0 or 1, as what follows
    "keyword in its URL": 0.1,
    "keyword in an anchor": 0.0,
    "empty anchor": 0.0,
    "front page": -1.0,
}
PRIOR = np.array(list(FEATURES.values()))
N_FEATURES = len(FEATURES)


class Weights(NamedTuple):
    """Weights of features, (n_features,), and of words, (BUCKETS,)."""

    features: np.ndarray
    words: np.ndarray


class Model:
    """The weights of f(u), and the examples that they are fitted to, `n` in number.

    Features named in `without` have weight 0, and so have all words unless `words`. The others
    start from `PRIOR` and are drawn to it; without `pretrained`, both are 0. `history` has the
    weights of the features, (n_features,), by the number of examples that they were fitted to.
    """

    def __init__(
        self, without: Sequence[str] = (), pretrained: bool = True, words: bool = True
    ) -> None:
        out = np.isin(list(FEATURES), without)
        self._mean = np.where(out, 0.0, PRIOR if pretrained else 0.0)
        self._sd = np.where(out, 0.0, SD)
        self._sd[0] = SD_OF_CONSTANT
        self._sd_of_words = SD if words else 0.0
        self.weights = Weights(self._mean.copy(), np.zeros(BUCKETS, np.float32))
        self.history = {0: self.weights.features}
        self.n = 0
        self._x = np.zeros((0, len(PRIOR)), np.float32)
        self._words = np.zeros((0, WORDS), np.int32)
        self._y = np.zeros(0, np.float32)

    def add(self, x: np.ndarray, words: np.ndarray, label: float) -> None:
        """Add an example: the evidence on a URL when it was chosen, and its page's label."""
        i = self.n
        self.n += 1
        self._x, self._words, self._y = (grown(a, self.n) for a in (self._x, self._words, self._y))
        self._x[i], self._words[i], self._y[i] = x, words, label

    def words_met(self) -> list[int]:
        """Return the numbers of the examples' words, each once."""
        met = np.unique(self._words[: self.n])
        return met[met != NONE].tolist()

    def fit(self) -> None:
        """Fit the weights to all examples, by L-BFGS: the maximum a posteriori.

        Minimise sum_i [ln(1 + exp f_i) - y_i f_i] + 1/2 sum_j (w_j - m_j)^2 / sd_j^2, where m is
        `PRIOR` for features (0 unless pre-trained), and 0 for words.
        """
        n, k = self.n, len(PRIOR)
        met, words = np.unique(np.append(self._words[:n], NONE), return_inverse=True)
        words = words[:-1].reshape(n, -1) - 1  # so that NONE, the least number, is -1 again
        met = met[1:]
        mean = np.append(self._mean, np.zeros(len(met)))
        sd = np.append(self._sd, np.full(len(met), self._sd_of_words))
        free = sd > 0
        precision = np.divide(1, sd**2, out=np.zeros_like(sd), where=free)
        start = np.append(self.weights.features, self.weights.words[met])
        facts = self._x[:n], words, self._y[:n], mean, precision, free
        best = minimize(lambda weights: posterior(weights, *facts), start, STEPS)
        self.weights.words[met] = best[k:]
        self.weights = self.weights._replace(features=best[:k])
        self.history[n] = best[:k]

    def examples(self) -> dict[str, list]:
        """Return the examples: the words' numbers, -1 where a row has fewer, and the labels."""
        return {"words": self._words[: self.n].tolist(), "y": self._y[: self.n].tolist()}


@compiled
def rescore(score: np.ndarray, urls: np.ndarray, t: Tables, weights: Weights) -> None:
    """Set f(u) of these URLs, but of those whose score is -inf."""
    x = np.empty(len(weights.features))
    for u in urls:
        if score[u] != -np.inf:
            phi(t, u, x)
            score[u] = log_odds(weights.features, weights.words, x, t.words[u])


@compiled
def mean_phi(t: Tables, urls: np.ndarray) -> np.ndarray:
    """Return the mean features of some URLs, (n_features,)."""
    x, total = np.empty(N_FEATURES), np.zeros(N_FEATURES)
    for u in urls:
        phi(t, u, x)
        total += x
    return total / len(urls)


@compiled
def phi(t: Tables, u: int, x: np.ndarray) -> None:
    """Write the features of a URL, in the order of `FEATURES`, into x."""
    url, site = t.url[u], t.site[t.site_of[u]]
    n = url[of.PARENTS]
    x[0] = 1.0
    x[1] = url[of.BEST]
    x[2] = url[of.SUM] / n
    x[3] = _rate(url[of.LABELS], n)
    x[4] = log(1.0 + url[of.LABELS])
    x[5] = log(1.0 + n)
    x[6] = log(1.0 + url[of.ABROAD])
    x[7] = _rate(url[of.NEAR_LABELS], url[of.NEAR])
    x[8] = _rate(site[of.RELEVANT], site[of.FETCHED])
    x[9] = log(1.0 + site[of.FETCHED])
    x[10] = _rate(site[of.POINTING], site[of.POINTERS])
    x[11] = site[of.ANCHORS] / site[of.KNOWN]
    x[12] = url[of.OWN]
    x[13] = url[of.IN_URL]
    x[14] = url[of.IN_ANCHOR]
    x[15] = url[of.EMPTY]
    x[16] = url[of.FRONT]


@compiled
def _rate(labels, n):
    relevant = labels + SHARE * PSEUDO
    return log(relevant / (n + PSEUDO - relevant))
