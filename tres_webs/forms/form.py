"""A database behind a real HTML form: served over HTTP on the loopback interface."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

from jinja2 import Template

from .answers import LONGEST_TERM, Searched

_PAGE = Template(Path(__file__).with_name("catalogue.html.j2").read_text("utf-8"), autoescape=True)


@dataclass(frozen=True)
class Served:
    """A site that is being served, and the requests that it has answered."""

    url: str  # of the page with the form
    requests: list[str]  # path and query of each


@contextmanager
def serve(site: Searched, port: int = 0) -> Iterator[Served]:
    """Serve a site on 127.0.0.1 for the length of a ``with`` block; port 0 is any free one."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status, page = _answer(site, self.path)
            body = page.encode("utf-8", "replace")
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass  # `Served.requests` has them

    with HTTPServer(("127.0.0.1", port), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{server.server_port}/", asked)
        finally:
            server.shutdown()
            thread.join()


def _answer(site: Searched, path: str) -> tuple[int, str]:
    """Return status and HTML: / has the form, /search?q=TERM&page=N a page of results."""
    parts = urlsplit(path)
    given = parse_qs(parts.query, keep_blank_values=True)
    if parts.path == "/":
        return 200, _page("The catalogue", titles=site.front_page().split("\n"))
    if parts.path != "/search":
        return 404, _page("Not found", text="There is no such page.")
    term = given.get("q", [""])[0]
    number = given.get("page", ["1"])[0]
    pages = max(site.query(term).pages, 1)
    if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= pages):
        return 404, _page("Not found", term, text="There is no such page of results.")
    following = urlencode({"q": term, "view": "list", "page": int(number) + 1})
    return 200, _page("Results", term, page=site.page(term, int(number)), following=following)


def _page(heading: str, term: str = "", **content: object) -> str:
    return _PAGE.render(heading=heading, term=term, longest=LONGEST_TERM, **content)
