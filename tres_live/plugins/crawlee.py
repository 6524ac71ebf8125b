"""Our order in a crawl by crawlee: ``request_manager=OrderedRequests(order)``."""

from collections import deque
from pathlib import Path
from typing import Any

from crawlee import Request
from crawlee.request_loaders import RequestManager
from crawlee.storage_clients.models import ProcessedRequest

from tres_lib.web import Page, canonical_url, parse_page

from .order import Order, offered


class OrderedRequests(RequestManager):
    """A request manager of crawlee that hands out what an `Order` says, and lets it learn.

    It must see the pages: ``crawler.post_navigation_hook(requests.see)``. First requests, requests
    to the forefront or by other methods than GET, and those to try again come first, in their
    order.

    Parameters
    ----------
    file : path, optional
        Keeps the requests with their labels and user data, for an order with a journal that goes
        on. Default: they are made anew from their URLs.
    """

    def __init__(self, order: Order, file: str | Path | None = None):
        self.order = order
        self._file = None if file is None else Path(file)
        self._first: deque[Request] = deque()
        self._waiting: dict[str, Request] = {}  # for the order's choice, by canonical URL
        self._out: set[str] = set()  # unique keys of what is in flight
        self._pages: dict[str, Page] = {}  # of those, by unique key
        self._found: dict[str, str] = {}  # URLs added since a page was shown
        self._handled = 0
        if self._file is not None and self._file.exists():
            for line in self._file.read_text(encoding="utf-8").splitlines():
                self._hold(Request.model_validate_json(line))

    async def see(self, context: Any) -> None:
        """Read the page that a crawler has loaded, by HTTP or by a browser."""
        request, response = context.request, getattr(context, "response", None)
        if (page := getattr(context, "page", None)) is not None:
            status, html = getattr(response, "status", 200), await page.content()
        else:
            status, html = context.http_response.status_code, await context.http_response.read()
        if status < 400:
            url = request.loaded_url or request.url
            self._pages[request.unique_key] = parse_page(url, html)

    async def add_request(
        self, request: str | Request, *, forefront: bool = False
    ) -> ProcessedRequest:
        new = self._transform_request(request)
        url, known = canonical_url(new.url), self.order.knows(new.url)
        there = known or url in self._waiting
        if not there and (url is None or forefront or new.method != "GET" or not new.crawl_depth):
            if not new.crawl_depth:
                self.order.seed(new.url)
            self._first.append(new)
        elif not there:
            self._hold(new)
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(f"{new.model_dump_json()}\n")
        return ProcessedRequest(
            unique_key=new.unique_key, was_already_present=there, was_already_handled=known
        )

    async def fetch_next_request(self) -> Request | None:
        if self._first:
            request = self._first.popleft()
        elif (url := self.order.next()) is None:
            return None
        else:
            request = self._waiting.pop(url) if url in self._waiting else Request.from_url(url)
        self._out.add(request.unique_key)
        return request

    async def mark_request_as_handled(self, request: Request) -> None:
        self._out.discard(request.unique_key)
        self._handled += 1
        page, found = self._pages.pop(request.unique_key, None), self._found
        if page is None:
            self.order.failed(request.url)
        else:
            self._found = {}
            self.order.page(request.url, offered(page, self._waiting, found))

    async def reclaim_request(self, request: Request, *, forefront: bool = False) -> None:
        self._out.discard(request.unique_key)
        self._first.append(request)

    async def is_empty(self) -> bool:
        return not self._first and not self.order.more

    async def is_finished(self) -> bool:
        return not self._out and await self.is_empty()

    async def get_handled_count(self) -> int:
        return self._handled

    async def get_total_count(self) -> int:
        return self._handled + len(self._out) + len(self._first) + len(self._waiting)

    async def drop(self) -> None:
        self._first.clear()
        self._waiting.clear()

    def _hold(self, request: Request) -> None:
        url = canonical_url(request.url)
        if url is not None and not self.order.knows(url):
            self._waiting.setdefault(url, request)
            self._found[url] = ""
