"""A classifier for few texts, of any language: stems of long words, and keywords."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.topics.classifiers import stored
from tres_lib.topics.keywords import KeywordMatcher
from tres_lib.topics.vectors import UNSPACED, fold, tokenize

LONG = 6  # letters; shorter words are mostly those that any text of the language has
STEM = 5  # letters
FEWEST = 3  # texts of each class from which the weights are fitted
MANY = 50  # irrelevant texts beside which a single relevant one will do
HITS = 3  # keyword occurrences that count
NEUTRAL = 1.5  # keyword occurrences at which a text without examples is as likely relevant as not
STEEPNESS = 4.0  # logits between a text unlike the examples and one like them
USUAL_SHARE = 1.25  # of the usual cosine, at which similarity speaks neither for nor against
COST = 10.0  # C of the regression
TYPICAL = 0.2  # cosine of relevant texts where a single example leaves none to compare


class FewTexts:
    """Relevance from keywords and a few texts, in any language, without word vectors.

    Features are the first five letters of words of six letters or more, and pairs of characters in
    scripts without blanks: without texts on other subjects only length says which words are common.
    With three relevant and three irrelevant texts it is a logistic regression on these stems and on
    the number of keyword occurrences. With fewer, the logit is the number of keyword occurrences
    (at most 3) less 1.5. Relevant texts add by how far the cosine with their mean exceeds what is
    usual among them.

    Examples
    --------
    >>> few = FewTexts(["Oper", "Geige"]).fit(["Die Oper von Wien", "Eine Geige spielt"], [1, 1])
    >>> few.proba(["In der OPER spielt eine Geige.", "Der Fluss ist breit."]) >= 0.5
    array([ True, False])
    """

    def __init__(self, keywords: Iterable[str]):
        self.keywords = list(keywords)
        self._matcher = KeywordMatcher(self.keywords)
        self._weights: np.ndarray | None = None
        self._vectorizer: Any = None  # a TfidfVectorizer, if there is a relevant text

    def fit(
        self,
        texts: Sequence[str],
        labels: ArrayLike,
        groups: ArrayLike | None = None,
        background: Sequence[str] = (),
    ) -> Self:
        """Learn from n texts and labels (n,), also from none; `groups` is not used.

        The `background`, texts of the same language, shows which stems are common.
        """
        relevant = np.asarray(labels, bool)
        if relevant.shape != (len(texts),):
            raise ValueError(f"labels: shape {relevant.shape}; give one for each text")
        self._weights, self._keyword_weight, self._bias = np.zeros(0), 1.0, -NEUTRAL
        if relevant.any():
            vocabulary = sorted({stem for text in texts for stem in stems(text)}) or [""]
            self._vectorizer = _vectorizer(vocabulary, np.ones(len(vocabulary)))
            if background:  # it shows how rare a stem is
                self._vectorizer.fit([*texts, *background])
            x = self._vectorizer.transform(texts)
            bad = (~relevant).sum()
            if min(relevant.sum(), bad) >= FEWEST or bad >= MANY:
                self._regress(x, self._hits(texts), relevant)
            else:
                self._compare(x[relevant].toarray(), x[~relevant].toarray())
        return self

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability (n,) that each text is relevant."""
        weights = stored.fitted(self._weights)
        logits = self._bias + self._keyword_weight * self._hits(texts)
        if len(weights) and len(texts):
            logits = logits + self._vectorizer.transform(texts) @ weights
        return 0.5 * (1.0 + np.tanh(0.5 * logits))

    def save(self, directory: str | Path) -> None:
        """Write keywords and stems as JSON, weights as safetensors; ValueError before `fit`."""
        arrays, words = {"weights": stored.fitted(self._weights)}, []
        if len(arrays["weights"]):
            words, arrays["idf"] = self._vectorizer.get_feature_names_out(), self._vectorizer.idf_
        facts = {"keyword_weight": self._keyword_weight, "bias": self._bias}
        about = {"keywords": self.keywords, "stems": list(words), **facts}
        stored.write_classifier(directory, self, arrays, **about)

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        about, arrays = (
            stored.read_description(directory, cls.__name__),
            stored.read_arrays(directory),
        )
        few = cls(about["keywords"])
        few._weights, few._keyword_weight = arrays["weights"], about["keyword_weight"]
        few._bias = about["bias"]
        if about["stems"]:
            few._vectorizer = _vectorizer(about["stems"], arrays["idf"])
        return few

    def _hits(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([min(HITS, self._matcher.count(text)) for text in texts], float)

    def _regress(self, x: Any, hits: np.ndarray, relevant: np.ndarray) -> None:
        """Fit weights of stems and keywords, for classes of the same weight."""
        from scipy.sparse import csr_array, hstack, vstack
        from sklearn.linear_model import LogisticRegression

        # Two texts without a stem: irrelevant without keywords, relevant with three.
        empty = csr_array((2, x.shape[1]))
        count = csr_array(np.append(hits, [0, HITS])[:, None] / HITS)
        features = hstack([vstack([x, empty]), count], format="csr")
        model = LogisticRegression(C=COST, class_weight="balanced", max_iter=1000)
        model.fit(features, np.append(relevant, [False, True]))
        self._weights = model.coef_[0, :-1].copy()
        self._keyword_weight = float(model.coef_[0, -1] / HITS)
        self._bias = float(model.intercept_[0])

    def _compare(self, good: np.ndarray, bad: np.ndarray) -> None:
        """Set weights by the mean relevant text, and by what cosine is usual among them."""
        centre = good.mean(axis=0) - (0.5 * bad.mean(axis=0) if len(bad) else 0.0)
        usual = TYPICAL
        if len(good) > 1:
            others = (good.sum(axis=0) - good) / (len(good) - 1)
            usual = max(float(np.median((good * others).sum(axis=1))), 0.01)
        self._weights = STEEPNESS * centre / usual
        self._bias -= STEEPNESS * USUAL_SHARE


def stems(text: str) -> list[str]:
    """Return the first letters of long words, and pairs of characters in scripts without blanks."""
    made: list[str] = []
    for word in tokenize(fold(text)):
        if UNSPACED.search(word):
            made += map("".join, pairwise(word))
        elif len(word) >= LONG:
            made.append(word[:STEM])
    return made


def _vectorizer(vocabulary: Sequence[str], idf: np.ndarray) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    made = TfidfVectorizer(analyzer=stems, sublinear_tf=True, vocabulary=vocabulary)
    made.idf_ = idf
    return made
