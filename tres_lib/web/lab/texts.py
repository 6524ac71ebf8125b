"""The main texts of a laboratory web's article pages, and what their revisions make of them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from . import prose
from .prose import Dice
from .sites import Rings

PageKey = tuple[int, int, int]  # a page by its site, article and variant


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of one web, made of the sentences of its articles."""

    seed: int
    noise: float  # share of pages with a sentence from anywhere
    names: Sequence[str]  # of each article
    sentences: Sequence[Sequence[str]]  # of each article
    rings: Rings

    def near(self, article: int, dice: Dice) -> int:
        """Draw an article near another one."""
        ring = self.rings.cumulative[article]
        return int(self.rings.article[article, min(bisect_right(ring, dice()), len(ring) - 1)])

    def text(self, page: PageKey, spam: bool, version: int = 0) -> str:
        """Return a page's text after so many revisions, each of which redraws a sentence.

        All sentences have their turns, in an order of the page's own, before one is redrawn again.
        """
        text = self._first(page[1], spam, Dice(self.seed, 4, *page))
        if not version:
            return text
        sentences = prose.SENTENCE_END.split(text)
        dice = Dice(self.seed, 11, *page)
        for turn, place in enumerate(sorted(range(len(sentences)), key=lambda _: dice())):
            times = -((turn - version) // len(sentences))  # (version - turn) / n, rounded up
            if times > 0:
                # Checksums odd and even in turns: no revision leaves a sentence as it was.
                odd = (_checksum(sentences[place]) + times) % 2
                words = Dice(self.seed, 12, *page, place, times)
                sentences[place] = self._sentence(page[1], spam, odd, words)
        return " ".join(sentences)

    def _first(self, article: int, spam: bool, dice: Dice) -> str:
        if spam:
            words = [w for _ in range(4) for w in self.names[self.near(article, dice)].split()]
            return prose.stuffed(words, dice)
        near = [self.near(article, dice) for _ in range(dice.below(4))]
        mentioned = [dice.pick(self.sentences[other]) for other in near if other != article]
        noise = dice.pick(dice.pick(self.sentences)) if dice() < self.noise else None
        return prose.body(self.sentences[article], mentioned, noise, dice)

    def _sentence(self, article: int, spam: bool, odd: int, dice: Dice) -> str:
        """Draw a sentence, mostly of the article's own, whose checksum is odd or even."""
        while True:
            kind = dice()
            near = article if kind < 0.7 else self.near(article, dice)
            source = self.sentences[near] if kind < 0.95 else dice.pick(self.sentences)
            sentence = self._first(article, spam, dice) if spam else dice.pick(source)
            if _checksum(sentence) % 2 == odd:
                return sentence


def _checksum(sentence: str) -> int:
    return crc32(sentence.encode())
