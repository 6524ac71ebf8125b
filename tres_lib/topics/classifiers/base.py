"""Relevance classifiers: the protocol, those that callers give, and the texts that they read."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import count
from tres_webs.page import Link, Page
from tres_webs.urls import url_words

ROUNDING = 1e-6  # by which a softmax of float32 may leave [0, 1]
FORMS = (
    "give an object with proba(texts) or predict_proba(texts), as a fitted scikit-learn Pipeline "
    "over texts has, or a function of texts; each returns one probability a text"
)


class Scorer(Protocol):
    """Gives the probability that a text is relevant."""

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability that each text is relevant, (n,) float64."""


class RelevanceClassifier(Scorer, Protocol):
    """Gives the probability that a text is relevant; TRES's reward is 1 iff it is at least 0.5.

    KwBiLSTM and SvmClassifier can also be stored: ``save(directory)``, and ``load(directory)``.
    """

    def fit(self, texts: Sequence[str], labels: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn from texts whether each is relevant, (n,) bool, and return the classifier itself.

        Texts of one group share a validation fold.
        """


class CheckedClassifier:
    """A classifier whose answers are checked: n probabilities, or a ValueError with its name."""

    def __init__(self, ask: Callable[[list[str]], Any], name: str):
        self._ask = ask
        self._name = name

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the answer (n,); ValueError if it is not one number from 0 to 1 for each text."""
        asked = list(texts)
        return probabilities(self._name, self._ask(asked), len(asked)) if asked else np.zeros(0)


class CachedScorer:
    """A classifier, fitted (see `as_classifier`), that remembers its scores, 16 bytes a slot.

    Crawls on one topic may share it if a text's probability does not depend on its batch.

    Examples
    --------
    >>> class Length:
    ...     def proba(self, texts):
    ...         return np.array([len(text) / 10 for text in texts])
    >>> CachedScorer(Length()).proba(["goal", "goals"])
    array([0.4, 0.5])
    """

    def __init__(self, classifier: Any, slots: int = 2**20):
        if count("slots", slots) & (slots - 1):
            raise ValueError(f"slots={slots}: use a power of two, such as 2**20")
        self.classifier = as_classifier(classifier)
        # By hash: of two texts on one slot the later stays.
        self._digests = np.zeros(slots, np.int64)  # 0: free
        self._scores = np.zeros(slots)

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability (n,) of each text, from the cache if it is there."""
        digests = np.fromiter(map(hash, texts), np.int64) | 1
        slots = digests >> 1 & len(self._digests) - 1
        scores = self._scores[slots]
        new = np.flatnonzero(self._digests[slots] != digests)
        if len(new):
            text_of: dict[int, str] = {}  # texts are asked for once, as they come
            for i, digest in zip(new.tolist(), digests[new].tolist(), strict=True):
                text_of.setdefault(digest, texts[i])
            asked = dict(zip(text_of, self.classifier.proba(list(text_of.values())), strict=True))
            scores[new] = [asked[digest] for digest in digests[new].tolist()]
            self._digests[slots[new]], self._scores[slots[new]] = digests[new], scores[new]
        return scores


def as_classifier(classifier: Any, name: str = "classifier") -> Any:
    """Return a `Scorer` of a classifier in any usual form; it raises ValueError for odd answers.

    The forms are an object with ``proba(texts)``, or with scikit-learn's ``predict_proba(texts)``;
    or a function of texts. Texts come as a list; there is one probability a text.

    Examples
    --------
    >>> says_jazz = as_classifier(lambda texts: ["jazz" in text for text in texts])
    >>> says_jazz.proba(["jazz songs", "taxes"])
    array([1., 0.])
    """
    if isinstance(classifier, (CheckedClassifier, CachedScorer)):
        return classifier
    if isinstance(classifier, type):
        raise ValueError(f"{name}={classifier!r} is a class; give an object of it, fitted")
    if callable(getattr(classifier, "proba", None)):
        return CheckedClassifier(classifier.proba, name)
    if callable(getattr(classifier, "predict_proba", None)):
        return CheckedClassifier(lambda texts: _relevant_column(classifier, texts, name), name)
    if hasattr(classifier, "decision_function"):
        remedy = "its margins are no probabilities; wrap it in sklearn's CalibratedClassifierCV"
        raise ValueError(f"{name}={classifier!r}: {remedy}")
    if not callable(classifier):
        raise ValueError(f"{name}={classifier!r}: {FORMS}")
    return CheckedClassifier(classifier, name)


def kind_of(classifier: Any) -> str:
    """Return the name of a classifier's class, without the cache and the checks around it."""
    if isinstance(classifier, CachedScorer):
        classifier = classifier.classifier
    if isinstance(classifier, CheckedClassifier):
        classifier = getattr(classifier._ask, "__self__", classifier)
    return type(classifier).__name__


def probabilities(name: str, answer: Any, n: int) -> np.ndarray:
    """Return an answer as (n,) float64; ValueError unless it is n numbers from 0 to 1."""
    try:
        array = np.asarray(answer)
    except Exception as error:  # whatever a tensor on another device raises
        raise ValueError(f"{name}: {type(answer).__name__} is no array ({error})") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} gave {str(answer)[:80]!r} for {n} texts, not numbers; {FORMS}")
    if array.shape != (n,):
        raise ValueError(f"{name} gave an array of shape {array.shape} for {n} texts, not ({n},)")
    p = array.astype(np.float64)
    if not (p.min() >= 0 and p.max() <= 1):  # NaN fails too
        wrong = p[~((p >= -ROUNDING) & (p <= 1 + ROUNDING))]
        if len(wrong):
            raise ValueError(f"{name} gave {wrong[0]} for a text; give probabilities from 0 to 1")
        p = p.clip(0, 1)
    return p


def _relevant_column(classifier: Any, texts: list[str], name: str) -> Any:
    answer = np.asarray(classifier.predict_proba(texts))
    # The column of "relevant", or else the last one, which is that of True and 1.
    classes = [str(label) for label in getattr(classifier, "classes_", ())]
    which = classes.index("relevant") if "relevant" in classes else -1
    if answer.ndim != 2 or answer.shape[1] < 2 or (answer.shape[1] > 2 and which < 0):
        problem = f"gave an array of shape {answer.shape} for {len(texts)} texts"
        raise ValueError(f"{name}: predict_proba {problem}; give one of two classes, (n, 2)")
    return answer[:, which]


def page_text(page: Page) -> str:
    """Return the text by which a page is classified: its title, the words of its URL, its body.

    Examples
    --------
    >>> from tres_webs import Page
    >>> page_text(Page("http://a.example/team-news/", 200, "Title", "Body.", ()))
    'Title team news Body.'
    """
    return " ".join(filter(None, (page.title, url_words(page.url), page.text)))


def anchor_text(link: Link) -> str:
    """Return the text by which an unfetched link is classified: its anchor, its URL's words.

    Examples
    --------
    >>> from tres_webs import Link
    >>> anchor_text(Link("http://a.example/team-news/", "Read more"))
    'Read more team news'
    """
    return " ".join(filter(None, (link.anchor, url_words(link.url))))
