"""Scrapy as the fetcher of a crawl, optional (``pip install scrapy``)."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure
from w3lib.encoding import http_content_type_encoding

from ..page import FetchError, Page, Web, parse_page
from ..urls import canonical_url
from .body import is_html

T = TypeVar("T")


def with_scrapy(
    work: Callable[[Web], T], settings: Mapping[str, Any], meta: Mapping[str, Any] | None = None
) -> T:
    """Return ``work(web)`` for a web whose pages Scrapy fetches.

    Robots, delays, retries, size limits and logging are Scrapy's, by its settings. As any of
    Scrapy's processes it needs the main thread, and can be started once.

    Parameters
    ----------
    work : callable
        Such as ``lambda web: focused.crawl(web, seeds, topic, in_flight=16)``; it runs in a thread,
        and may wrap the web in an `Archive` and a `Guard`.
    settings : mapping
        Scrapy's: USER_AGENT, ROBOTSTXT_OBEY, DOWNLOAD_DELAY, CONCURRENT_REQUESTS...
    meta : mapping, optional
        Of each request, such as {"proxy": "http://127.0.0.1:8080"}.

    Raises
    ------
    KeyboardInterrupt
        If Scrapy was stopped before the work was done; a crawl with a checkpoint can go on later.
    RuntimeError
        If Scrapy could not start; its log says why.
    """
    outcome: Future[T] = Future()
    process = CrawlerProcess(dict(settings))
    process.crawl(_Waiting, work=work, meta=dict(meta or {}), outcome=outcome)
    process.start()
    if not outcome.done():
        raise RuntimeError("Scrapy could not start; its log says why")
    return outcome.result()


class ScrapyWeb(Web):
    """A web whose pages a running Scrapy crawler fetches; called from threads of its own."""

    def __init__(self, crawler: Crawler, meta: Mapping[str, Any]):
        self._crawler = crawler
        self._meta = meta
        self._waiting: set[Future[Response | Failure]] = set()
        self._stopped = False
        crawler.signals.connect(self._stop, signal=signals.spider_closed)

    def __repr__(self) -> str:
        return f"ScrapyWeb({self._crawler.settings['USER_AGENT']!r})"

    def fetch(self, url: str) -> Page:
        """Hand a request to Scrapy's scheduler, wait, and parse what comes; or FetchError."""
        from twisted.internet import reactor  # importing it installs it, so not before Scrapy

        arrived: Future[Response | Failure] = Future()
        done = arrived.set_result
        # Unfiltered, as the crawl asks for nothing twice.
        request = Request(url, done, errback=done, dont_filter=True, meta=dict(self._meta))
        reactor.callFromThread(self._ask, request, arrived)
        answer = arrived.result()
        if isinstance(answer, Failure):
            status = getattr(getattr(answer.value, "response", None), "status", None)
            raise FetchError(url, f"HTTP {status}" if status else answer.getErrorMessage(), status)
        kind = (answer.headers.get("Content-Type") or b"").decode("latin-1")
        if not is_html(kind, answer.body[:1_024]):
            raise FetchError(url, "not HTML", answer.status)
        final = canonical_url(answer.url) or answer.url
        page = parse_page(final, answer.body, http_content_type_encoding(kind))
        return replace(page, fetched_at=time.time())

    # This and `_stop` run in the reactor's thread, so that no page is waited for after the end.
    def _ask(self, request: Request, arrived: Future[Response | Failure]) -> None:
        if self._stopped:
            arrived.set_exception(KeyboardInterrupt())
            return
        self._waiting.add(arrived)
        arrived.add_done_callback(self._waiting.discard)
        self._crawler.engine.crawl(request)

    def _stop(self) -> None:
        self._stopped = True
        for arrived in list(self._waiting):
            arrived.set_exception(KeyboardInterrupt())


class _Waiting(Spider):
    """A spider without requests of its own, open for as long as the work goes on."""

    name = "tres_lib"
    work: Callable[[Web], Any]
    meta: Mapping[str, Any]
    outcome: Future[Any]

    async def start(self):
        web = ScrapyWeb(self.crawler, self.meta)
        await maybe_deferred_to_future(deferToThread(self._work, web))
        for request in ():
            yield request

    def _work(self, web: ScrapyWeb) -> None:
        try:
            self.outcome.set_result(self.work(web))
        except BaseException as error:  # raised where with_scrapy was called
            self.outcome.set_exception(error)
