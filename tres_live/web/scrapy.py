"""Scrapy as the fetcher of a crawl, optional (``pip install 'tres_lib[scrapy]'``)."""

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from w3lib.encoding import http_content_type_encoding

from tres_lib.extras import extra
from tres_lib.web import FetchError, Page, Web, canonical_url, parse_page

from .connections import check_target, may_connect, read_networks
from .formats import is_html

with extra("scrapy"):
    from scrapy import Request, Spider, signals
    from scrapy.crawler import Crawler, CrawlerProcess
    from scrapy.http import Response
    from scrapy.resolver import CachingThreadedResolver
    from scrapy.utils.defer import maybe_deferred_to_future
    from twisted.internet.defer import Deferred
    from twisted.internet.error import DNSLookupError
    from twisted.internet.threads import deferToThread
    from twisted.python.failure import Failure

T = TypeVar("T")


def with_scrapy(
    work: Callable[[Web], T],
    settings: Mapping[str, Any],
    meta: Mapping[str, Any] | None = None,
    allow_private: bool | Iterable[str] = False,
) -> T:
    """Return ``work(web)`` for a web whose pages Scrapy fetches.

    Robots, delays, retries, size limits and logging are Scrapy's, by its settings. Private
    addresses and odd ports are refused as by `LiveWeb`, and no cookies are kept; a download handler
    that does not resolve names by Twisted is not guarded. As any of Scrapy's processes it needs the
    main thread, and can be started once.

    Parameters
    ----------
    work : callable
        Such as ``lambda web: focused.crawl(web, seeds, topic, in_flight=16)``; it runs in a thread.
    settings : mapping
        Scrapy's: USER_AGENT, ROBOTSTXT_OBEY, DOWNLOAD_DELAY, CONCURRENT_REQUESTS...
    meta : mapping, optional
        Of each request, such as {"proxy": "http://127.0.0.1:8080"}.
    allow_private : bool or iterable of str
        As in `LiveWeb`. Proxies, also those of the environment, are always allowed.

    Raises
    ------
    KeyboardInterrupt
        If Scrapy was stopped before the work was done; a crawl with a checkpoint can go on later.
    RuntimeError
        If Scrapy could not start.
    """
    outcome: Future[T] = Future()
    meta = dict(meta or {})
    guard = {
        "TRES_ALLOWED": read_networks(allow_private),
        "TRES_PROXIES": {urlsplit(p).hostname for p in (meta.get("proxy"), *getproxies().values())},
        "DNS_RESOLVER": _Resolver,
        "DOWNLOADER_MIDDLEWARES": {**settings.get("DOWNLOADER_MIDDLEWARES", {}), _Guard: 0},
        "COOKIES_ENABLED": False,
    }
    process = CrawlerProcess({**settings, **guard})
    process.crawl(_Waiting, work=work, meta=meta, outcome=outcome)
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

    def fetch(self, url: str) -> Page:
        """Hand a request to Scrapy's scheduler, wait, and parse the answer; or FetchError."""
        from twisted.internet import reactor  # importing it installs it, so not before Scrapy

        arrived: Future[Response | Failure] = Future()
        done = arrived.set_result
        try:  # unfiltered, as the crawl asks for nothing twice
            request = Request(url, done, errback=done, dont_filter=True, meta=dict(self._meta))
        except ValueError as error:
            raise FetchError(url, f"not a URL: {error}") from error
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


class _Guard:
    """Refuse what a link, a redirect or a robots.txt must not lead to, before all else."""

    def __init__(self, crawler: Crawler):
        self._allowed = crawler.settings["TRES_ALLOWED"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        url = canonical_url(request.url)
        if url is None:
            raise FetchError(request.url, "not a URL that a crawler may fetch")
        check_target(url, self._allowed)


class _Resolver(CachingThreadedResolver):
    """Scrapy's resolver, which knows no private addresses but those of proxies."""

    _settings: Any

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        made = super().from_crawler(crawler, reactor)
        made._settings = crawler.settings
        return made

    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:
        return super().getHostByName(name, timeout).addCallback(self._check, name)

    def _check(self, address: str, name: str) -> str:
        private = not may_connect(address, self._settings["TRES_ALLOWED"])
        if private and name not in self._settings["TRES_PROXIES"]:
            raise DNSLookupError(f"{name} has a private address, {address}")
        return address


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
