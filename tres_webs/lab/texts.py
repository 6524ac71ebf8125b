"""The main texts of a laboratory web's article pages."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from . import prose
from .prose import Dice
from .sites import Rings

PageKey = tuple[int, int, int]  # a page by its site, article and variant
WORD_MASK = (1 << 64) - 1
MARKS = ".,;:()[]\"'"


@dataclass(eq=False)
class Texts:
    """The texts of one web, made of the sentences of its articles."""

    seed: int
    noise: float  # share of pages with a sentence from anywhere
    headlines: tuple[float, ...]  # shares of kinds of title, cumulative; (): all their article's
    names: Sequence[str]  # of each article
    sentences: Sequence[Sequence[str]]  # of each article
    rings: Rings

    def __post_init__(self) -> None:
        # Kept as long as the web: each link asks for them.
        self.bits = lru_cache(2**16)(self._bits)
        self.title = lru_cache(2**16)(self._title)
        self._words = cache(self._split)

    def near(self, article: int, dice: Dice) -> int:
        """Draw an article near another one."""
        return self._near(article, dice())

    def _near(self, article: int, u: float) -> int:
        ring = self.rings.cumulative[article]
        return int(self.rings.article[article, min(bisect_right(ring, u), len(ring) - 1)])

    def text(self, page: PageKey, spam: bool) -> str:
        """Return a page's text: of spam the words of a subject, over and over."""
        article, dice = page[1], Dice(self.seed, 4, *page)
        if spam:
            words = [w for _ in range(4) for w in self.names[self.near(article, dice)].split()]
            return prose.stuffed(words, dice)
        near = [self.near(article, dice) for _ in range(dice.below(4))]
        mentioned = [dice.pick(self.sentences[other]) for other in near if other != article]
        noise = dice.pick(dice.pick(self.sentences)) if dice() < self.noise else None
        return prose.body(self.sentences[article], mentioned, noise, dice)

    def _bits(self, page: PageKey) -> int:
        """Return the 64 random bits of a page: what it is called, and whether it is gone."""
        h = self.seed  # hashed: cheaper than `Dice`, since each link asks
        for part in (18, *page):
            h = (h ^ part) * 0x9E3779B97F4A7C15 & WORD_MASK
            h ^= h >> 29
        h = h * 0xBF58476D1CE4E5B9 & WORD_MASK
        return h ^ h >> 32

    def _title(self, page: PageKey) -> str:
        """Return a page's title: its article's, or a headline out of the article's sentences."""
        article = page[1]
        if not self.headlines:
            return self.names[article]
        bits = self.bits(page)
        kind = bisect_right(self.headlines, (bits & 0xFF) / 0x100)
        if kind == 0:
            return self.names[article]
        near = self._near(article, (bits >> 8 & 0xFFF) / 0x1000)
        first, second = ((article, article), (article, near), (near, near))[kind - 1]
        start = self._run(first, bits >> 20)
        return f"{start[:1].upper()}{start[1:]} {self._run(second, bits >> 36)}"

    def _run(self, article: int, bits: int) -> str:
        """Return one to three words in a row from an article's sentences, by 16 random bits."""
        sentences = self._words(article)
        words = sentences[(bits & 0xFF) % len(sentences)]
        start = (bits >> 8 & 0x3F) % len(words)
        return " ".join(words[start : start + 1 + (bits >> 14) % 3])

    def _split(self, article: int) -> list[list[str]]:
        """Return the words of each of an article's sentences, without the marks around them."""
        split = ([word.strip(MARKS) for word in text.split()] for text in self.sentences[article])
        return [list(filter(None, words)) or [self.names[article]] for words in split]
