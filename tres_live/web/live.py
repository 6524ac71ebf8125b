"""LiveWeb: pages from the Web itself, asked for politely and read with suspicion."""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from w3lib.encoding import http_content_type_encoding

from tres_webs import Failure, FetchError, Page, Revisit, Web, canonical_url, checks, parse_page

from . import robots
from .connections import Limits, check_target, read_networks
from .feeds import XML_EXTENSIONS, add_links, file_links, page_feeds, plain, xml_links
from .http import Answer, Client, Logins, check_identity, follow, read_body
from .pdf import check_pypdf, read_pdf
from .politeness import HostLog, Politeness, origin_of

OVERHEAD = 2**20  # bytes of headers and framing that an answer may have besides its body

T = TypeVar("T")


class LiveWeb(Web):
    """The Web, as a polite crawler sees it.

    At most one request at a time goes to a host and to an IP address, with `delay` or a longer
    crawl delay in between. robots.txt is obeyed at each hop, 429 and 503 are waited out, and after
    ten failures in a row a host rests for five minutes. Nothing that a server does makes a fetch
    raise anything but FetchError, take more than `deadline` seconds on the network, or read more
    than `max_bytes` of a page, which is cut there (``Page.truncated``). Cookies that hosts set,
    ``.netrc`` and proxies in the environment are ignored. Threads may share a web.

    Parameters
    ----------
    user_agent, contact : str
        Name and version of your crawler, such as "my-crawler/1.0"; a page or mailbox for those
        whose hosts it visits.
    delay : float
        Seconds from the end of an answer to the next request to the same host.
    timeout, deadline : float
        Seconds for a connection and for each wait for more data; seconds that a fetch may spend on
        the network, with robots.txt, redirects and retries.
    max_bytes, max_redirects, retries : int
        Of one fetch; retries are after 429, 503 and broken connections.
    max_wait : float
        Seconds of polite waiting in one fetch, on top of `deadline`, for all its hosts together;
        FetchError beyond. Turns of other threads do not count.
    allow_private : bool or iterable of str
        Hosts, addresses and networks that may be reached though they are not public; True for all.
        Hosts' addresses are looked up at once, without a proxy.
    proxies : dict, optional
        As in requests. The proxy then resolves names, so their addresses are not checked here.
    session : requests.Session, optional
        For certificates, headers, and adapters of your own, which see to addresses and time.
    pdf : bool
        Whether PDFs are pages too (``pip install 'tres_lib[pdf]'``): title, text and URI links of
        the first 100 pages. A process of its own reads one, in at most 20 seconds on top of
        `deadline` and, on Linux, 1 GB of memory. One longer than `max_bytes` is a FetchError.
    feeds : bool
        Whether RSS and Atom feeds and sitemaps are pages too, without a text, whose links are
        their entries, the latest first. Pages then link to the feeds that they name, home pages
        to the sitemaps that robots.txt names.
    pauses : path, optional
        File of what hosts asked for, a long crawl delay or Retry-After, kept between runs.
    cookies : path, optional
        File of cookies in Netscape's format, such as of a login in a browser. Each goes to the host
        that it names alone, and to those below where it says so, for robots.txt too.
    headers : dict, optional
        Headers by origin, as ``{"https://wiki.example": {"Authorization": "Bearer ..."}}``. They go
        to this scheme, host and port alone, at each hop, and do not change those of our own.

    Examples
    --------
    Of a small web on this machine, which needs neither a delay nor a public address:

    >>> import tres_live
    >>> import tres_webs as web
    >>> pages = {"http://a.example/": "<title>Start</title><a href=/b>next</a>"}
    >>> with tres_live.serve(web.ReplayWeb.from_pages(pages)) as served:
    ...     live = tres_live.LiveWeb("my-crawler/1.0", "me@example.org", delay=0,
    ...                        allow_private=True, proxies=served.proxies)
    ...     page = live.fetch("http://A.example#top")
    >>> page.url, page.title, page.links
    ('http://a.example/', 'Start', (Link(url='http://a.example/b', anchor='next'),))
    """

    def __init__(
        self,
        user_agent: str,
        contact: str,
        *,
        delay: float = 1.0,
        timeout: float = 10.0,
        deadline: float = 30.0,
        max_bytes: int = 2_000_000,
        max_redirects: int = 5,
        retries: int = 2,
        max_wait: float = 60.0,
        allow_private: bool | Iterable[str] = False,
        proxies: Mapping[str, str] | None = None,
        session: requests.Session | None = None,
        pdf: bool = False,
        feeds: bool = False,
        pauses: str | os.PathLike[str] | None = None,
        cookies: str | os.PathLike[str] | None = None,
        headers: Mapping[str, Mapping[str, str]] | None = None,
    ):
        session = session or requests.Session()
        proxies = session.proxies if proxies is None else proxies
        check_identity(user_agent, contact, proxies)
        self.user_agent = user_agent
        checks.number("timeout", timeout, 1e-3)
        self.deadline = checks.number("deadline", deadline, 1e-3)
        self.max_bytes = checks.count("max_bytes", max_bytes)
        self.max_redirects = checks.count("max_redirects", max_redirects, 0)
        if checks.number("delay", delay, 0) > checks.number("max_wait", max_wait, 0):
            raise ValueError(f"delay={delay!r}: raise max_wait={max_wait!r} to that at least")
        on_wire = 2 * self.max_bytes + OVERHEAD
        self._limits = partial(Limits, self.deadline, timeout, on_wire, max_wait)
        self._politeness = Politeness(delay, None if pauses is None else Path(pauses))
        self._robots = robots.Robots(user_agent)
        checks.instance("pdf", pdf, bool)
        checks.instance("feeds", feeds, bool)
        if pdf:
            check_pypdf()
        self.pdf = pdf
        self._formats = Formats(self.max_bytes, pdf, feeds)
        self.extensions = self._formats.extensions  # of pages, beside the usual ones
        ours = {**session.headers, "User-Agent": f"{user_agent} (+{contact})"}
        ours |= {"Accept": self._formats.accept, "Accept-Encoding": "gzip, deflate"}
        checks.count("retries", retries, 0)
        allowed = read_networks(allow_private, resolve=not proxies)
        self._owns: Callable[[str], bool] = lambda url: True
        logins = Logins(cookies, headers)
        self._client = Client(
            session, ours, self._politeness, retries, allowed, dict(proxies), logins
        )

    def __repr__(self) -> str:
        return f"LiveWeb({self.user_agent!r})"

    def fetch(self, url: str) -> Page:
        """Return the page, under the canonical URL at the end of its redirects.

        FetchError for every status but 200 after retries, what is not HTML, what robots.txt
        disallows, private addresses, and whatever goes wrong on the way.
        """
        ask = partial(self._client.ask, read=self._formats.read, conditions={})
        return self._answer(url, self.extensions, ask, self._page)

    def look(self, url: str, conditions: Mapping[str, str]) -> Revisit:
        """Return the page, or that it has not changed.

        The conditions are for this URL alone, and for no page that it redirects to.
        """
        start = canonical_url(url, None, self.extensions)

        def ask(at: str, limits: Limits) -> Answer:
            asked = conditions if at == start else {}
            return self._client.ask(at, limits, self._formats.read, asked)

        def finish(at: str, answer: Answer) -> Revisit:
            if answer.status == 304 and at == start and conditions:
                return Revisit(None, conditions)
            return Revisit(self._page(at, answer), answer.conditions())

        return self._answer(url, self.extensions, ask, finish)

    def read(self, url: str) -> tuple[str, bytes]:
        """Return the final URL and the first `max_bytes` bytes of what is no page, as a sitemap.

        It is as polite and bounded as `fetch`.
        """
        read = partial(read_body, limit=self.max_bytes)
        ask = partial(self._client.ask, read=read, conditions={"Accept": "*/*"})
        extensions = self.extensions | XML_EXTENSIONS
        return self._answer(url, extensions, ask, lambda at, answer: (at, answer.sound(at)))

    def sitemaps(self, url: str) -> list[str]:
        """Return the sitemaps that robots.txt of a URL's host names, as written; at worst none."""
        with suppress(FetchError):
            return self._robots.sitemaps(url, self._read_robots, self._limits())
        return []

    def _answer(
        self,
        url: str,
        extensions: frozenset[str],
        ask: Callable[[str, Limits], Answer],
        finish: Callable[[str, Answer], T],
    ) -> T:
        """Follow redirects where we may, and finish the last answer; errors name the first URL."""
        start = canonical_url(url, None, extensions)
        if start is None:
            raise FetchError(url, "not a URL that a crawler may fetch")
        limits = self._limits()

        def visit(at: str) -> Answer:
            self._check_owner(at)
            check_target(at, self._client.allowed)
            self._politeness.slow_down(at, self._robots.check(at, self._read_robots, limits))
            return ask(at, limits)

        try:
            return finish(*follow(start, visit, self.max_redirects, extensions))
        except FetchError as error:
            place = "" if error.url == start else f" (at {error.url})"
            raise FetchError(url, error.reason + place, *error.args[2:]) from error

    def ask_only(self, owns: Callable[[str], bool]) -> None:
        self._owns = owns

    def pause(self, url: str) -> float:
        return self._politeness.asks_for(url)

    def politeness_log(self) -> dict[str, HostLog]:
        """Return, by host, its requests and the shortest rest between two of them."""
        return self._politeness.log()

    def close(self) -> None:
        """Close all connections that are kept open."""
        self._client.session.close()
        self._client.adapter.close()

    def _page(self, url: str, answer: Answer) -> Page:
        page = self._formats.page(url, answer)
        if self._formats.feeds and urlsplit(url).path == "/":
            page = add_links(page, file_links(page, self.sitemaps(url), url))
        return page

    def _check_owner(self, url: str) -> None:
        if not self._owns(url):
            reason = "out of scope, or not ours to ask for"
            raise FetchError(url, reason, None, Failure.NOT_OURS, url)

    def _read_robots(self, url: str, limits: Limits, leave: bool = True) -> tuple[int, bytes]:
        """Return the final status and body; a page elsewhere is asked for by the rules there."""
        read = partial(read_body, limit=robots.MAX_BYTES)

        def visit(at: str) -> Answer:
            self._check_owner(at)
            if origin_of(at) != origin_of(url) and urlsplit(at).path != "/robots.txt":
                if not leave:
                    raise FetchError(at, "robots.txt leads from host to host")
                there = partial(self._read_robots, leave=False)
                # Two that lead to each other would wait for each other.
                self._robots.check_at_once(at, there, limits)
            return self._client.ask(at, limits, read, {})

        _, answer = follow(url, visit, self.max_redirects)
        return answer.status, answer.body


ACCEPT = "text/html, application/xhtml+xml;q=0.9"
ACCEPT_PDF = "application/pdf;q=0.8"
ACCEPT_FEEDS = "application/xml;q=0.8, application/rss+xml;q=0.8, application/atom+xml;q=0.8"
PDF = "PDF, not HTML"  # by which a log can be counted
MEDIA_TYPE = re.compile(r"\s*([\w!#$&^.+-]{1,80}/[\w!#$&^.+-]{1,80})")
HTML_TYPES = ("text/html", "application/xhtml+xml")
PDF_TYPES = ("application/pdf", "application/x-pdf")
FEED_TYPES = (
    *("application/xml", "text/xml", "application/rss+xml", "application/atom+xml"),
    *("application/rdf+xml", "application/gzip", "application/x-gzip"),
)
SNIFFED = 1_024  # bytes that show what a body is
# What a browser takes for HTML where the header does not say (WHATWG MIME sniffing).
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]{0,500}"
    rb"<(?:!doctype html|!--|\?xml|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|"
    rb"body|br|p|meta|link)(?=[\s>/]))",
    re.I,
)
# How files begin that are no HTML, whatever their header says.
OTHER_START = re.compile(
    rb"%PDF-|%!PS|\x89PNG|GIF8[79]a|\xff\xd8\xff|BM....\0\0\0\0|RIFF....|PK\x03\x04|\x1f\x8b|Rar!|"
    rb"7z\xbc\xaf|\x7fELF|MZ\x90|OggS|ID3|wOF[F2]|\0\0\0.ftyp",
    re.S,
)
PDF_START = b"%PDF-"
FEED_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,500}(?:<[?!][^>]{0,300}>\s{0,500}){0,5}"
    rb"<(?:rss|feed|urlset|sitemapindex|rdf:RDF)[\s>]"
)
SITEMAP_START = re.compile(rb"<(?:urlset|sitemapindex)[\s>]")
CUT_SIGN = re.compile(rb"[\xc0-\xff][\x80-\xbf]{0,2}\Z")  # UTF-8 that may go on after a cut


@dataclass(frozen=True)
class Formats:
    """What is read of answers, and made a page."""

    max_bytes: int  # of a body after decompression
    pdf: bool  # whether PDFs are pages
    feeds: bool  # whether feeds and sitemaps are

    @property
    def extensions(self) -> frozenset[str]:
        """Of file names, beside those of HTML."""
        return frozenset({"pdf"} if self.pdf else ()) | (XML_EXTENSIONS if self.feeds else set())

    @property
    def accept(self) -> str:
        """The header that asks a server for these."""
        return ", ".join([ACCEPT, *[ACCEPT_PDF] * self.pdf, *[ACCEPT_FEEDS] * self.feeds])

    def read(self, url: str, response: requests.Response) -> bytes:
        """Return a 200's body if it may be a page; nothing of it is read if the header says no."""
        if response.status_code != 200:
            return b""
        found = MEDIA_TYPE.match(response.headers.get("Content-Type", ""))
        named = found[1].lower() if found else None
        if named in PDF_TYPES and not self.pdf:
            raise FetchError(url, PDF, 200)
        others = (*PDF_TYPES, *(FEED_TYPES if self.feeds else ()))
        if named and named not in HTML_TYPES and named not in others:
            raise FetchError(url, f"not HTML but {named}", 200)
        body = read_body(url, response, self.max_bytes)
        if self._is_feed(body) or body.startswith(PDF_START):
            return body
        html = named in HTML_TYPES and not OTHER_START.match(body[:SNIFFED])
        if not (HTML_START.match(body[:SNIFFED]) if named is None else html):
            raise FetchError(url, "not HTML by its first bytes", 200)
        return body

    def page(self, url: str, answer: Answer) -> Page:
        """Return an answer as a page; FetchError if it is none."""
        body = answer.sound(url)
        truncated = len(body) > self.max_bytes
        if body.startswith(PDF_START):
            if not self.pdf:
                raise FetchError(url, PDF, 200)
            if truncated:
                raise FetchError(url, f"PDF of more than {self.max_bytes:,} bytes", 200)
            page = read_pdf(url, body)
        elif self._is_feed(body):  # a page without a text, its latest entries first
            document = plain(body, self.max_bytes)
            entries, files = xml_links(document, url, self.extensions)
            links = sorted([*entries, *files], key=lambda entry: -(entry.time or 0))
            if SITEMAP_START.search(document[:SNIFFED]):  # its times are not those of new pages
                links = [replace(link, time=None) for link in links]
            page = Page(url, 200, "", "", tuple(links), document)
        else:
            coding = http_content_type_encoding(answer.headers.get("Content-Type", ""))
            whole = CUT_SIGN.sub(b"", body[: self.max_bytes]) if truncated else body
            page = parse_page(url, whole, coding, self.extensions)
            page = add_links(page, page_feeds(page)) if self.feeds else page
        return replace(page, fetched_at=time.time(), truncated=truncated or page.truncated)

    def _is_feed(self, body: bytes) -> bool:
        return self.feeds and FEED_START.match(plain(body, SNIFFED)[:SNIFFED]) is not None
