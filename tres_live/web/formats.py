"""What a crawler takes for a page: HTML and, if asked to, PDFs, feeds and sitemaps."""

import re
import time
from dataclasses import dataclass, replace

import requests
from w3lib.encoding import http_content_type_encoding

from tres_webs import FetchError, Page, parse_page

from .feeds import XML_EXTENSIONS, add_links, page_feeds, plain, xml_links
from .http import Answer, read_body
from .pdf import read_pdf

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


def is_html(content_type: str | None, head: bytes) -> bool:
    """Return whether a body is HTML by its header, or without one by its first bytes."""
    named = media_type(content_type)
    if named is None:
        return HTML_START.match(head) is not None
    return named in HTML_TYPES and not OTHER_START.match(head)


def media_type(content_type: str | None) -> str | None:
    """Return the type that a Content-Type header names, in lower case; None if it names none."""
    named = MEDIA_TYPE.match(content_type or "")
    return named[1].lower() if named else None
