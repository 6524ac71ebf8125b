"""The main texts of a laboratory web's article pages, and what their revisions make of them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

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
        A redrawn one bears the number of its revision, so no two versions are the same.
        """
        text = self._first(page[1], spam, Dice(self.seed, 4, *page))
        if not version:
            return text
        sentences = prose.SENTENCE_END.split(text)
        dice = Dice(self.seed, 11, *page)
        for turn, place in enumerate(sorted(range(len(sentences)), key=lambda _: dice()), 1):
            if turn <= version:
                last = version - (version - turn) % len(sentences)  # revision of this place
                words = Dice(self.seed, 12, *page, last)
                sentences[place] = f"Update {last}: {self._another(page[1], spam, words)}"
        return " ".join(sentences)

    def _first(self, article: int, spam: bool, dice: Dice) -> str:
        if spam:
            words = [w for _ in range(4) for w in self.names[self.near(article, dice)].split()]
            return prose.stuffed(words, dice)
        near = [self.near(article, dice) for _ in range(dice.below(4))]
        mentioned = [dice.pick(self.sentences[other]) for other in near if other != article]
        noise = dice.pick(dice.pick(self.sentences)) if dice() < self.noise else None
        return prose.body(self.sentences[article], mentioned, noise, dice)

    def _another(self, article: int, spam: bool, dice: Dice) -> str:
        """Draw a sentence, mostly of the article's own; for spam a whole text."""
        if spam:
            return self._first(article, spam, dice)
        kind = dice()
        near = article if kind < 0.7 else self.near(article, dice)
        return dice.pick(self.sentences[near] if kind < 0.95 else dice.pick(self.sentences))
