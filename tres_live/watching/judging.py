"""Judge pages: on the topic or not, how often asked for, and which of their text counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from tres_lib.topics import Scorer, anchor_text, page_text
from tres_webs import Link, Page
from tres_webs.reader import fold, printable

from ..web.guard import CHANGING

WORDS = 6  # of a line of prose; shorter ones are menus and dates, unless the page has no other
MOST = 40_000  # characters of a text that are stored


@dataclass(frozen=True)
class Judged:
    """What a page is."""

    url: str
    title: str
    links: tuple[Link, ...]
    p: float  # the probability that it is on the topic
    importance: float  # requests a day while it is new, times `p`; 0 if it is not on the topic
    text: str  # the main text, by which changes are seen
    digest: int  # of that
    words: int | None  # digest of its words without numbers and dates, equal for copies; None: none
    conditions: Mapping[str, str]  # by which the next look may ask whether it has changed

    @property
    def relevant(self) -> bool:
        """Whether it is on the topic."""
        return self.p >= 0.5


@dataclass(frozen=True)
class Judge:
    """Judges pages and links; `importance`: requests a day of a new relevant page, default 1."""

    classifier: Scorer
    importance: Callable[[Page], float] | None = None

    def page(self, page: Page, conditions: Mapping[str, str]) -> Judged:
        """Return what a page is; ValueError if the importance is no number from 0 on."""
        p = float(self.classifier.proba([page_text(page)])[0])
        weight = 1.0 if self.importance is None else float(self.importance(page))
        if not 0 <= weight < float("inf"):
            raise ValueError(f"importance gave {weight!r} for {page.url}: give numbers from 0 on")
        text = main_text(page)
        words = " ".join(CHANGING.sub(" ", f"{page.title} {page.text}").lower().split())
        return Judged(
            url=page.url,
            title=printable(page.title),
            links=page.links,
            p=p,
            importance=p * weight if p >= 0.5 else 0.0,
            text=text,
            digest=number_of(text),
            words=number_of(words) if words else None,
            conditions=conditions,
        )

    def links(self, links: Sequence[Link]) -> list[float]:
        """Return the probability, by its anchor, that each link is on the topic."""
        return self.classifier.proba([anchor_text(link) for link in links]).tolist()


def main_text(page: Page) -> str:
    """Return a page's lines of prose, folded; all of its lines if it has none."""
    lines = [fold(line) for line in page.text.splitlines()]
    prose = [line for line in lines if len(line.split()) >= WORDS]
    return "\n".join(prose or lines)[:MOST]


def number_of(text: str) -> int:
    """Return a text's digest, as SQLite stores whole numbers: in 64 bits, signed."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
