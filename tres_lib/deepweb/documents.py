"""The documents that sites are made of: vital-article leads in three languages."""

from __future__ import annotations

import numpy as np

from ..web.lab.articles import load_articles

FIELDS = ("title", "description", "extract")


def load_documents(language: str = "en-us") -> tuple[dict[str, str], ...]:
    """Leads of Wikipedia's vital articles as documents, in the order of their titles.

    Parameters
    ----------
    language : str
        "en-us" (10,033 articles), "es-es" (6,239) or "fr-fr" (9,955).

    Returns
    -------
    tuple of dict
        Each with ``title``, ``description``, ``extract`` and ``topic``.

    Raises
    ------
    ValueError
        If the language is missing.
    """
    articles = load_articles(language)
    columns = (articles.titles, articles.descriptions, articles.extracts, articles.categories)
    rows = zip(*columns, strict=True)
    return tuple(dict(zip((*FIELDS, "topic"), row, strict=True)) for row in rows)


def sample_documents(
    language: str, n: int | None, rng: np.random.Generator | int
) -> list[dict[str, str]]:
    """Draw `n` documents, at most all and all if None, in random order.

    Raises
    ------
    ValueError
        If n is below 1 or the language is missing.
    """
    documents = load_documents(language)
    if n is not None and n < 1:
        raise ValueError(f"n={n!r}: give a number of documents, at least 1, or None for all")
    order = np.random.default_rng(rng).permutation(len(documents))
    return [documents[i] for i in order[:n]]
