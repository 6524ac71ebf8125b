"""Our order in a deep crawl by crawl4ai: ``deep_crawl_strategy=OrderedStrategy(order)``."""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy
from crawl4ai.models import CrawlResult

from tres_lib.web import canonical_url, parse_page

from .order import Order, offered


class OrderedStrategy(BestFirstCrawlingStrategy):
    """A strategy of crawl4ai that fetches what an `Order` says, and lets it learn.

    Results come as they arrive, with ``metadata["relevance"]``, the probability, and ``"score"``,
    the policy's estimate. The depth is bounded by the order's `scope`, and a crawl goes on by the
    order's `journal`.

    Parameters
    ----------
    at_once : int
        How many pages are asked for at once; the next choice waits for all of them.
    **options
        Those of `BestFirstCrawlingStrategy`, such as `filter_chain`, `include_external`,
        `max_pages` and `should_cancel`.
    """

    def __init__(self, order: Order, at_once: int = 5, **options: Any):
        super().__init__(**{"max_depth": sys.maxsize, **options})
        self.order, self.at_once = order, at_once
        self._asked_as: dict[str, str] = {}  # by canonical URL, as crawl4ai would ask for it

    async def _arun_best_first(
        self, start_url: str, crawler: AsyncWebCrawler, config: CrawlerRunConfig
    ) -> AsyncIterator[CrawlResult]:
        self._cancel_event = asyncio.Event()
        single = config.clone(deep_crawl_strategy=None, stream=True)
        self._pages_crawled = 0
        urls = [] if self.order.knows(start_url) else [start_url]
        if urls:
            self.order.seed(start_url)
        while not await self._check_cancellation():
            urls += self._choose(len(urls))
            if not urls:
                break
            async for result in await crawler.arun_many(urls=urls, config=single):
                self._pages_crawled += bool(result.success)
                await self._show(result)
                yield result
            urls = []

    def _choose(self, chosen: int) -> list[str]:
        """Return the URLs to ask for, as many as there is room for beside those chosen."""
        room = min(self.at_once, self.max_pages - self._pages_crawled) - chosen
        urls: list[str] = []
        while len(urls) < room and (url := self.order.next()) is not None:
            urls.append(self._asked_as.pop(url, url))
        return urls

    async def _show(self, result: CrawlResult) -> None:
        """Let the order learn from a result; note in it what the order says."""
        if not result.success:
            why = result.error_message or "failed"
            self.order.failed(result.url, why.splitlines()[0], result.status_code)
            return
        kinds = ("internal", "external") if self.include_external else ("internal",)
        for link in (link for kind in kinds for link in result.links.get(kind, [])):
            url = canonical_url(link["href"])
            if url and not self.order.knows(url) and await self.can_process_url(link["href"], 1):
                self._asked_as.setdefault(url, link["href"])
        page = parse_page(result.redirected_url or result.url, result.html)
        row = self.order.page(result.url, offered(page, self._asked_as, {}))
        if row:
            said = {"relevance": row["p"], "score": row["q"], "parent_url": row["parent"]}
            result.metadata = (result.metadata or {}) | said | {"depth": row["depth"]}
