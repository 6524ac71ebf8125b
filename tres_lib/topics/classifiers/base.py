"""The protocol of a relevance classifier, the texts that it scores, and a cache of scores."""

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ...web.page import Link, Page
from ...web.urls import url_words
from ..vectors import tokenize

Part = TypeVar("Part")
DESCRIPTION = "classifier.json"
ARRAYS = "classifier.safetensors"


class RelevanceClassifier(Protocol):
    """Gives the probability that a text is relevant; TRES's reward is 1 iff it is at least 0.5.

    KwBiLSTM and SvmClassifier can be kept as well: ``save(directory)`` makes the directory if need
    be, with ValueError before `fit`; ``load(directory)`` raises it if the directory holds none.
    """

    def fit(self, texts: Sequence[str], labels: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn from labelled texts, and return the classifier itself.

        Parameters
        ----------
        texts : sequence of str, length n
        labels : array_like of bool, shape (n,)
            Whether each text is relevant.
        groups : array_like, shape (n,), optional
            Texts of one group, such as those of one page, share a validation fold.

        Raises
        ------
        ValueError
            If labels and texts differ in number, or a class has fewer members (or groups) than
            there are folds.
        """

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability that each text is relevant.

        Parameters
        ----------
        texts : sequence of str, length n

        Returns
        -------
        array (n,) of float64
        """


class TextCache:
    """A cache of rows of numbers by text, for a crawl meets the same texts again and again.

    A text is known by a digest of 8 bytes, which decides its slot as well. Of two texts on one
    slot the later stays, so memory is bounded.

    Parameters
    ----------
    width : int
        Numbers a row.
    slots : int
        A power of two; ValueError if it is none.
    dtype : dtype
    """

    def __init__(self, width: int, slots: int, dtype: DTypeLike = np.float64):
        if slots < 1 or slots & (slots - 1):
            raise ValueError(f"slots={slots}: use a power of two, such as 2**20")
        self._digests = np.zeros(slots, np.uint64)  # 0: free
        self._rows = np.zeros((slots, width), dtype)

    def __len__(self) -> int:
        """Return the number of texts in the cache."""
        return int(np.count_nonzero(self._digests))

    def rows(self, texts: Iterable[str], compute: Callable[[list[int]], np.ndarray]) -> np.ndarray:
        """Return the row of each text, (n, width); `compute` makes those of the texts given."""
        coded = (text.encode("utf-8", "surrogatepass") for text in texts)
        joined = b"".join(blake2b(text, digest_size=8).digest() for text in coded)
        digests = np.frombuffer(joined, np.uint64)
        slots = (digests % np.uint64(len(self._digests))).astype(np.int64)
        rows = self._rows[slots]
        new = np.flatnonzero(self._digests[slots] != digests)
        if len(new):
            _, first, which = np.unique(digests[new], return_index=True, return_inverse=True)
            order = np.argsort(first)  # texts are asked for as they come
            asked = compute(new[first[order]].tolist())
            rows[new] = asked[np.argsort(order)[which]]
            self._digests[slots[new]], self._rows[slots[new]] = digests[new], rows[new]
        return rows


class CachedScorer:
    """A classifier that remembers its scores, 16 bytes each.

    Crawls on one topic may share a scorer if a text's probability does not depend on its batch, as
    a KwBiLSTM's.

    Parameters
    ----------
    classifier : RelevanceClassifier
        Fitted; asked in one batch for the texts that are not in the cache.
    slots : int
        A power of two; ValueError if it is none.

    Examples
    --------
    >>> class Length:
    ...     def proba(self, texts):
    ...         return np.array([len(text) / 10 for text in texts])
    >>> CachedScorer(Length()).proba(["goal", "goals"])
    array([0.4, 0.5])
    """

    def __init__(self, classifier: RelevanceClassifier, slots: int = 2**20):
        self.classifier = classifier
        self.slots = slots
        self._cache = TextCache(1, slots)

    def __len__(self) -> int:
        """Return the number of texts in the cache."""
        return len(self._cache)

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability of each text by the cache or the classifier, (n,) float64."""
        return self._cache.rows(texts, lambda new: self._ask([texts[i] for i in new]))[:, 0]

    def _ask(self, texts: list[str]) -> np.ndarray:
        return np.asarray(self.classifier.proba(texts))[:, None]


def page_text(page: Page) -> str:
    """Return the text by which a page is classified: its title, the words of its URL, its body.

    Parts that are empty are left out.

    Examples
    --------
    >>> from tres_lib.web import Page
    >>> page_text(Page("http://a.example/team-news/", 200, "Title", "Body.", ()))
    'Title team news Body.'
    """
    return " ".join(filter(None, (page.title, url_words(page.url), page.text)))


def anchor_text(link: Link) -> str:
    """Return the text by which an unfetched link is classified: its anchor, its URL's words.

    Examples
    --------
    >>> from tres_lib.web import Link
    >>> anchor_text(Link("http://a.example/team-news/", "Read more"))
    'Read more team news'
    """
    return " ".join(filter(None, (link.anchor, url_words(link.url))))


def tfidf(**options: Any) -> Any:
    """Return a TfidfVectorizer of weights (1 + ln n) idf for a word that a text has n times."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(tokenizer=tokenize, token_pattern=None, sublinear_tf=True, **options)


def write_classifier(
    directory: str | Path, classifier: object, arrays: dict[str, np.ndarray], **description: Any
) -> None:
    """Write kind and description as JSON and arrays as safetensors; the directory is made."""
    from safetensors.numpy import save_file

    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    save_file({k: np.ascontiguousarray(a) for k, a in arrays.items()}, directory / ARRAYS)
    text = json.dumps({"kind": type(classifier).__name__, **description})
    (directory / DESCRIPTION).write_text(text, encoding="utf-8")


def read_description(directory: str | Path, *kinds: str) -> dict[str, Any]:
    """Return the JSON half of a saved classifier; ValueError if there is none of these kinds."""
    try:
        description = json.loads((Path(directory) / DESCRIPTION).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        problem = f"directory={str(directory)!r} has no {DESCRIPTION}"
        raise ValueError(f"{problem}; save a fitted classifier there") from error
    if description["kind"] not in kinds:
        found = f"directory={str(directory)!r} holds a {description['kind']!r}"
        raise ValueError(f"{found}; name one that {' or '.join(kinds)}.save wrote")
    return description


def read_arrays(directory: str | Path) -> dict[str, np.ndarray]:
    """Return the safetensors half of a saved classifier."""
    from safetensors.numpy import load_file

    return load_file(Path(directory) / ARRAYS)


def check_examples(texts: Sequence[str], labels: ArrayLike) -> np.ndarray:
    """Return labels as (n,) bool; ValueError unless each text has one and both classes occur."""
    relevant = np.asarray(labels, dtype=bool)
    if relevant.shape != (len(texts),):
        raise ValueError(f"labels: shape {relevant.shape}; give one for each of {len(texts)} texts")
    if relevant.all() or not relevant.any():
        counts = f"{relevant.sum()} of {len(texts)} are relevant"
        raise ValueError(f"labels: {counts}; give examples of both classes")
    return relevant


def fitted(part: Part | None) -> Part:
    """Return the part that ``fit`` or ``load`` sets; ValueError if it is not set."""
    if part is None:
        raise ValueError("classifier: it has no weights yet; call fit or load first")
    return part
