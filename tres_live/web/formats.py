"""What a crawler takes for a page: HTML, and if it is told to, PDFs, feeds and sitemaps."""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import requests
from w3lib.encoding import http_content_type_encoding

from tres_lib.web.page import FetchError, Page
from tres_lib.web.parsing import distinct_links, parse_page

from .body import CUT_LETTER, HTML_TYPES, PDF_START, PDF_TYPES, is_html, media_type, read_body
from .feeds import XML_EXTENSIONS, DatedLink, page_feeds, plain, xml_links
from .http import Answer
from .pdf import read_pdf

ACCEPT = "text/html, application/xhtml+xml;q=0.9"
ACCEPT_PDF = "application/pdf;q=0.8"
ACCEPT_FEEDS = "application/xml;q=0.8, application/rss+xml;q=0.8, application/atom+xml;q=0.8"
PDF = "PDF, not HTML"  # by which a log can be counted
FEED_TYPES = (
    *("application/xml", "text/xml", "application/rss+xml", "application/atom+xml"),
    *("application/rdf+xml", "application/gzip", "application/x-gzip"),
)
FEED_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,500}(?:<[?!][^>]{0,300}>\s{0,500}){0,5}"
    rb"<(?:rss|feed|urlset|sitemapindex|rdf:RDF)[\s>]"
)
SITEMAP_START = re.compile(rb"<(?:urlset|sitemapindex)[\s>]")
SNIFFED = 1_024  # bytes that tell what a body is


@dataclass(frozen=True)
class Formats:
    """What is read of answers, and made a page.

    Attributes
    ----------
    max_bytes : int
        Of a body after decompression.
    pdf, feeds : bool
        Whether PDFs, and whether feeds and sitemaps, are pages.
    """

    max_bytes: int
    pdf: bool
    feeds: bool

    @property
    def extensions(self) -> frozenset[str]:
        """Of file names, beside those of HTML."""
        return frozenset({"pdf"} if self.pdf else ()) | (XML_EXTENSIONS if self.feeds else set())

    @property
    def accept(self) -> str:
        """The header that tells a server."""
        return ", ".join([ACCEPT, *[ACCEPT_PDF] * self.pdf, *[ACCEPT_FEEDS] * self.feeds])

    def read(self, url: str, response: requests.Response) -> bytes:
        """Return a 200's body if it may be a page; nothing of it is read if the header says no."""
        if response.status_code != 200:
            return b""
        content_type = response.headers.get("Content-Type")
        named = media_type(content_type)
        if named in PDF_TYPES and not self.pdf:
            raise FetchError(url, PDF, 200)
        others = (*PDF_TYPES, *(FEED_TYPES if self.feeds else ()))
        if named and named not in HTML_TYPES and named not in others:
            raise FetchError(url, f"not HTML but {named}", 200)
        body = read_body(url, response, self.max_bytes)
        if self._is_feed(body) or body.startswith(PDF_START):
            return body
        if not is_html(content_type, body[:SNIFFED]):
            raise FetchError(url, "not HTML by its first bytes", 200)
        return body

    def page(self, url: str, answer: Answer) -> Page:
        """Return an answer as a page; FetchError if it is none."""
        body = answer.sound(url)
        encoding = http_content_type_encoding(answer.headers.get("Content-Type", ""))
        truncated = len(body) > self.max_bytes
        if body.startswith(PDF_START):
            if not self.pdf:
                raise FetchError(url, PDF, 200)
            if truncated:
                raise FetchError(url, f"PDF of more than {self.max_bytes:,} bytes", 200)
            page = read_pdf(url, body)
        elif self._is_feed(body):
            page = self._feed(url, body)
        else:
            if truncated:
                body = CUT_LETTER.sub(b"", body[: self.max_bytes])
            page = parse_page(url, body, encoding, self.extensions)
            if self.feeds:
                page = add_links(page, page_feeds(page))
        return replace(page, fetched_at=time.time(), truncated=truncated or page.truncated)

    def _is_feed(self, body: bytes) -> bool:
        return self.feeds and FEED_START.match(plain(body, SNIFFED)[:SNIFFED]) is not None

    def _feed(self, url: str, body: bytes) -> Page:
        """Return a feed or sitemap as a page without a text, its latest entries first."""
        document = plain(body, self.max_bytes)
        entries, files = xml_links(document, url, self.extensions)
        latest = sorted([*entries, *files], key=lambda entry: -(entry.time or 0))
        is_news = not SITEMAP_START.search(document[:SNIFFED])  # whose times are not of new pages
        links = tuple(DatedLink(e.url, e.title, e.time if is_news else None) for e in latest)
        return Page(url, 200, "", "", links, document)


def add_links(page: Page, urls: Iterable[str]) -> Page:
    """Return a page with links more, by its own title."""
    found = [(link.url, link.anchor) for link in page.links]
    return replace(page, links=distinct_links([*found, *((u, page.title) for u in urls)], page.url))
