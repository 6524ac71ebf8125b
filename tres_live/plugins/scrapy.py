"""Our order in a crawl by Scrapy: ``ADDONS = {"tres_live.plugins.scrapy.AddOn": 0}``."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

from tres_webs import FetchError, Link, Page, canonical_url, parse_page
from tres_webs.extras import optional

from .order import Order

with optional("scrapy"):
    from scrapy import Request, Spider
    from scrapy.core import scheduler
    from scrapy.http import HtmlResponse, Response
    from scrapy.settings import BaseSettings
    from scrapy.utils.misc import load_object

AGAIN = {"redirect_times", "retry_times"}  # in the meta of requests that were chosen before


class AddOn:
    """Let an `Order` choose among the requests of a spider, which stays as it is.

    The setting TRES holds the arguments of `Order`, such as ``{"topic": ["wine", "grape"]}``. In
    place of an object, ``policy`` and ``classifier`` may be the dotted path of one. With a JOBDIR a
    stopped crawl goes on with what it has learnt, and its log is there as tres.parquet.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        settings.set("SCHEDULER", Scheduler, "addon")
        for name in ("SPIDER_MIDDLEWARES", "DOWNLOADER_MIDDLEWARES"):
            settings[name].set(Pages, 0, "addon")  # sees what all others leave


class Scheduler(scheduler.Scheduler):
    """Scrapy's scheduler, but that a policy chooses among requests for pages.

    Start requests, redirects, retries and requests by other methods than GET come first, in
    Scrapy's order. The filter of duplicates, the statistics and a JOBDIR are Scrapy's.
    """

    def open(self, spider: Spider) -> Any:
        opened, settings = super().open(spider), spider.crawler.settings
        asked = settings.getdict("TRES")
        for name in asked.keys() & {"policy", "classifier"}:
            if isinstance(asked[name], str) and "." in asked[name]:
                asked[name] = load_object(asked[name])
        if self.dqdir:  # in the JOBDIR
            asked.setdefault("journal", Path(self.dqdir).with_name("tres.jsonl"))
        self.order = Order(**asked)
        self.again = list(self.order.waiting)  # in flight when the crawl was killed
        self.waiting: dict[str, Request] = {}  # for the order's choice, by canonical URL
        for request in list(iter(super().next_request, None)):
            if _kind(request) == "page":
                self.waiting[str(canonical_url(request.url))] = request
            else:
                self._mqpush(request)
        return opened

    def close(self, reason: str) -> Any:
        result, stats = self.order.result(), cast(Any, self.stats)
        if self.dqdir:
            for request in self.waiting.values():
                self._dqpush(request)  # what cannot be stored is asked for by its URL
            result.to_parquet(Path(self.dqdir).with_name("tres.parquet"))
        for name in ("fetched", "harvest_rate", "domains", "stopped"):
            stats.set_value(f"tres/{name}", result.summary()[name])
        self.order.close()
        return super().close(reason)

    def has_pending_requests(self) -> bool:
        return super().has_pending_requests() or bool(self.again) or self.order.may_ask

    def enqueue_request(self, request: Request) -> bool:
        kind, known = _kind(request), self.order.knows(request.url)
        if known and (kind == "start" or (kind == "page" and not request.dont_filter)):
            return False
        if kind == "start":
            self.order.ask(request.url, seed=True)
        if kind != "page" or known:
            return super().enqueue_request(request)
        if not request.dont_filter and self.df.request_seen(request):
            self.df.log(request, self.spider)
            return False
        self.waiting.setdefault(str(canonical_url(request.url)), request)
        return True

    def next_request(self) -> Request | None:
        first = super().next_request()
        if first or (url := self.again.pop(0) if self.again else self.order.ask()) is None:
            return first
        return self.waiting.pop(url, None) or Request(url, dont_filter=True)


def _kind(request: Request) -> str:
    again = AGAIN & request.meta.keys()
    if request.meta.get("is_start_request") and not again:
        return "start"
    return "other" if request.method != "GET" or again or not canonical_url(request.url) else "page"


class Pages:
    """Show the order each page, once its requests wait, and each failure that nothing mends."""

    def __init__(self, crawler: Any):
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: Any) -> Any:
        found: list[Request] = []
        async for one in result:
            if isinstance(one, Request):
                found.append(one)
                self._crawler.engine.crawl(one)  # as Scrapy does with what comes out here
            else:
                yield one
        self._show(response, found)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        self._show(response, [])

    def process_exception(self, request: Request, exception: Exception) -> None:
        asked = request.meta.get("redirect_urls", [request.url])[0]
        self._failed(asked, repr(exception))

    def _failed(self, asked: str, reason: str, status: int | None = None) -> None:
        """Tell of a failure what the order waits for; robots.txt and others are no pages of it."""
        order = self._crawler.engine._slot.scheduler.order
        if (url := canonical_url(asked) or asked) in order.waiting:
            order.tell(url, FetchError(url, reason, status))

    def _show(self, response: Any, found: list[Request]) -> None:
        scheduler = self._crawler.engine._slot.scheduler
        asked = response.meta.get("redirect_urls", [response.request.url])[0]
        if response.status >= 400 and not found:
            self._failed(asked, f"HTTP {response.status}", response.status)
            return
        page = Page(response.url, response.status, "", "", ())  # such as JSON, or a sitemap
        if isinstance(response, HtmlResponse):
            page = parse_page(response.url, response.body, response.encoding)
        links = {link.url: link for link in page.links}
        for one in found:  # such as by a script
            url = canonical_url(one.url) or ""
            links.setdefault(url, Link(url, one.meta.get("link_text", "")))
        waiting = tuple(link for url, link in links.items() if url in scheduler.waiting)
        scheduler.order.tell(asked, replace(page, links=waiting))
