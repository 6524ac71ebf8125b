"""The order of another crawler's fetches: frontier, policy and classifier without a fetcher."""

import sys
import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from tres_lib.focused.crawl import open_crawl
from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.fetcher import Fetcher, Visit
from tres_lib.focused.loop import Crawler
from tres_lib.focused.policy import as_given
from tres_lib.focused.result import CrawlResult, make_log
from tres_lib.focused.settings import CrawlArguments, CrawlSettings
from tres_lib.journal import Journal
from tres_lib.web import Failure, Link, Page, Topic, Web, canonical_url, get_topic

from ..topic.own import own_classifier


class Order:
    """Tell another crawler what to fetch next, and learn from each page that it brings.

    The crawler keeps its fetching, its manners, its filters and its storage. URLs are compared in
    canonical form. A page that it fetched unasked is learnt from too. Several pages may be in
    flight. It is for one thread.

    Parameters
    ----------
    topic : str, Topic or iterable of str
        As in `focused.crawl`, or keywords alone.
    journal : path, optional
        A file, made if need be, of what was fetched. With it a later crawl goes on: it learns again
        from those pages, and `knows` them. ValueError if it is of other arguments.
    **settings
        Those of `focused.crawl`, by default with ``policy="prospector"`` and a classifier learnt
        from the topic's keywords and examples. `in_flight` and `patience` are the crawler's.

    Examples
    --------
    >>> order = Order(["jazz", "singer"], policy="best-first", budget=10)
    >>> start = "http://a.example/"
    >>> order.seed(start)
    >>> links = Link(f"{start}tax", "Taxes"), Link(f"{start}jazz", "Jazz singers")
    >>> row = order.page(start, Page(start, 200, "Music", "Of jazz: each singer", links))
    >>> round(row["p"], 1), row["depth"]
    (0.7, 0)
    >>> order.next(), order.next(), order.next()
    ('http://a.example/jazz', 'http://a.example/tax', None)
    >>> order.failed(f"{start}tax", "HTTP 404", 404)
    >>> order.result().log[["step", "url", "failure"]].values.tolist()[1:]
    [[1, 'http://a.example/tax', 'failed']]
    """

    def __init__(
        self,
        topic: str | Topic | Iterable[str],
        *,
        journal: str | Path | None = None,
        **settings: Unpack[CrawlArguments],
    ):
        if not isinstance(topic, str | Topic):
            topic = Topic("own", tuple(topic))
        subject = get_topic(topic)
        given: dict[str, Any] = {"policy": "prospector", **settings}
        keywords = given.pop("keywords", None)
        if given.get("classifier") is None:
            given["classifier"] = own_classifier(subject)
        given["in_flight"] = sys.maxsize
        made = CrawlSettings([], subject, tuple(keywords or subject.keywords), **given)
        self._crawl: Any = open_crawl(Web(), made, kind=_Driven)
        self._begun = time.perf_counter()
        self._journal: Journal | None = None
        if journal is not None:
            file = Journal(journal, made.as_json())
            for line in iter(file.read, None):
                self._take_in(Visit.from_json(line), line["seed"])
            self._journal = file

    @property
    def more(self) -> bool:
        """Whether `next` has a URL now; pages in flight may bring others."""
        return bool(self._crawl.may_choose())

    @property
    def ending(self) -> Ending | None:
        """Why there is nothing left to fetch; None while there is, or pages are in flight."""
        return None if self._crawl.in_flight or self.more else self._crawl.why_no_more()

    def knows(self, url: str) -> bool:
        """Return whether a URL was fetched, or was given out to be."""
        return bool(self._crawl.frontier.fetched(_canonical(url)))

    def seed(self, url: str) -> None:
        """Note that the crawler begins with a URL, whose page is taken as relevant."""
        self._crawl.take(_canonical(url), seed=True)

    def next(self) -> str | None:
        """Return the URL to fetch next; None if there is none now: see `ending`."""
        return self._crawl.next_url()

    def page(self, url: str, page: Page) -> dict[str, Any]:
        """Learn from the page that a URL led to; return its row of the log, {} if it was known.

        Its links are those that the crawler may fetch; see `offered`.
        """
        return self._take_in(self._visit(url, page, page.status))

    def failed(self, url: str, reason: str = "failed", status: int | None = None) -> None:
        """Note that a URL which is in flight gave no page; others are ignored."""
        if _canonical(url) in self._crawl.in_flight:
            self._take_in(self._visit(url, None, status, Failure.OTHER, reason))

    def result(self) -> CrawlResult:
        """Return the crawl so far: its log, figures and explanations."""
        crawl = self._crawl
        about, policy = crawl.settings.as_json(), as_given(crawl.policy)
        return CrawlResult(make_log(crawl.rows), about, self.ending, policy, crawl.frontier)

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()

    def _visit(self, url: str, page: Page | None, *about: Any) -> Visit:
        return Visit(_canonical(url), page, time.perf_counter() - self._begun, *about)

    def _take_in(self, visit: Visit, seed: bool = False) -> dict[str, Any]:
        self._crawl.take(visit.url, seed)
        if visit.url not in self._crawl.in_flight:
            return {}
        if self._journal is not None:
            is_seed = visit.url in self._crawl.seeds
            self._journal.append(visit.as_json() | {"seed": is_seed})
        return self._crawl.arrive(visit)


class _Driven(Crawler):
    """A crawl that waits for what another crawler brings."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.seeds: set[str] = set()
        self.fetcher = self._brought = _Brought()

    @property
    def in_flight(self) -> Any:
        """The URLs that are waited for."""
        return self._waiting.keys()

    def may_choose(self) -> bool:
        return self._next_step <= self._budget and self._more()

    def why_no_more(self) -> Ending:
        return Ending(Stop.SPENT) if self._step >= self._budget else self.why_nothing()

    def take(self, url: str, seed: bool) -> None:
        """Wait for a URL that was not chosen here, unless it is known."""
        if self.frontier.fetched(url):
            return
        if not seed:
            self._course.append(url)
            self._ask(self._next_step, self._next_of_course(self._next_step))
            return
        self.seeds.add(url)
        [action] = self._new_actions(0, [Link(url, "")])[0].tolist()
        self._drop([other for other in self.frontier.take(url) if other != action])
        self._ask(0, action)

    def next_url(self) -> str | None:
        if not self.may_choose():
            return None
        self._last_step = self._next_step  # one choice
        self._choose(self._step + 1)
        return self._brought.asked

    def arrive(self, visit: Visit) -> dict[str, Any]:
        self._brought.visit = visit
        step = self._step
        self._arrive(0 if visit.url in self.seeds else step + 1)
        self._step = max(step, self._step)  # a seed may come late
        return self.rows[-1]

    @property
    def _budget(self) -> int:
        return self.settings.budget + self.settings.extra

    @property
    def _next_step(self) -> int:
        return self._step + 1 + len(self._waiting)


class _Brought(Fetcher):
    asked: str
    visit: Visit

    def __init__(self) -> None:
        super().__init__(Web())

    def ask(self, url: str) -> None:
        self.asked = url

    def next(self) -> Visit:
        return self.visit


def offered(page: Page, waiting: Container[str], found: Mapping[str, str]) -> Page:
    """Return the page with those links alone that wait to be fetched.

    `found` are the anchors, by URL, of what else was found there, such as by a script.

    Examples
    --------
    >>> page = Page("http://a.example/", 200, "", "", (Link("http://a.example/b", "B"),))
    >>> offered(page, {"http://a.example/c"}, {"http://a.example/c": "C"}).links
    (Link(url='http://a.example/c', anchor='C'),)
    """
    links = {link.url: link for link in page.links}
    for url, anchor in found.items():
        links.setdefault(url, Link(url, anchor))
    return replace(page, links=tuple(link for url, link in links.items() if url in waiting))


def _canonical(url: str) -> str:
    return canonical_url(url) or url
