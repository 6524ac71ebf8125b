"""ACHE's link classifier: does a link with these words lead to a relevant page?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .link_words import BUCKETS, FIELDS

SELECTED = {"around": 100, "url": 150, "anchor": 150}  # most frequent words that become features
RARE = 5  # a word of so few training links is no feature...
RARE_AMONG_FEW = 1  # ...or of so few, where no word has more than FEW
FEW = 10
COST = 1.0  # C of the SVM


@dataclass(frozen=True)
class LinkClassifier:
    """A linear SVM over selected words, each there or not.

    words : (k,) int32, rising; the numbers of `link_words.words_of`.
    weights : (k,) float64.
    bias : float
    """

    words: np.ndarray
    weights: np.ndarray
    bias: float

    @classmethod
    def fit(
        cls, words: np.ndarray, rows: np.ndarray, labels: np.ndarray, seed: int
    ) -> LinkClassifier | None:
        """Learn from links; None if their words give no feature.

        Parameters
        ----------
        words, rows : (m,) int
            As `LinkWords.of` gives them.
        labels : (n,) bool
            Whether the link of each row led to a relevant page; both kinds occur.
        seed : int
        """
        from scipy.sparse import csr_array
        from sklearn.svm import LinearSVC

        features = select(words)
        if not len(features):
            return None
        columns = np.searchsorted(features, words)
        known = features[np.minimum(columns, len(features) - 1)] == words
        ones = np.ones(np.count_nonzero(known))
        places = rows[known].astype(np.int32), columns[known].astype(np.int32)
        x = csr_array((ones, places), (len(labels), len(features)))
        svm = LinearSVC(C=COST, random_state=seed).fit(x, labels)
        return cls(features, svm.coef_[0], float(svm.intercept_[0]))

    def scores(self, words: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
        """Margin (n,) of each link, the higher the likelier relevant."""
        columns = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        weights = np.where(self.words[columns] == words, self.weights[columns], 0.0)
        return np.bincount(rows, weights, minlength=n) + self.bias


def select(words: np.ndarray) -> np.ndarray:
    """The words that become features, rising: the most frequent ones of each field."""
    numbers, counts = np.unique(words, return_counts=True)
    chosen = []
    for field, name in enumerate(FIELDS):
        mine = np.flatnonzero(numbers // BUCKETS == field)
        rare = RARE if counts[mine].max(initial=0) > FEW else RARE_AMONG_FEW
        mine = mine[counts[mine] > rare]
        order = np.argsort(-counts[mine], kind="stable")[: SELECTED[name]]
        chosen.append(numbers[mine[order]])
    return np.sort(np.concatenate(chosen))
