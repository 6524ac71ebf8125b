"""Documents of chapter 12: leads of articles, as a database has them."""

import numpy as np

from tres_lib.deepweb.site import FIELDS
from tres_webs import load_articles
from tres_webs.checks import count, generator


def load_documents(language: str = "en-us") -> tuple[dict[str, str], ...]:
    """Return the leads of Wikipedia's vital articles as documents, in the order of their titles.

    They have ``title``, ``description``, ``extract`` and ``topic``: 10,033 in "en-us", 6,239 in
    "es-es", 9,955 in "fr-fr".

    Examples
    --------
    >>> documents = load_documents()
    >>> len(documents), documents[0]["title"]
    (10033, '0')
    """
    articles = load_articles(language)
    columns = (articles.titles, articles.descriptions, articles.extracts, articles.categories)
    names = (*FIELDS, "topic")
    return tuple(dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def sample_documents(
    language: str, n: int | None, rng: np.random.Generator | int
) -> list[dict[str, str]]:
    """Draw n documents without replacement; None, or too many, gives all, in random order."""
    documents = load_documents(language)
    size = len(documents) if n is None else count("n", n)
    order = generator("rng", rng).permutation(len(documents))
    return [documents[i] for i in order[:size]]
