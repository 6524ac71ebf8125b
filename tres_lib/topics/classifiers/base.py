"""What a relevance classifier is, which texts it is given, and scoring each text only once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from tres_lib.web.urls import url_words

if TYPE_CHECKING:
    from tres_lib.web.page import Link, Page

Part = TypeVar("Part")
DESCRIPTION = "classifier.json"
ARRAYS = "classifier.safetensors"


class RelevanceClassifier(Protocol):
    """Says how probable it is that a text is relevant; TRES's reward is 1 iff proba >= 0.5."""

    def fit(
        self,
        texts: Sequence[str],
        labels: Sequence[bool],
        groups: Sequence[Any] | None = None,
    ) -> RelevanceClassifier:
        """Learn from texts and their labels; texts of one group share a validation fold."""

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Probability (n,) float64 that each text is relevant."""


class CachedScorer:
    """Remembers scores; a crawl meets the same anchors over and over.

    A text is known by a digest of 8 bytes, which decides its slot as well: of two texts
    that fall on one slot the later stays. An entry takes 16 bytes, and memory is bounded.
    Crawls on one topic may share a scorer: where a text's probability does not depend on
    those scored with it, as a KwBiLSTM's, they then take the course that they take alone.

    Parameters
    ----------
    classifier : RelevanceClassifier
        Fitted; asked in one batch for the texts that are not remembered.
    slots : int
        A power of two.

    Raises
    ------
    ValueError
        If slots is no power of two.
    """

    def __init__(self, classifier: RelevanceClassifier, slots: int = 2**20):
        if slots < 1 or slots & (slots - 1):
            raise ValueError(f"slots={slots}: use a power of two, such as 2**20")
        self.classifier = classifier
        self._digests = np.zeros(slots, np.uint64)  # 0: free
        self._scores = np.zeros(slots)

    def __len__(self) -> int:
        """Number of texts remembered."""
        return int(np.count_nonzero(self._digests))

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Probability (n,) float64 of each text, in the order of the texts."""
        digests = np.frombuffer(b"".join(map(_digest, texts)), np.uint64)
        slots = (digests % np.uint64(len(self._digests))).astype(np.int64)
        scores = self._scores[slots]
        new = np.flatnonzero(self._digests[slots] != digests)
        if len(new):
            asked = {digests[i]: texts[i] for i in new}
            answers = dict(zip(asked, self.classifier.proba(list(asked.values())), strict=True))
            scores[new] = [answers[digest] for digest in digests[new]]
            self._digests[slots[new]], self._scores[slots[new]] = digests[new], scores[new]
        return scores


def page_text(page: Page) -> str:
    """Text by which a page is judged: its title, the words of its URL, its body."""
    return _joined(page.title, url_words(page.url), page.text)


def anchor_text(link: Link) -> str:
    """Text by which a link is judged before it is followed: its anchor, the words of its URL."""
    return _joined(link.anchor, url_words(link.url))


def load_classifier(directory: str | Path) -> RelevanceClassifier:
    """The classifier that ``save`` wrote into a directory.

    Raises
    ------
    ValueError
        If the directory holds none, or one of an unknown kind.
    """
    from .kwbilstm import KwBiLSTM
    from .svm import SvmClassifier

    kinds = {kind.__name__: kind for kind in (KwBiLSTM, SvmClassifier)}
    described = read_description(directory)["kind"]
    if described not in kinds:
        raise ValueError(
            f"directory={str(directory)!r} holds a {described!r}; known are {sorted(kinds)}"
        )
    return kinds[described].load(directory)


def write_classifier(
    directory: str | Path, description: dict[str, Any], arrays: dict[str, np.ndarray]
) -> None:
    """Write a description as JSON and arrays as safetensors; the directory is made."""
    from safetensors.numpy import save_file

    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    save_file({k: np.ascontiguousarray(a) for k, a in arrays.items()}, directory / ARRAYS)
    (directory / DESCRIPTION).write_text(json.dumps(description), encoding="utf-8")


def read_description(directory: str | Path) -> dict[str, Any]:
    """The JSON half of a saved classifier; ValueError if the directory has none."""
    try:
        return json.loads((Path(directory) / DESCRIPTION).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ValueError(
            f"directory={str(directory)!r} has no {DESCRIPTION}; save a fitted classifier there"
        ) from error


def read_arrays(directory: str | Path) -> dict[str, np.ndarray]:
    """The safetensors half of a saved classifier."""
    from safetensors.numpy import load_file

    return load_file(Path(directory) / ARRAYS)


def check_examples(texts: Sequence[str], labels: Sequence[bool]) -> np.ndarray:
    """Labels as (n,) bool; ValueError unless there is one a text and both classes occur."""
    labels = np.asarray(labels, dtype=bool)
    if labels.shape != (len(texts),):
        raise ValueError(f"labels: shape {labels.shape}; give one for each of {len(texts)} texts")
    if labels.all() or not labels.any():
        raise ValueError(
            f"labels: {labels.sum()} of {labels.size} are relevant; give examples of both classes"
        )
    return labels


def fitted(part: Part | None) -> Part:
    """What ``fit`` or ``load`` made; ValueError if neither was called."""
    if part is None:
        raise ValueError("classifier: it has no weights yet; call fit or load first")
    return part


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
