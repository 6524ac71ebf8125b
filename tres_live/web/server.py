"""Any `Web` served over HTTP on this machine, as a proxy, so that host names stay real."""

import logging
import socket
from contextlib import suppress
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Self
from urllib.parse import quote, urlsplit

from tres_webs import FetchError, Page, Web, as_web, canonical_url, checks

IDLE = 30.0  # seconds after which a silent client is hung up on
NO_BODY = (204, 205, 304)
URL_MARKS = "%/:?#[]@!$&'()*+,;="  # besides letters, digits and -._~
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

logger = logging.getLogger(__name__)


class serve(ThreadingHTTPServer):
    """Serve a web on 127.0.0.1 while a ``with`` block lasts.

    As an HTTP proxy it gives a client that asks for ``http://host/path`` the page that the web has
    under that very URL. A page that the web has under another URL is a redirect, a FetchError is
    its status or 404, and ``/robots.txt`` is 404 (all allowed) unless the web has it. HTTPS cannot
    be seen through a proxy, so CONNECT is refused with status 501.

    Parameters
    ----------
    web : Web
        Asked from several threads at once.
    port : int
        0 for any free one; the server's `port` and `proxies` are how requests or LiveWeb reach it.

    Examples
    --------
    >>> import requests
    >>> import tres_live
    >>> import tres_webs as web
    >>> pages = web.ReplayWeb.from_pages({"http://a.example/": "<p>Hello"})
    >>> with tres_live.serve(pages) as served:
    ...     answer = requests.get("http://a.example/", proxies=served.proxies)
    ...     missing = requests.get("http://a.example/b", proxies=served.proxies)
    >>> answer.text, missing.status_code
    ('<p>Hello', 404)
    """

    request_queue_size = 128

    def __init__(self, web: Web, port: int = 0):
        checks.members("web", web, "fetch(url)")
        try:
            super().__init__(("127.0.0.1", checks.count("port", port, 0, 2**16 - 1)), _Handler)
        except OSError as error:
            remedy = f"{error.strerror}; give another --port, 0 for any that is free"
            raise ValueError(f"port={port}: {remedy}") from None
        self.web = web
        self.port: int = self.server_address[1]
        self.proxies = dict.fromkeys(("http", "https"), f"http://127.0.0.1:{self.port}")
        self._clients: set[socket.socket] = set()
        self._thread = Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        for client in self._clients.copy():  # they keep their connections open for later
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def process_request(self, request, client_address) -> None:
        self._clients.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request) -> None:
        self._clients.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address) -> None:
        logger.debug("a client went away", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE
    wbufsize = -1  # head and body in one packet
    disable_nagle_algorithm = True
    server: serve

    def do_GET(self) -> None:
        url = self.path
        if url.startswith("/"):
            url = f"http://{self.headers.get('Host', 'localhost')}{url}"
        web = as_web(self.server.web)
        try:
            page = web.fetch(url)
        except FetchError as error:
            status = error.status if error.status and 400 <= error.status < 600 else 404
            self._answer(status, str(error).encode(), TEXT)
        except Exception:  # a fault of the web must reach the client as one, not as silence
            logger.exception("the web failed on %s", url)
            self._answer(500, b"the web failed", TEXT)
        else:
            # A status without a body would have it read as the next answer.
            status = 200 if page.status in NO_BODY else min(max(page.status, 200), 599)
            if page.url != (canonical_url(url) or url):
                location = quote(page.url, URL_MARKS, errors="replace")
                self._answer(301, b"", TEXT, Location=location)
            elif urlsplit(url).path == "/robots.txt":
                self._answer(status, page.html or page.text.encode(), TEXT)
            else:
                self._answer(status, _html(web, page), HTML)

    do_HEAD = do_GET

    def do_CONNECT(self) -> None:
        # What goes through a tunnel could not be read here.
        self.send_error(501, "No HTTPS here", "only http:// URLs are served here")

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _html(web: Web, page: Page) -> bytes:
    """Return the page's HTML: its own, as the web writes it, or made from its parts."""
    html = web.html(page.url) if page.html is None else page.html
    if html is not None:
        return html
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in page.text.split("\n"))
    # Anchors stand in the page's text already, so here they must not show again.
    links = "".join(
        f'<a href="{escape(link.url)}" title="{escape(link.anchor)}"></a>\n' for link in page.links
    )
    head = f"<!doctype html>\n<title>{escape(page.title)}</title>\n"
    return (head + lines + links).encode("utf-8", "replace")
