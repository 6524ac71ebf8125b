"""A database behind a real HTML form: served over HTTP on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

from .records import Record, ResultPage
from .site import LONGEST_TERM, SearchSite

_FRAME = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><div class="page"><header><h1>The catalogue</h1>
<form action="/search" method="get"><label for="q">Search for</label>
<input type="search" id="q" name="q" value="{term}" maxlength="{longest}">
<input type="hidden" name="view" value="list"><button type="submit">Find</button></form>
</header><main>{main}</main><footer><p>Terms of use. Contact. Help.</p></footer></div></body></html>
"""


@dataclass(frozen=True)
class Served:
    """A site that is being served.

    url : of the page with the form.
    requests : path and query of each request so far, in their order.
    """

    url: str
    requests: list[str] = field(default_factory=list)


@contextmanager
def serve(site: SearchSite, port: int = 0) -> Iterator[Served]:
    """Serve a site on 127.0.0.1 while the block runs.

    Parameters
    ----------
    site : SearchSite
    port : int
        0 takes a free one.
    """
    server = HTTPServer(("127.0.0.1", port), _Handler)
    server.site = site
    server.served = Served(f"http://127.0.0.1:{server.server_port}/")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers / with the form, and /search?q=TERM&page=N with a page of results."""

    def do_GET(self) -> None:
        self.server.served.requests.append(self.path)
        parts = urlsplit(self.path)
        given = parse_qs(parts.query, keep_blank_values=True)
        if parts.path == "/":
            self._send(200, form_page(self.server.site))
        elif parts.path != "/search":
            self._send(404, _frame("Not found", "", "<p>There is no such page.</p>"))
        else:
            self._send(*_search(self.server.site, given))

    def log_message(self, format: str, *args: object) -> None:
        """Keep the requests out of standard error; `Served.requests` has them."""

    def _send(self, status: int, page: str) -> None:
        body = page.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def form_page(site: SearchSite) -> str:
    """The HTML of the front page: the form, and some titles."""
    titles = "".join(f"<li>{escape(title)}</li>" for title in site.front_page().split("\n"))
    return _frame("The catalogue", "", f"<ul>{titles}</ul>")


def results_page(page: ResultPage, term: str, number: int) -> str:
    """The HTML of a page of results, with a link to the next if there is one."""
    pairs = zip(page.ids, page.records, strict=True)
    records = "".join(_record(i, record) for i, record in pairs)
    link = ""
    if page.more:
        query = urlencode({"q": term, "view": "list", "page": number + 1})
        link = f'<nav><a rel="next" href="/search?{escape(query)}">Next page</a></nav>'
    main = f'<p class="total">{page.total} records</p><div class="results">{records}</div>{link}'
    return _frame("Results", term, main)


def _search(site: SearchSite, given: dict[str, list[str]]) -> tuple[int, str]:
    """Status and HTML for the fields of a form that was sent."""
    term, number = given.get("q", [""])[0], given.get("page", ["1"])[0]
    pages = max(site.query(term).pages, 1)
    if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= pages):
        return 404, _frame("Not found", term, "<p>There is no such page of results.</p>")
    return 200, results_page(site.page(term, int(number)), term, int(number))


def _record(number: object, record: Record) -> str:
    """A record, whose nodes are those that `site.NODES` names."""
    title, description, extract = (escape(part.text) for part in record)
    return (
        f'<article id="r{number}"><h3 class="title">{title}</h3>'
        f'<p class="description">{description}</p>'
        f'<div><p class="extract">{extract}</p></div></article>\n'
    )


def _frame(title: str, term: str, main: str) -> str:
    return _FRAME.format(title=title, term=escape(term), main=main, longest=LONGEST_TERM)
