"""The concept graph, an edge from each vital article to those whose title its lead contains.

It gives VitalWeb its topical locality: what a site is about, and what its pages link to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .articles import Articles

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
LONGEST_TITLE = 6  # words; longer titles are never mentioned in full
# A title found in more than this share of leads ("Time", "Water") says nothing.
COMMON_SURFACE = 0.01
HUB = "Uncategorized"  # the package's label for its most-read articles, whatever they are about


@dataclass(frozen=True)
class ConceptGraph:
    """Mentions among n articles.

    Attributes
    ----------
    mentions : (n, n) CSR
        1 where the row's article mentions the column's.
    near : (n, n) CSR
        Weights of closeness, of which each row sums to 1 (or is empty).
    category : (n,) int
        Codes into `categories`.
    categories : tuple of str
    """

    mentions: sparse.csr_array
    near: sparse.csr_array
    category: np.ndarray
    categories: tuple[str, ...]


def surface(title: str) -> str:
    """Return a title as running text has it, without its parenthesised part."""
    return re.sub(r"\s*\([^)]*\)", "", title).strip()


def concept_graph(articles: Articles, members: np.ndarray) -> ConceptGraph:
    """Return the concept graph among `members`, row numbers of `articles`.

    Two articles are near if one mentions the other, or if both are tied to an article outside
    `members`. That closes, at a tenth of the weight, the holes that the other half leaves.
    """
    everything = _mentions(articles)
    outside = np.setdiff1d(np.arange(len(articles)), members)
    ties = everything + everything.T
    direct = ties[members][:, members]
    spokes = ties[members][:, outside]
    degree = np.maximum(np.asarray(ties[outside].sum(axis=1)).ravel(), 1.0)
    bridged = spokes @ sparse.diags_array(1.0 / degree) @ spokes.T
    near = sparse.csr_array(direct + 0.1 * bridged)
    near.setdiag(0.0)
    near.eliminate_zeros()
    names, codes = _settle_hubs(articles, ties)
    return ConceptGraph(
        mentions=sparse.csr_array(everything[members][:, members]),
        near=rows_to_one(near),
        category=codes[members],
        categories=names,
    )


def rows_to_one(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the matrix with each row divided by its sum; empty rows stay."""
    total = np.asarray(matrix.sum(axis=1)).ravel()
    return sparse.csr_array(sparse.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ matrix)


def _mentions(articles: Articles) -> sparse.csr_array:
    """Return 1 where the lead of the row's article mentions the column's title."""
    of_surface: dict[tuple[str, ...], int] = {}
    for row, title in enumerate(articles.titles):
        words = tuple(WORD.findall(surface(title)))
        if 0 < len(words) <= LONGEST_TITLE:
            of_surface.setdefault(_fold(words), row)
    lengths: dict[str, dict[int, None]] = {}  # of the titles that begin with a word, longest first
    for words in sorted(of_surface, key=len, reverse=True):
        lengths.setdefault(words[0].lower(), {})[len(words)] = None
    rows: list[int] = []
    columns: list[int] = []
    for row, text in enumerate(articles.extracts):
        found = {of_surface[w] for w in _spans(WORD.findall(text), of_surface, lengths)} - {row}
        rows += [row] * len(found)
        columns += sorted(found)
    frequency = Counter(columns)
    common = COMMON_SURFACE * len(articles)
    kept = [(r, c) for r, c in zip(rows, columns, strict=True) if frequency[c] <= common]
    r, c = np.array(kept, dtype=np.int32).reshape(-1, 2).T
    return sparse.csr_array((np.ones(len(r)), (r, c)), shape=(len(articles), len(articles)))


def _spans(
    words: list[str],
    of_surface: Mapping[tuple[str, ...], int],
    lengths: Mapping[str, Iterable[int]],
) -> Iterator[tuple[str, ...]]:
    """Yield the titles in a text, the longest at each position, none overlapping."""
    start = 0
    while start < len(words):
        for n in lengths.get(words[start].lower(), ()):
            key = _fold(tuple(words[start : start + n]))
            if len(key) == n and key in of_surface:
                yield key
                start += n - 1
                break
        start += 1


def _fold(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with a capital first letter: "milk" mentions Milk, "MILK" does not."""
    return (words[0][:1].upper() + words[0][1:], *words[1:]) if words else words


def _settle_hubs(articles: Articles, ties: sparse.csr_array) -> tuple[tuple[str, ...], np.ndarray]:
    """Return categories and their codes; a hub takes the commonest category among its ties."""
    names = tuple(sorted(set(articles.categories) - {HUB}))
    code = {name: i for i, name in enumerate(names)}
    codes = np.array([code.get(c, -1) for c in articles.categories])
    known = sparse.csr_array(
        (np.ones((codes >= 0).sum()), (np.flatnonzero(codes >= 0), codes[codes >= 0])),
        shape=(len(codes), len(names)),
    )
    votes = (ties @ known).toarray() / np.sqrt(np.bincount(codes[codes >= 0]))
    hub = codes < 0
    codes[hub] = votes[hub].argmax(axis=1)
    return names, codes
