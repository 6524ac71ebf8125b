"""Judge pages: on the topic or not, how often asked for, and which of their text counts."""

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from pathlib import Path

from tres_lib.checks import count
from tres_lib.store import open_file
from tres_lib.topics import Scorer, anchor_text, page_text
from tres_lib.web import Link, Page, canonical_url
from tres_lib.web.reader import fold, printable

from ..web.guard import CHANGING

COLUMNS = ("url", "count", "day")  # of a log of requests
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


def request_log(path: str | Path) -> Callable[[Page], float]:
    r"""Return the importance of pages by a log: a page's requests a day.

    A page that the log does not have, such as a new one, has the mean of those that it has. The
    file is CSV with the columns ``url``, ``count`` and ``day`` (2026-01-31); ValueError if it is
    not, or has no requests.

    Examples
    --------
    >>> import tempfile
    >>> from tres_lib.web import parse_page
    >>> path = Path(tempfile.mkdtemp(), "requests.csv")
    >>> log = "url,count,day\nhttp://a.example/b,6,2026-01-01\nhttp://a.example/c,2,2026-01-02\n"
    >>> _ = path.write_text(log)
    >>> importance = request_log(path)
    >>> [importance(parse_page(f"http://a.example/{name}", "")) for name in "bcd"]
    [3.0, 1.0, 2.0]
    """
    counts: Counter[str] = Counter()
    days: list[date] = []
    with open_file(Path(path).resolve(), "r", newline="", encoding="utf-8-sig") as file:
        for n, row in enumerate(csv.DictReader(file), 2):
            try:
                url, requests, day = (row[name] for name in COLUMNS)
                days.append(date.fromisoformat(day))
                counts[canonical_url(url) or url] += count("count", int(requests), 0, 10**12)
            except (KeyError, ValueError, TypeError) as error:
                raise ValueError(
                    f"{str(path)!r}, line {n}: {error}; give the columns {', '.join(COLUMNS)}"
                ) from None
    if counts.total() <= 0:
        raise ValueError(f"{str(path)!r} has no requests")
    span = (max(days) - min(days)).days + 1
    mean = counts.total() / len(counts) / span

    def importance(page: Page) -> float:
        return counts[page.url] / span if page.url in counts else mean

    return importance
