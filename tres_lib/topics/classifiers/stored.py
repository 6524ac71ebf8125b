"""What classifiers share when they learn from texts, and how they are kept without pickle."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tres_webs import checks

from ...numerics import compiled, dot64, logistic, logs, minimize

Part = TypeVar("Part")
Analyze = Callable[[str], Sequence[str]]  # cuts a text into words
DESCRIPTION = "classifier.json"
ARRAYS = "classifier.safetensors"


class TfIdf:
    """Texts as vectors of length 1: a word that a text has n times weighs (1 + ln n) idf."""

    def __init__(self, analyze: Analyze, words: Sequence[str], idf: np.ndarray):
        self.words, self.idf, self._analyze = list(words), idf, analyze
        self._number = {word: i for i, word in enumerate(self.words)}

    @classmethod
    def fit(
        cls,
        analyze: Analyze,
        texts: Sequence[str],
        words: Sequence[str] | None = None,
        min_texts: int = 1,
    ) -> Self:
        """Learn idf of these words, or else of those that so many of the texts have."""
        # idf is 1 + ln((1 + texts) / (1 + texts with the word)). scikit-learn's is the same but for
        # its last digits, which depend on the processor.
        having = Counter(chain.from_iterable(set(analyze(text)) for text in texts))
        if words is None:
            words = sorted(word for word, n in having.items() if n >= min_texts)
        with_it = np.array([1.0 + having[word] for word in words])
        return cls(analyze, words, 1.0 + logs((1.0 + len(texts)) / with_it))

    def rows(self, texts: Sequence[str]) -> Any:
        """Return the texts' vectors, sparse (n, words)."""
        from scipy.sparse import csr_array
        from sklearn.preprocessing import normalize

        rows = csr_array(self._weighed(texts), (len(texts), len(self.words)))
        if self.words:  # `normalize` refuses a matrix without columns
            rows = normalize(rows, copy=False)
        rows.sort_indices()
        return rows

    def products(self, texts: Sequence[str], weights: np.ndarray) -> np.ndarray:
        """Return the product of each text's vector with weights (words,), (n,)."""
        return _cosines(*self._weighed(texts), weights) if self.words else np.zeros(len(texts))

    def _weighed(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all words' weights, before a text's length is 1, their numbers, texts' ends."""
        number, analyze = self._number, self._analyze
        of = [Counter(number[word] for word in analyze(text) if word in number) for text in texts]
        ends = np.cumsum([0, *map(len, of)], dtype=np.int32)
        terms = np.fromiter(chain.from_iterable(of), np.int32, ends[-1])
        times = np.fromiter(chain.from_iterable(counts.values() for counts in of), float, ends[-1])
        return (1.0 + logs(times)) * self.idf[terms], terms, ends


@compiled
def _cosines(values, terms, ends, weights):
    """Return for each row of a sparse matrix its product with weights, by its length."""
    out = np.zeros(len(ends) - 1)
    for i in range(len(out)):
        product = squares = 0.0
        for k in range(ends[i], ends[i + 1]):
            product += values[k] * weights[terms[k]]
            squares += values[k] * values[k]
        if squares:
            out[i] = product / np.sqrt(squares)
    return out


def likeliest(
    x: Any, prior: np.ndarray | float, relevant: np.ndarray, weight: np.ndarray, tight: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return bias and weights (d,) of the likeliest logistic regression, anywhere the same bits."""
    # x (n, d), sparse, has the examples, each with a prior log-odds and a weight; `tight` (1 + d,)
    # the precisions by which bias and weights are drawn to 0.
    sign = np.where(relevant, -1.0, 1.0)

    def loss(v: np.ndarray) -> tuple[float, np.ndarray]:
        wrong = sign * (prior + v[0] + x @ v[1:])
        pull = weight * sign * logistic(wrong)
        value = 0.5 * dot64(tight, v * v) - dot64(weight, logs(logistic(-wrong)))
        return value, np.append(pull.sum(), x.T @ pull) + tight * v

    best = minimize(loss, np.zeros(len(tight)))
    return float(best[0]), best[1:]


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
    if not isinstance(directory, str | Path):
        raise ValueError(f"directory={directory!r}: give the path of a saved classifier")
    try:
        description = json.loads((Path(directory) / DESCRIPTION).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        problem = f"directory={str(directory)!r} has no {DESCRIPTION}"
        raise ValueError(f"{problem}; save a fitted classifier there") from error
    if description["kind"] not in kinds:
        problem = f"directory={str(directory)!r} holds a {description['kind']!r}"
        raise ValueError(f"{problem}; name one that {' or '.join(kinds)}.save wrote")
    return description


def read_arrays(directory: str | Path) -> dict[str, np.ndarray]:
    """Return the safetensors half of a saved classifier."""
    from safetensors.numpy import load_file

    return load_file(Path(directory) / ARRAYS)


def check_examples(texts: Sequence[str], labels: ArrayLike) -> np.ndarray:
    """Return labels as (n,) bool; ValueError unless each text has one and both classes occur."""
    checks.texts("texts", texts)
    given = np.asarray(labels)
    if given.dtype.kind not in "biuf" or not np.isin(given, (0, 1)).all():
        raise ValueError(f"labels={str(labels)[:80]}: give True or False, or 1 or 0, for each text")
    relevant = given.astype(bool)
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


def stratified_folds(
    labels: np.ndarray, groups: ArrayLike | None, folds: int, rng: int | np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (train, test) row numbers of each fold, shuffled; groups stay whole."""
    from sklearn.model_selection import StratifiedGroupKFold

    group = np.arange(len(labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
    if len(group) != len(labels):
        raise ValueError(f"groups: {len(group)} for {len(labels)} texts; give one for each")
    fewest = min(len(np.unique(group[labels == value])) for value in (False, True))
    if not 2 <= folds <= fewest:
        fact = f"the rarer class has {fewest} examples (or groups of them)"
        raise ValueError(f"folds={folds!r}: {fact}; use from 2 to that many folds")
    seed = int(checks.generator("rng", rng).integers(2**31))
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels, group))
