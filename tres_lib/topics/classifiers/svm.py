"""Linear SVM on tf-idf, the page classifier of ACHE that TRES is compared with (Table 1)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

from ...checks import count, generator, instance, number, positive
from .evaluation import stratified_folds
from .stored import check_examples, fitted, read_arrays, read_description, tfidf, write_classifier


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
    """Class-balanced linear SVM on tf-idf with Platt's probabilities.

    Its `rng` decides the held-out folds. After `fit`, `held_out` (n,) has each text's probability
    by the folds that it is not in; it is not saved.

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
        self._vectorizer: Any = None  # a TfidfVectorizer once fitted

    def fit(self, texts: Sequence[str], labels: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn the hyperplane and, from held-out margins, its probabilities."""
        relevant = check_examples(texts, labels)
        ngrams = 1, self.settings.longest_ngram
        vectorizer = tfidf(ngram_range=ngrams, min_df=self.settings.min_texts)
        features = vectorizer.fit_transform(texts)
        svm = LinearSVC(C=self.settings.cost, class_weight="balanced", random_state=self.seed)
        folds = stratified_folds(relevant, groups, self.settings.folds, self.seed)
        margins = cross_val_predict(svm, features, relevant, cv=folds, method="decision_function")
        odds = (~relevant).sum() / relevant.sum()
        weights = np.where(relevant, odds**self.settings.positive_power, 1.0)
        platt = LogisticRegression(C=1e6).fit(margins[:, None], relevant, sample_weight=weights)
        self.held_out = platt.predict_proba(margins[:, None])[:, 1]
        svm.fit(features, relevant)
        # One affine map of the features: the logistic curve is folded into the hyperplane.
        slope = platt.coef_[0, 0]
        bias = float(slope * svm.intercept_[0] + platt.intercept_[0])
        return self._adopt(vectorizer, slope * svm.coef_[0], bias)

    def _adopt(self, vectorizer: Any, weights: np.ndarray, bias: float) -> Self:
        self._vectorizer, self._weights, self._bias = vectorizer, weights, bias
        self._analyze = vectorizer.build_analyzer()
        return self

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability (n,) that each text is relevant."""
        fitted(self._vectorizer)
        logits = np.array([self._logit(text) for text in texts], float)
        return 0.5 * (1.0 + np.tanh(0.5 * logits))

    def _logit(self, text: str) -> float:
        # The vectorizer's own checks take a millisecond a text, and a crawl scores one at a time.
        number = self._vectorizer.vocabulary_
        counts = Counter(number[term] for term in self._analyze(text) if term in number)
        if not counts:
            return self._bias
        terms = np.fromiter(counts, np.int64)
        values = (1 + np.log(np.fromiter(counts.values(), float))) * self._vectorizer.idf_[terms]
        return self._bias + values @ self._weights[terms] / np.sqrt(values @ values)

    def save(self, directory: str | Path) -> None:
        """Write settings and words as JSON, weights as safetensors; ValueError before `fit`."""
        vocabulary = fitted(self._vectorizer).get_feature_names_out().tolist()
        arrays = {"weights": self._weights, "idf": self._vectorizer.idf_}
        more = {"seed": self.seed, "vocabulary": vocabulary, "bias": self._bias}
        write_classifier(directory, self, arrays, settings=asdict(self.settings), **more)

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        description = read_description(directory, cls.__name__)
        arrays = read_arrays(directory)
        classifier = cls(SvmSettings(**description["settings"]))
        classifier.seed = description["seed"]
        ngrams = 1, classifier.settings.longest_ngram
        vectorizer = tfidf(ngram_range=ngrams, vocabulary=description["vocabulary"])
        vectorizer.idf_ = arrays["idf"]
        return classifier._adopt(vectorizer, arrays["weights"], description["bias"])
