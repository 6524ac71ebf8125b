"""What a site returns: records of text on pages of results, their words, and a journal of pages."""

from collections import Counter
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from tres_webs.forms.answers import Part, Record, ResultPage, Site

from ..store import Journal
from ..topics.vectors import WORD

CACHED = 1 << 15  # records whose words are cached, as crawls of one site meet the same ones
LONGEST = (3, 6, 9)  # word of each class of lengths but the last
N_LENGTHS = len(LONGEST) + 1
N_KINDS = 3  # all letters English, others among them, with a digit


class JournalledSite:
    """A site whose pages, the front page first, come from a journal, and else are added to it."""

    def __init__(self, site: Site, journal: Journal):
        self._site = site
        self._journal = journal
        self._pages: dict[tuple[str, int], ResultPage] = {}
        first = journal.read()
        if first is None:
            first = {"front": site.front_page()}
            journal.append(first)
        start = journal.tell()
        try:
            while (line := journal.read()) is not None:
                records = tuple(tuple(Part(*part) for part in record) for record in line["records"])
                page = ResultPage(line["total"], tuple(line["ids"]), records, line["more"])
                self._pages[line["term"], line["number"]] = page
                start = journal.tell()
            self._front = str(first["front"])
        except (KeyError, TypeError) as error:
            raise journal.damaged(start) from error

    def front_page(self) -> str:
        """See `Site.front_page`: the text as it was at the start."""
        return self._front

    def page(self, term: str, number: int) -> ResultPage:
        """See `Site.page`."""
        if (term, number) not in self._pages:
            page = self._site.page(term, number)
            self._journal.append({"term": term, "number": number, **vars(page)})
            self._pages[term, number] = page
        return self._pages[term, number]


class WordCounts(NamedTuple):
    """The words of a record, each once, in the order of their occurrence."""

    words: tuple[str, ...]
    tf: np.ndarray
    nodes: tuple[tuple[str, int], ...]  # tag and depth of each kind of HTML node in the record
    word: np.ndarray  # with `node` pairs of places in `words` and `nodes`, of each word in a kind
    node: np.ndarray


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in WORD.findall(text)]  # lower() may turn a letter into two


@lru_cache(maxsize=CACHED)
def count_words(record: Record) -> WordCounts:
    """Count the words of a record, in all and by kind of node."""
    parts = [split_words(part.text) for part in record]
    counts = Counter(chain.from_iterable(parts))
    row = {word: i for i, word in enumerate(counts)}
    depths = {part.tag: part.depth for part in record}
    place = {tag: i for i, tag in enumerate(depths)}
    pairs = dict.fromkeys(
        (row[w], place[part.tag]) for part, words in zip(record, parts, strict=True) for w in words
    )
    word, node = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    tf = np.array(list(counts.values()), dtype=np.int64)
    return WordCounts(tuple(counts), tf, tuple(depths.items()), word, node)


@lru_cache(maxsize=1 << 17)
def word_traits(word: str) -> tuple[int, int]:
    """Return the class of a word's length, and its kind."""
    kind = 2 if any(c.isdigit() for c in word) else int(not word.isascii())
    return sum(len(word) > most for most in LONGEST), kind
