"""Which words of a text move a classifier."""

from typing import Any

import numpy as np
import pandas as pd

from tres_lib.checks import count
from tres_lib.topics.classifiers.base import as_classifier
from tres_lib.topics.vectors import UNSPACED, tokenize

MOST = 400  # distinct words that are tried, the most frequent
SHORTEST = 3  # letters of a word that tells something
EDGE = 1e-9  # probabilities nearer to 0 or 1 count as so near


def word_weights(classifier: Any, text: str, n: int = 10) -> pd.DataFrame:
    """Return the words of a text without which the log-odds of its probability would change most.

    The commonest English words and those of one or two letters are not tried.

    Parameters
    ----------
    classifier : RelevanceClassifier, object or callable
        See `as_classifier`.
    text : str
    n : int

    Returns
    -------
    DataFrame
        Columns ``word`` and ``weight``: the log-odds ln(p / (1 - p)) of the text less those of the
        text without the word; the n largest by absolute value, first the largest. They tell words
        apart where the probability itself, near 0 or 1, hardly moves.

    Examples
    --------
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return np.array([0.9 if "jazz" in text else 0.2 for text in texts])
    >>> word_weights(SaysJazz(), "A jazz band, all jazz", 1).round(2).values.tolist()
    [['jazz', 3.58]]
    """
    classifier = as_classifier(classifier)
    count("n", n)
    words = tokenize(text)
    counts = pd.Series(words, dtype=str).value_counts()
    tried = list(filter(_tells, counts.index))[:MOST]
    without = [" ".join(word for word in words if word != one) for one in tried]
    p = np.clip(classifier.proba([" ".join(words), *without]), EDGE, 1 - EDGE)
    odds = np.log(p / (1 - p))
    table = pd.DataFrame({"word": tried, "weight": odds[0] - odds[1:]})
    order = np.argsort(-table["weight"].abs(), kind="stable")
    return table.iloc[order[:n]].reset_index(drop=True)


def _tells(word: str) -> bool:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    long_enough = len(word) >= SHORTEST or UNSPACED.search(word) is not None
    return long_enough and word not in ENGLISH_STOP_WORDS
