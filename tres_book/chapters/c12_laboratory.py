"""Chapter 12: its documents, leads of articles as a database has them, and its controls."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from tres_lib.deepweb import Policy, State
from tres_lib.deepweb.kernel import DIGITS
from tres_lib.deepweb.learners import POOL, Memory, encode
from tres_lib.deepweb.policies import Random
from tres_lib.deepweb.site import FIELDS
from tres_lib.topics.vectors import vocabulary
from tres_webs import load_articles
from tres_webs.checks import count, generator


def sample_documents(
    language: str, n: int | None, rng: np.random.Generator | int
) -> list[dict[str, str]]:
    """Draw leads of Wikipedia's vital articles without replacement, as documents.

    They have ``title``, ``description``, ``extract`` and ``topic``. None, or too many, gives all,
    in random order: 10,033 in "en-us", 6,239 in "es-es", 9,955 in "fr-fr".

    Examples
    --------
    >>> documents = sample_documents("en-us", None, rng=0)
    >>> len(documents), list(documents[0])
    (10033, ['title', 'description', 'extract', 'topic'])
    """
    articles = load_articles(language)
    columns = (articles.titles, articles.descriptions, articles.extracts, articles.categories)
    names, rows = (*FIELDS, "topic"), list(zip(*columns, strict=True))
    order = generator("rng", rng).permutation(len(rows))
    order = order if n is None else order[: count("n", n)]
    return [dict(zip(names, rows[i], strict=True)) for i in order]


class Ridge:
    """Issue the candidate for which ridge regression expects the most new records."""

    def __init__(self) -> None:
        self._memory = Memory(by_field=True)

    def choose(self, state: State) -> str | None:
        pool = state.pool(POOL)
        if not len(pool):
            return None
        candidates = encode(state, pool, by_field=True)
        issued = np.hstack(self._memory.features(state, now=False))
        new = np.array([query.new for query in state.issued], float)
        expected = _ridge(issued, new, np.hstack(candidates))
        best = int(np.lexsort((-state.df[pool], -expected.round(DIGITS)))[0])
        self._memory.keep(candidates, best)
        return state.words[pool[best]]


def _ridge(x: np.ndarray, y: np.ndarray, rows: np.ndarray, penalty: float = 1.0) -> np.ndarray:
    """Fit a ridge regression on scaled features and return what it predicts for the rows."""
    # scikit-learn's takes a multiple of the time for so few queries.
    centre = x.mean(0)
    scale = x.std(0)
    scale[scale < 1e-9] = np.inf  # a feature that never varied says nothing
    z = (x - centre) / scale
    weights = np.linalg.solve(z.T @ z + penalty * np.eye(z.shape[1]), z.T @ (y - y.mean()))
    return y.mean() + (rows - centre) / scale @ weights


class WordList:
    """The words of a list in their order, whatever the site's records hold."""

    def __init__(self, words: Iterable[str]):
        self._words = iter(words)

    def choose(self, state: State) -> str | None:
        issued = {query.term for query in state.issued}
        return next((word for word in self._words if word not in issued), None)


def generic_words() -> Iterator[str]:
    """Give English words in the order of their frequency in GloVe's six billion words of text."""
    return (word for word in vocabulary() if word.isalpha() and len(word) > 1)


CONTROLS: dict[str, Callable[[], Policy]] = {
    "ridge": Ridge,
    "random-pool": partial(Random, POOL),
    "words": lambda: WordList(generic_words()),
}
