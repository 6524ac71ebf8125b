"""Judge pages: on the topic or not, how often asked for, and which of their text counts."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from tres_lib.topics import Scorer, anchor_text, page_text
from tres_webs import Link, Page
from tres_webs.parsing import fold, printable

from ..web.feeds import DatedLink, seconds_of
from ..web.guard import CHANGING
from .beliefs import SCORES

WORDS = 6  # of a line of prose; shorter ones are menus and dates, unless the page has no other
MOST = 40_000  # characters of a text that are stored


@dataclass(frozen=True)
class Judged:
    """What a page is."""

    id: int  # that of its URL
    url: str
    title: str
    links: tuple[Link, ...]
    p: float  # the probability that it is on the topic
    relevant: bool  # whether it is that
    importance: float  # requests a day while it is new, times `p`; 0 if it is not on the topic
    text: str  # the main text, by which changes are seen
    digest: int  # of that
    words: int | None  # digest of its words without numbers and dates, equal for copies; None: none
    feed: bool  # whether it has dated links, as feeds and sitemaps have
    conditions: Mapping[str, str]  # by which the next look may ask whether it has changed
    modified: float  # when its server says that it changed last, in seconds; NaN: it does not


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
        title, text = printable(page.title), main_text(page)
        words = " ".join(CHANGING.sub(" ", f"{page.title} {page.text}").lower().split())
        return Judged(
            id=number_of(page.url),
            url=page.url,
            title=title,
            links=page.links,
            p=p,
            relevant=p >= 0.5,
            importance=p * weight if p >= 0.5 else 0.0,
            text=text,
            digest=number_of(text),
            words=number_of(words) if words else None,
            feed=any(isinstance(link, DatedLink) for link in page.links),
            conditions=conditions,
            modified=modified(conditions),
        )

    def bins(self, links: Sequence[Link], relevant: bool) -> list[int]:
        """Return the bin of each link's probability, by its anchor, on a page that is relevant."""
        scores = self.classifier.proba([*map(anchor_text, links)])
        return (SCORES * relevant + np.minimum((scores * SCORES).astype(int), SCORES - 1)).tolist()


def modified(conditions: Mapping[str, str]) -> float:
    """Return when a server said that a page changed last, in seconds; NaN if it did not."""
    text = conditions.get("If-Modified-Since")
    said = seconds_of(text) if text else None
    return math.nan if said is None else said


def main_text(page: Page) -> str:
    """Return a page's lines of prose, folded; all of its lines if it has none."""
    lines = [*map(fold, page.text.splitlines())]
    prose = [line for line in lines if len(line.split()) >= WORDS]
    return "\n".join(prose or lines)[:MOST]


def number_of(text: str) -> int:
    """Return a text's digest, as SQLite stores whole numbers: in 64 bits, signed."""
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
