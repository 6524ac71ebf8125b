"""The concept graph, an edge from each vital article to those whose title its lead contains.

It gives VitalWeb its topical locality: what a site is about, and what its pages link to.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse

from .articles import Articles

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
PARENTHESES = re.compile(r"\s*\([^)]*\)")
LONGEST_TITLE = 6  # words; longer titles are never mentioned in full
COMMON_SURFACE = 0.01  # a title found in a larger share of leads ("Time", "Water") says nothing
Words = tuple[str, ...]
HUB = "Uncategorized"  # the package's label for its most-read articles, whatever they are about


@dataclass(frozen=True)
class ConceptGraph:
    """Mentions among n articles."""

    mentions: sparse.csr_array  # (n, n) 1 where the row's article mentions the column's
    near: sparse.csr_array  # (n, n) closeness; each row sums to 1 or is empty
    category: np.ndarray  # (n,) int: codes into `categories`
    categories: tuple[str, ...]


def surface(title: str) -> str:
    """Return a title as running text has it, without its parenthesised part."""
    return PARENTHESES.sub("", title).strip() if "(" in title else title.strip()


def concept_graph(articles: Articles, members: np.ndarray) -> ConceptGraph:
    """Return the concept graph among `members`, row numbers of `articles`."""
    # Near are articles of which one mentions the other and, at a tenth of the weight to close the
    # holes that the other half leaves, those tied to the same article outside `members`.
    mentions = _mentions(articles)
    ties = mentions + mentions.T
    outside = np.setdiff1d(np.arange(len(articles)), members)
    spokes = ties[members][:, outside]
    degree = np.maximum(np.asarray(ties[outside].sum(axis=1)).ravel(), 1.0)
    bridged = spokes @ sparse.diags_array(1.0 / degree) @ spokes.T
    near = sparse.csr_array(ties[members][:, members] + 0.1 * bridged)
    near.setdiag(0.0)
    near.eliminate_zeros()
    names, codes = _settle_hubs(articles, ties)
    among = sparse.csr_array(mentions[members][:, members])
    return ConceptGraph(among, rows_to_one(near), codes[members], names)


def rows_to_one(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the matrix with each row divided by its sum; empty rows stay."""
    total = np.asarray(matrix.sum(axis=1)).ravel()
    return sparse.csr_array(sparse.diags_array(1.0 / np.where(total > 0, total, 1.0)) @ matrix)


def _mentions(articles: Articles) -> sparse.csr_array:
    """Return 1 where the lead of the row's article mentions the column's title."""
    of_surface: dict[Words, int] = {}
    for row, title in enumerate(articles.titles):
        words = tuple(WORD.findall(surface(title)))
        if 0 < len(words) <= LONGEST_TITLE:
            of_surface.setdefault((_capital(words[0]), *words[1:]), row)
    lengths: dict[Words, list[int]] = {}  # of titles by their first two words, longest first
    for words in sorted(of_surface, key=len, reverse=True):
        lengths.setdefault(words[:2], []).append(len(words))
    pairs: list[tuple[int, int]] = []
    for row, text in enumerate(articles.extracts):
        mentioned = {of_surface[w] for w in _spans(WORD.findall(text), of_surface, lengths)} - {row}
        pairs += [(row, column) for column in sorted(mentioned)]
    r, c = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    rare = np.bincount(c)[c] <= COMMON_SURFACE * len(articles)
    shape = len(articles), len(articles)
    return sparse.csr_array((np.ones(rare.sum()), (r[rare], c[rare])), shape=shape)


def _spans(
    words: list[str], of_surface: Mapping[Words, int], lengths: Mapping[Words, Iterable[int]]
) -> Iterator[Words]:
    """Yield the titles in a text, the longest at each position, none overlapping."""
    end = 0  # of the last title found
    for start, pair in enumerate(zip(map(_capital, words), [*words[1:], ""], strict=True)):
        if start >= end and (pair in lengths or pair[:1] in lengths):
            for n in (*lengths.get(pair, ()), 1):
                key = (pair[0], *words[start + 1 : start + n])
                if len(key) == n and key in of_surface:
                    yield key
                    end = start + n
                    break


@lru_cache(2**16)
def _capital(word: str) -> str:
    """Return the word with a capital first letter: "milk" mentions Milk, "MILK" does not."""
    return word[:1].upper() + word[1:]


def _settle_hubs(articles: Articles, ties: sparse.csr_array) -> tuple[tuple[str, ...], np.ndarray]:
    """Return categories and their codes; a hub takes the commonest category among its ties."""
    names = tuple(sorted(set(articles.categories) - {HUB}))
    code = {name: i for i, name in enumerate(names)}
    codes = np.array([code.get(c, -1) for c in articles.categories])
    hub = codes < 0
    one_hot = sparse.csr_array(np.where(hub[:, None], 0.0, np.eye(len(names))[codes]))
    votes = (ties @ one_hot).toarray() / np.sqrt(np.bincount(codes[~hub]))
    codes[hub] = votes[hub].argmax(axis=1)
    return names, codes
