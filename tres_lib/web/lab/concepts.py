"""The concept graph: which vital article mentions which other one.

Nodes are the articles that a laboratory web is written from. An edge a -> b
says that the lead of a contains the title of b. The graph gives VitalWeb its
topical locality: what a site is about, and what its pages link to.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .articles import Articles

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
LONGEST_TITLE = 6  # words; longer titles are never mentioned in full
COMMON_SURFACE = (
    0.01  # a title found in more than this share of leads ("Time", "Water") says nothing
)
HUB = "Uncategorized"  # the package's label for its most-read articles, whatever they are about


@dataclass(frozen=True)
class ConceptGraph:
    """Mentions among n articles.

    ``mentions`` (n, n) CSR, row mentions column; ``near`` (n, n) CSR,
    symmetric weights of closeness, rows sum to 1 (a row without any neighbour
    is empty); ``category`` (n,) int codes into ``categories``.
    """

    mentions: sparse.csr_array
    near: sparse.csr_array
    category: np.ndarray
    categories: tuple[str, ...]


def surface(title: str) -> str:
    """Title as running text has it: without its parenthesised part."""
    return re.sub(r"\s*\([^)]*\)", "", title).strip()


def concept_graph(articles: Articles, members: np.ndarray) -> ConceptGraph:
    """Concept graph among ``members`` (row numbers of ``articles``).

    Two articles are near if one mentions the other, or if both are tied to one
    article outside ``members`` (the training half leaves holes that this
    closes, at a tenth of the weight).
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
        near=_rows_to_one(near),
        category=codes[members],
        categories=names,
    )


def same_category_share(graph: sparse.csr_array, category: np.ndarray) -> tuple[float, float]:
    """Share of edges inside one category, and what degree-preserving chance gives."""
    edges = graph.tocoo()
    source, target = category[edges.row], category[edges.col]
    n = int(category.max()) + 1
    out, into = np.bincount(source, minlength=n), np.bincount(target, minlength=n)
    return float((source == target).mean()), float((out / out.sum()) @ (into / into.sum()))


def _mentions(articles: Articles) -> sparse.csr_array:
    of_surface = {}
    for row, title in enumerate(articles.titles):
        words = tuple(WORD.findall(surface(title)))
        if 0 < len(words) <= LONGEST_TITLE:
            of_surface.setdefault(_fold(words), row)
    lengths: dict[str, list[int]] = {}
    for words in sorted(of_surface, key=len, reverse=True):
        known = lengths.setdefault(words[0].lower(), [])
        if len(words) not in known:
            known.append(len(words))
    rows, columns = [], []
    for row, text in enumerate(articles.extracts):
        found = {of_surface[w] for w in _spans(WORD.findall(text), of_surface, lengths)} - {row}
        rows += [row] * len(found)
        columns += sorted(found)
    frequency = Counter(columns)
    limit = COMMON_SURFACE * len(articles)
    kept = [(r, c) for r, c in zip(rows, columns, strict=True) if frequency[c] <= limit]
    r, c = np.array(kept, dtype=np.int32).reshape(-1, 2).T
    shape = (len(articles), len(articles))
    return sparse.csr_array((np.ones(len(r)), (r, c)), shape=shape)


def _spans(words, of_surface, lengths):
    """Titles in a text, the longest at each position, none overlapping."""
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
    """Only the first letter may differ in case: "milk" mentions Milk, "MILK" does not."""
    return (words[0][:1].upper() + words[0][1:], *words[1:]) if words else words


def _settle_hubs(articles: Articles, ties: sparse.csr_array) -> tuple[tuple[str, ...], np.ndarray]:
    """Category codes; a hub article takes the commonest category among its ties."""
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


def _rows_to_one(matrix: sparse.csr_array) -> sparse.csr_array:
    total = np.asarray(matrix.sum(axis=1)).ravel()
    return sparse.csr_array(sparse.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ matrix)
