"""What classifiers share when they learn from texts, and how they are kept without pickle."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ..vectors import tokenize

Part = TypeVar("Part")
DESCRIPTION = "classifier.json"
ARRAYS = "classifier.safetensors"


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
