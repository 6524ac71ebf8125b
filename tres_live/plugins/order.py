"""The order of another crawler's fetches: a crawl with a classifier, a journal and no fetcher."""

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from tres_lib.focused.crawl import Crawl
from tres_lib.focused.drivers import History, past_of
from tres_lib.focused.fetching import Visit
from tres_lib.focused.settings import CrawlArguments
from tres_lib.store import Journal
from tres_webs import FetchError, Page, Topic, canonical_url, get_topic

from ..topic.own import own_classifier


class Order(Crawl):
    """Tell another crawler what to fetch next, and learn from each page that it brings.

    It is a `focused.Crawl` with a default classifier and a journal. The crawler keeps its fetching,
    its manners, its filters and its storage. URLs are compared in canonical form. A page that it
    fetched unasked is learnt from too. Several pages may be in flight. It is for one thread.

    Parameters
    ----------
    topic : str, Topic or iterable of str
        As in `focused.crawl`, or keywords alone.
    journal : path, optional
        A file, made if need be, of what was fetched. With it a later crawl goes on: it learns again
        from those pages, and `knows` them; what was in flight is `waiting`. ValueError if it is of
        another topic.
    **settings
        Those of `focused.crawl`, by default with ``policy="prospector"`` and a classifier learnt
        from the topic's keywords and examples.

    Examples
    --------
    >>> from tres_webs import Link
    >>> order = Order(["jazz", "singer"], policy="best-first", budget=10)
    >>> start = "http://a.example/"
    >>> order.ask(start, seed=True)
    'http://a.example/'
    >>> links = Link(f"{start}tax", "Taxes"), Link(f"{start}jazz", "Jazz singers")
    >>> row = order.tell(start, Page(start, 200, "Music", "Of jazz: each singer", links))
    >>> round(row["p"], 1), row["depth"]
    (0.7, 0)
    >>> order.ask(), order.ask(), order.ask()
    ('http://a.example/jazz', 'http://a.example/tax', None)
    >>> _ = order.tell(f"{start}tax", FetchError(f"{start}tax", "HTTP 404", 404))
    >>> order.result().log[["step", "url", "reason"]].values.tolist()[1:]
    [[1, 'http://a.example/tax', 'HTTP 404']]
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
        given: Any = {"policy": "prospector", **settings}
        if given.get("classifier") is None:
            given["classifier"] = own_classifier(subject)
        super().__init__([], subject, past=past_of(journal), **given)
        self._begun_at = time.perf_counter()
        same = {"topic": subject.name, "rng": self.settings.as_json()["rng"]}
        self._journal = None if journal is None else Journal(journal, same)
        self._history, earlier = History(None), History(self._journal)
        for visit, _ in earlier.replay(self, whole=True):
            self._begun_at = time.perf_counter() - visit.seconds
        self._history = earlier  # from here on asks and tells are written

    def ask(self, url: str | None = None, *, seed: bool = False, **how: Any) -> str | None:
        """Return the next URL, as `Crawl.ask` does, and note it in the journal."""
        new = url is None or not self.knows(url)
        asked = super().ask(None if url is None else _canonical(url), seed=seed, **how)
        if asked and new:
            self._history.asked(asked, seed)
        return asked

    def tell(
        self,
        url: str,
        came: Page | FetchError | Visit,
        seconds: float | None = None,
        p: float | None = None,
        own: np.ndarray | None = None,
    ) -> dict[str, Any]:
        """Learn what came of a URL; return its row of the log, {} if it was known.

        A page's links are those that the crawler may fetch.
        """
        url = _canonical(url)
        if url not in self.waiting:
            if self.knows(url):
                return {}
            self.ask(url)
        if not isinstance(came, Visit):
            now = time.perf_counter() - self._begun_at
            came = Visit.of(url, came, now if seconds is None else seconds)
        came = replace(came, url=url)
        self._history.write(came)
        return super().tell(url, came, came.seconds, p, own)

    def knows(self, url: str) -> bool:
        """Return whether a URL was fetched or asked for, in any spelling."""
        return super().knows(_canonical(url))

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()


def _canonical(url: str) -> str:
    return canonical_url(url) or url
