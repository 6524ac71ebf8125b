"""What SB-CLASSIFIER learns of links: groups of their tag paths, and which URLs are targets."""

from collections import Counter
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from ...numerics import exp
from ..frontier import grown

BUCKETS = 4096  # 2^m: of n-grams of tags
START, END = "^", "$"  # of a path
PAIRS = 128 * 128  # of ASCII characters
RATE, SLOWER = 10.0, 1_000.0  # learning rate at first, and examples after which it is half of that
STEEP = 500.0  # margin beyond which a probability is as good as 0 or 1


class PathGroups:
    """Groups of similar tag paths: a path joins the nearest one, or founds one of its own.

    A path is a bag of n-grams of its tags, as shares of all, hashed. A group is the sum of its
    paths. Only plain sums and products are used, so that processors agree.
    """

    def __init__(self, grams: int, similarity: float):
        self._grams = grams
        self._similarity = similarity
        self._group_of: dict[str, int] = {}  # by path
        self._n = 0
        self._sums = np.zeros((0, BUCKETS))  # by group
        self._norms = np.zeros(0)  # squared, of the sums

    def __len__(self) -> int:
        return self._n

    def of(self, path: str) -> int:
        """Return the number of a path's group."""
        group = self._group_of.get(path)
        if group is None:
            group = self._group_of[path] = self._join(n_grams(path, self._grams))
        return group

    def _join(self, shares: dict[int, float]) -> int:
        products = np.zeros(self._n)
        for bucket, share in shares.items():
            products += share * self._sums[: self._n, bucket]
        own = sum(share * share for share in shares.values())
        cosines = products / np.sqrt(own * self._norms[: self._n])
        group = int(np.argmax(cosines)) if self._n else 0
        if not self._n or cosines[group] < self._similarity:
            group = self._n
            self._n += 1
            self._sums, self._norms = (grown(a, self._n) for a in (self._sums, self._norms))
            products = np.zeros(self._n)
        self._norms[group] += own + 2 * products[group]
        for bucket, share in shares.items():
            self._sums[group, bucket] += share
        return group


def n_grams(path: str, n: int) -> dict[int, float]:
    """Return the share of each bucket in the n-grams of a path's tags, with its start and end."""
    tags = [START, *path.split(), END]
    grams = [" ".join(tags[i : i + n]) for i in range(max(len(tags) - n, 0) + 1)]
    counts = Counter(crc32(gram.encode()) % BUCKETS for gram in grams)
    return {bucket: times / len(grams) for bucket, times in counts.items()}


class UrlClassifier:
    """Logistic regression on the pairs of characters of a URL, learnt by stochastic gradient.

    The steps are those of scikit-learn's SGDClassifier at its defaults, which the source takes: the
    rate falls from 10, and examples are taken one by one. Its weak pull of weights to 0 is left
    out. Sums keep their order and the exponential is our own, so that processors agree.
    """

    def __init__(self, batch: int):
        self._batch = batch
        self._waiting: list[tuple[str, bool]] = []
        self._weights = np.zeros(PAIRS)
        self._bias = 0.0
        self.n = 0  # examples learnt

    def learn(self, url: str, is_target: bool) -> None:
        """Take in an example, and with it the batch if it is the last one."""
        self._waiting.append((url, is_target))
        if len(self._waiting) < self._batch:
            return
        for known, label in self._waiting:
            margin = float(np.clip(self.margins([known])[0], -STEEP, STEEP))
            step = RATE / (1 + self.n / SLOWER) * (label - 1 / (1 + exp(-margin)))
            np.add.at(self._weights, pairs(known), step)
            self._bias += step
            self.n += 1
        self._waiting.clear()

    def takes_for_targets(self, urls: Sequence[str]) -> np.ndarray:
        """Return which URLs are likely targets, (n,) bool; none before the first batch."""
        return self.margins(urls) > 0 if self.n else np.zeros(len(urls), bool)

    def margins(self, urls: Sequence[str]) -> np.ndarray:
        """Return the log-odds that each URL is a target, (n,)."""
        found = [pairs(url) for url in urls]
        rows = np.repeat(np.arange(len(urls)), [len(of) for of in found])
        weights = self._weights[np.concatenate(found)]
        return np.bincount(rows, weights, minlength=len(urls)) + self._bias


def pairs(url: str) -> np.ndarray:
    """Return the numbers of the pairs of characters in a URL, in lower case, (n,)."""
    codes = np.frombuffer(url.lower().encode("ascii", "replace"), np.uint8).astype(np.int64)
    return codes[:-1] * 128 + codes[1:]
