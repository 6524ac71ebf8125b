"""KwBiLSTM, the reward of TRES: a bidirectional LSTM over word vectors, with keyword inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import count, generator, instance, number, positive, texts

from ..keywords import KeywordMatcher
from ..vectors import keyed_vectors, load_vectors, tokenize
from .network import CompiledNetwork, Encoded
from .stored import (
    check_examples,
    fitted,
    read_arrays,
    read_description,
    stratified_folds,
    write_classifier,
)

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

N_KEYWORD_INPUTS = 5
OPENING = 10  # words: in a page about the title, in an anchor nearly all of it


@dataclass(frozen=True)
class KwBiLstmSettings:
    """Size and training of the network."""

    # Units a direction. The paper's code has 300, with 300 words: on a tenth of the paper's amount
    # of text that takes nine times as long to train, and the AUC on pages is .983, not .989.
    hidden: int = 64
    head: int = 32  # units of the dense layer
    dropout: float = 0.3
    # Words at which texts are cut; the paper's code: 300. Longer texts take in a page's lists of
    # links, which costs precision here.
    max_tokens: int = 120
    learning_rate: float = 1e-3
    batch_size: int = 64
    max_epochs: int = 20
    patience: int = 2  # epochs after the best at which training stops
    validation: float = 0.15  # share of the texts that decides the best
    # p: relevant examples have the weight (irrelevant / relevant) ** p. 0 keeps the natural odds, 1
    # balances the classes.
    positive_power: float = 0.25

    def __post_init__(self) -> None:
        for name in ("hidden", "head", "max_tokens", "batch_size", "max_epochs"):
            count(name, getattr(self, name))
        count("patience", self.patience, 0)
        number("dropout", self.dropout, 0, 0.99)
        positive("learning_rate", self.learning_rate)
        number("validation", self.validation, 0, 1, inside=True)
        number("positive_power", self.positive_power, 0)


class KwBiLSTM:
    """BiLSTM over word vectors, mean pooled, joined with keyword inputs (TRES, Section 2.2).

    Vectors are a name that ``load_vectors`` knows, or KeyedVectors of one's own, saved along; words
    without one are dropped. `rng` decides first weights, dropout, batches and the validation fold.
    """

    def __init__(
        self,
        keywords: Iterable[str],
        vectors: str | KeyedVectors = "glove-6b-50d",
        settings: KwBiLstmSettings | None = None,
        rng: int | np.random.Generator = 0,
    ):
        self.keywords = tuple(texts("keywords", keywords, least=1))
        self.settings = settings or KwBiLstmSettings()
        instance("settings", self.settings, KwBiLstmSettings)
        if not (isinstance(vectors, str) or hasattr(vectors, "vectors")):
            raise ValueError(f"vectors={vectors!r}: give KeyedVectors, or a name for load_vectors")
        self.seed = int(generator("rng", rng).integers(2**31))
        self._matcher = KeywordMatcher(self.keywords)
        self._vectors_name = vectors if isinstance(vectors, str) else None
        self._vectors = load_vectors(vectors) if isinstance(vectors, str) else vectors
        self._weights: dict[str, np.ndarray] | None = None
        self._compiled: CompiledNetwork | None = None

    def fit(self, texts: Sequence[str], labels: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn from labelled texts, and stop by the error on a validation fold."""
        relevant = check_examples(texts, labels)
        folds = max(2, round(1 / self.settings.validation))
        split = stratified_folds(relevant, groups, folds, self.seed)[0]
        from .training import trained  # by torch, which a trained network does without

        data = self._encode(texts), relevant, self._vectors.vectors
        self._adopt(trained(*data, split, self.settings, self.seed))
        return self

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return each text's probability (n,), bitwise the same in any batch."""
        return fitted(self._compiled).proba(*self._encode(texts))

    def save(self, directory: str | Path) -> None:
        """Write settings and keywords as JSON, weights (and own vectors) as safetensors."""
        more = {"seed": self.seed, "keywords": self.keywords, "vectors": self._vectors_name}
        arrays = dict(fitted(self._weights))
        if self._vectors_name is None:
            more["words"] = self._vectors.index_to_key
            arrays["vectors"] = self._vectors.vectors
        write_classifier(directory, self, arrays, settings=asdict(self.settings), **more)

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if there is none, or without its word vectors."""
        description = read_description(directory, cls.__name__)
        arrays = read_arrays(directory)
        vectors = description["vectors"]
        if vectors is None:
            vectors = keyed_vectors(description["words"], arrays.pop("vectors"))
        settings = KwBiLstmSettings(**description["settings"])
        classifier = cls(description["keywords"], vectors, settings)
        classifier.seed = description["seed"]
        classifier._adopt(arrays)
        return classifier

    def _adopt(self, weights: dict[str, np.ndarray]) -> None:
        self._weights, self._compiled = weights, CompiledNetwork(weights, self._vectors.vectors)

    def _encode(self, texts: Sequence[str]) -> Encoded:
        number = self._vectors.key_to_index
        tokenized = [tokenize(text, self.settings.max_tokens) for text in texts]
        ids = [[number[word] for word in words if word in number] for words in tokenized]
        inputs = [self._keyword_inputs(words) for words in tokenized]
        return Encoded(ids, np.array(inputs, np.float32).reshape(len(texts), N_KEYWORD_INPUTS))

    def _keyword_inputs(self, words: list[str]) -> tuple[float, ...]:
        starts = self._matcher.starts(words)
        return (
            math.log1p(len(starts)),  # occurrences
            math.log1p(len({words[i] for i in starts})),  # different ones
            len(starts) / max(1, len(words)),
            float(any(i < OPENING for i in starts)),
            math.log1p(len(words)) / 5.0,  # length of the text
        )
