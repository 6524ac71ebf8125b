"""What a crawl meets: how much there is of a topic, what links reach of it, how it is judged."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from tres_lib.topics import Scorer, page_text
from tres_webs import FetchError, VitalWeb
from tres_webs.lab.sites import SPAM

SAMPLED = 1_000, 4_000  # relevant and other pages by which a judge is tested, at most
FOLLOWED = ("article", "print", "front", "section")  # kinds of pages; calendars never end
EXPLORED = 200_000  # pages of a web in which all links are followed, at most


@dataclass(frozen=True)
class Cut:
    """A classifier whose cut is moved: what it gives the probability `at` gets a half."""

    right: Scorer
    at: float

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probabilities, (n,), below and above the cut each stretched evenly."""
        p = np.asarray(self.right.proba(texts), float)
        return np.where(p < self.at, 0.5 * p / self.at, 1 - 0.5 * (1 - p) / (1 - self.at))


def survey(web: VitalWeb, topic: str, judge: Scorer, seeds: Sequence[str]) -> dict[str, Any]:
    """Return what there is of a topic on a laboratory's web, and how good its judge is.

    ``relevant`` article pages lie on so many ``sites``. ``reachable``: those to which links lead
    from the seeds, without these; None on webs of more than `EXPLORED` pages.
    """
    tested = sampled(web, topic)
    precision, recall = quality(web, tested, judge, [0.5])
    reached = None
    if web.table.sizes.sum() <= EXPLORED:
        reached = sum(bool(web.is_relevant(url, topic)) for url in articles_reached(web, seeds))
        reached -= len(seeds)
    return {
        "pages in all": int(web.table.sizes.sum()),
        "sites in all": len(web.table.sizes),
        "relevant": tested[0][0],
        "sites": int(np.unique(web.table.site[entries_on(web, topic)]).size),
        "reachable": reached,
        "seeds": len(seeds),
        "precision": float(precision[0]),
        "recall": float(recall[0]),
    }


def sampled(web: VitalWeb, topic: str, rng: int = 0) -> list[tuple[int, list[str]]]:
    """Return how many relevant and other article pages there are, and some of each at random."""
    draw, on_topic = np.random.default_rng(rng), entries_on(web, topic)
    honest = web.table.role[web.table.site] != SPAM
    parts = []
    for entries, most in zip((on_topic, honest & ~on_topic), SAMPLED, strict=True):
        rows = np.flatnonzero(entries)
        ends = np.cumsum(web.table.count[rows])
        drawn = draw.choice(ends[-1], min(most, int(ends[-1])), replace=False)
        at = np.searchsorted(ends, drawn, side="right")
        refs = map(web.ref, rows[at], ends[at] - 1 - drawn)
        urls = [web.addresses.url(ref) for ref in refs if web.writer.stands(ref)]
        parts.append((int(ends[-1]), urls))
    return parts


def quality(
    web: VitalWeb,
    tested: Sequence[tuple[int, list[str]]],
    judge: Scorer,
    cuts: Sequence[float],
) -> tuple[np.ndarray, np.ndarray]:
    """Return precision and recall over all article pages at each cut, both (n,)."""
    taken = []
    for number, urls in tested:
        p = np.asarray(judge.proba([page_text(web.fetch(url)) for url in urls]))
        taken.append(number * (p[:, None] >= np.asarray(cuts)).mean(axis=0))
    right, wrong = taken
    return right / np.maximum(right + wrong, 1e-9), right / tested[0][0]


def articles_reached(web: VitalWeb, start: Iterable[str]) -> set[str]:
    """Return the article pages to which links lead from some pages; printed copies are no more."""
    found = set()

    def links(url: str) -> set[str]:
        try:
            page = web.fetch(url)
        except FetchError:
            return set()
        if (kind := web.kind(page.url)) == "article":
            found.add(page.url)
        return {link.url for link in page.links} if kind in FOLLOWED else set()

    reached(start, links)
    return found


def reached(start: Iterable[str], links: Callable[[str], Set[str]]) -> set[str]:
    """Return the pages to which links lead from some pages, these too."""
    waiting = list(start)
    met = set(waiting)
    while waiting:
        new = links(waiting.pop()) - met
        met |= new
        waiting += new
    return met


def entries_on(web: VitalWeb, topic: str) -> np.ndarray:
    """Return which entries of the web's table are pages on a topic, (E,) bool."""
    table = web.table
    return web.labels(topic)[table.article] & (table.role[table.site] != SPAM)
