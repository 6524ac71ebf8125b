"""Linear SVM on tf-idf, the page classifier of ACHE that TRES is compared with (Table 1)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

from tres_webs.checks import count, generator, instance, number, positive

from ...numerics import exp, log, logistic
from ..vectors import tokenize
from . import stored

FLAT = 1e-6  # precision of the logistic curve's slope around 0


@dataclass(frozen=True)
class SvmSettings:
    """Training of the SVM."""

    cost: float = 0.03  # C of the hinge loss
    longest_ngram: int = 1  # features are runs of up to so many words
    min_texts: int = 2  # that occur in at least so many texts
    folds: int = 5  # held out to fit the logistic curve from margin to probability (Platt 1999)
    # There relevant examples have the weight (irrelevant / relevant) ** positive_power: 0 keeps the
    # natural odds, 1 balances the classes.
    positive_power: float = 0.25

    def __post_init__(self) -> None:
        positive("cost", self.cost)
        count("longest_ngram", self.longest_ngram)
        count("min_texts", self.min_texts)
        count("folds", self.folds, 2)
        number("positive_power", self.positive_power, 0)


class SvmClassifier:
    """Class-balanced linear SVM on tf-idf with Platt's probabilities; `rng` decides the folds.

    Examples
    --------
    >>> texts = ["the team scored a goal", "a goal for the team", "the law of the king", "law"]
    >>> svm = SvmClassifier(SvmSettings(cost=1.0, folds=2)).fit(texts, [True, True, False, False])
    >>> svm.proba(["team goal", "the law"]) >= 0.5
    array([ True, False])
    """

    def __init__(self, settings: SvmSettings | None = None, rng: int | np.random.Generator = 0):
        self.settings = settings or SvmSettings()
        instance("settings", self.settings, SvmSettings)
        self.seed = int(generator("rng", rng).integers(2**31))
        self._tfidf: stored.TfIdf | None = None

    def fit(self, texts: Sequence[str], labels: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn the hyperplane and, from held-out margins, its probabilities."""
        relevant = stored.check_examples(texts, labels)
        tfidf = stored.TfIdf.fit(self._analyzer(), texts, min_texts=self.settings.min_texts)
        features = tfidf.rows(texts)
        # The dual solver calls no BLAS, which rounds as the processor likes.
        svm = LinearSVC(
            C=self.settings.cost, class_weight="balanced", dual=True, random_state=self.seed
        )
        folds = stored.stratified_folds(relevant, groups, self.settings.folds, self.seed)
        margins = cross_val_predict(svm, features, relevant, cv=folds, method="decision_function")
        odds = (~relevant).sum() / relevant.sum()
        weights = np.where(relevant, exp(self.settings.positive_power * log(odds)), 1.0)
        tight = np.array([0.0, FLAT])
        bias, [slope] = stored.likeliest(csr_array(margins[:, None]), 0.0, relevant, weights, tight)
        # Each text by the folds that it is not in; not saved.
        self.held_out = logistic(bias + slope * margins)
        svm.fit(features, relevant)
        # One affine map of the features: the logistic curve is folded into the hyperplane.
        return self._adopt(tfidf, slope * svm.coef_[0], float(slope * svm.intercept_[0] + bias))

    def _adopt(self, tfidf: stored.TfIdf, weights: np.ndarray, bias: float) -> Self:
        self._tfidf, self._weights, self._bias = tfidf, weights, bias
        return self

    def _analyzer(self) -> Any:
        """Return what makes words, and runs of them, of a text."""
        ngrams = 1, self.settings.longest_ngram
        words = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=ngrams)
        return words.build_analyzer()

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability (n,) that each text is relevant."""
        return logistic(stored.fitted(self._tfidf).products(texts, self._weights) + self._bias)

    def save(self, directory: str | Path) -> None:
        """Write settings and words as JSON, weights as safetensors; ValueError before `fit`."""
        tfidf = stored.fitted(self._tfidf)
        arrays = {"weights": self._weights, "idf": tfidf.idf}
        more = {"seed": self.seed, "vocabulary": tfidf.words, "bias": self._bias}
        stored.write_classifier(directory, self, arrays, settings=asdict(self.settings), **more)

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        description = stored.read_description(directory, cls.__name__)
        arrays = stored.read_arrays(directory)
        classifier = cls(SvmSettings(**description["settings"]))
        classifier.seed = description["seed"]
        tfidf = stored.TfIdf(classifier._analyzer(), description["vocabulary"], arrays["idf"])
        return classifier._adopt(tfidf, arrays["weights"], description["bias"])
