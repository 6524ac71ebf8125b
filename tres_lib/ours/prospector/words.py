"""What a link says, as hashed words: those of its address and of its anchors, in one namespace."""

import re
from functools import lru_cache
from urllib.parse import unquote_plus
from zlib import crc32

from tres_webs.urls import PAGE_EXTENSION

BUCKETS = 2**20
SHORTEST = 3  # letters
MOST = 8  # words of an address or of an anchor, the first ones
RUN = re.compile(r"[^\W_]+")  # letters and digits
CACHE = 100_000  # anchors, which recur on many pages


class Words:
    """Numbers of words, from 0 to `BUCKETS`, and the words that have them.

    Words of fewer than three letters or with a digit are left out. An anchor, or the last segment
    of a path, of two words or more also counts as a whole: "grace hopper" says more than its words.
    """

    def __init__(self) -> None:
        self._word: dict[int, str] = {}
        self.of_anchor = lru_cache(CACHE)(self._of_anchor)

    def word(self, number: int) -> str:
        """Return the word of a number; of several that share it, the one met first."""
        return self._word[number]

    def of_url(self, url: str) -> tuple[int, ...]:
        """Return the numbers of the words of a URL's path and query."""
        path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
        segments = map(_informative, unquote_plus(PAGE_EXTENSION.sub("", path)).split("/"))
        parts = [part for part in segments if part]
        whole = [" ".join(parts[-1])] if parts and len(parts[-1]) > 1 else []
        words = [word for part in parts for word in part] + _informative(unquote_plus(query))
        return self._numbers(words[:MOST] + whole)

    def _of_anchor(self, anchor: str) -> tuple[int, ...]:
        words = _informative(anchor)[:MOST]
        return self._numbers(words + [" ".join(words)] * (len(words) > 1))

    def _numbers(self, words: list[str]) -> tuple[int, ...]:
        numbers = [crc32(word.encode("utf-8", "replace")) % BUCKETS for word in words]
        for number, word in zip(numbers, words, strict=True):
            self._word.setdefault(number, word)
        return tuple(dict.fromkeys(numbers))


def _informative(text: str) -> list[str]:
    words = RUN.findall(text.lower())
    return [word for word in words if len(word) >= SHORTEST and word.isalpha()]
