"""The trap guard: what a page says itself, apart from the lines that its site repeats."""

from collections.abc import Callable
from zlib import crc32

import numpy as np

from tres_webs.page import Page

BITS = 2**26  # 8 MiB for the lines of all sites; at 600,000 lines one in a hundred is mistaken
SUSPECT = 0.1  # label from which a page that repeats its site is read again


class OwnLines:
    """Lines met so far, by site, in an array of bits (a Bloom filter of one hash).

    An endless calendar's pages consist of their site's sidebar, which may be taken for relevant.
    """

    def __init__(self, proba: Callable[[list[str]], np.ndarray]):
        self._proba = proba
        self._met = np.zeros(BITS // 8, np.uint8)

    def label(self, page: Page, site: int, p: float, guard: bool = True) -> float:
        """Take in a page of a site, and return its label: p, the classifier's probability.

        With `guard`, if less than half of the characters stand in lines that are new to the site,
        it is at most the probability of the title and these lines.
        """
        lines = page.text.split("\n")
        new = [line for line in lines if self._is_new(f"{site}\n{line}")]
        repeats = sum(map(len, new)) < sum(map(len, lines)) / 2
        if guard and repeats and p > SUSPECT:
            return min(p, float(self._proba([" ".join([page.title, *new])])[0]))
        return p

    def _is_new(self, line: str) -> bool:
        byte, bit = divmod(crc32(line.encode("utf-8", "replace")) % BITS, 8)
        if self._met[byte] >> bit & 1:
            return False
        self._met[byte] |= 1 << bit
        return True
