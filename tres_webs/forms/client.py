"""Find the search form of a website, fill it in, and read the pages of results."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode, urljoin

import lxml.html
import requests
from lxml.etree import ParserError
from lxml.html import FormElement, HtmlElement

from ..page import FetchError
from .answers import Part, Record, ResultPage

TEXT_INPUTS = ("search", "text", "")
UNSEEN = ("script", "style", "template")  # their text is not shown
NUMBER = re.compile(r"\d[\d,. ]*")


@dataclass(eq=False, repr=False)
class FormSite:
    """A website with a search form, as `surface` wants it.

    It takes the first form on the page that has a box for text and is sent by GET, and sends the
    other fields as they are on the page; ValueError without such a form. It turns the pages of
    results by their link "next". Its ``requests`` are the URLs that were fetched, in their order.

    Examples
    --------
    >>> pages = {
    ...     "http://a.example/": "<form action=find><input name=q></form>",
    ...     "http://a.example/find?q=tea": "<article id=r1>Green <b>tea</b></article>",
    ... }
    >>> site = FormSite("http://a.example/", fetch=pages.get)
    >>> site.page("tea").ids
    ('r1',)
    """

    url: str  # of the page with the form
    # XPaths on a page of results. A record's id is the element's id, else the first link in it, or
    # else its text.
    record: str = "//article"
    total: str | None = "//*[@class='total']"  # its first number is that of the matches
    next_page: str = "//a[@rel='next']"
    # URL -> HTML; it raises for what cannot be fetched. By default a plain GET with a time limit of
    # 30 s. For a site that is not your own give one that obeys robots.txt and waits between
    # requests, such as lambda url: live.fetch(url).html of a live web.
    fetch: Callable[[str], bytes | str] | None = None

    def __post_init__(self) -> None:
        self._following: dict[tuple[str, int], str] = {}
        self.requests: list[str] = []
        root = self._read(self.url)
        form, self._box = _search_form(root, self.url)
        self._action = urljoin(self.url, form.get("action") or self.url)
        self._fields = [(name, value) for name, value in form.form_values() if name != self._box]
        self._front = (root.xpath("//main") or [root])[0]

    def front_page(self) -> str:
        """Return the text of the page with the form, or of its element ``main`` if it has one."""
        return "\n".join(part.text for part in read_record(self._front))

    def page(self, term: str, number: int = 1) -> ResultPage:
        """Fetch page 1, 2, ... of a term's results.

        Page 2 and the next are reached by the link on the page before, fetched if need be;
        ValueError if it has none. FetchError for what is no HTML or, with the default `fetch`,
        cannot be fetched.
        """
        url = self._url(term, number)
        root = self._read(url)
        elements = root.xpath(self.record)
        links = [link.get("href") for link in root.xpath(self.next_page) if link.get("href")]
        if links:
            self._following[term, number + 1] = urljoin(url, links[0])
        records = tuple(read_record(element) for element in elements)
        ids = tuple(_identity(element, r) for element, r in zip(elements, records, strict=True))
        stated = root.xpath(self.total) if self.total else []
        found = NUMBER.search(stated[0].text_content()) if stated else None
        total = int(re.sub(r"\D", "", found[0])) if found else None
        return ResultPage(total, ids, records, more=bool(links))

    def _url(self, term: str, number: int) -> str:
        if number == 1:
            joint = "&" if "?" in self._action else "?"
            fields = [*self._fields, (self._box, term)]
            return self._action + joint + urlencode(fields, errors="replace")
        if (term, number) not in self._following and number > 1:
            self.page(term, number - 1)  # a resumed crawl may start amid the pages
        if (term, number) not in self._following:
            raise ValueError(f"number={number!r}: {term!r} has no such page")
        return self._following[term, number]

    def _read(self, url: str) -> HtmlElement:
        self.requests.append(url)
        html = (self.fetch or _plain_fetch)(url)
        try:
            return lxml.html.document_fromstring(html)
        except (ParserError, ValueError) as error:
            raise FetchError(url, f"no HTML: {error}") from error


def read_record(element: HtmlElement) -> Record:
    """Return the texts in an element of a page, each with its node's tag, class and depth."""
    parts = []
    for node in element.iter():
        if isinstance(node.tag, str) and node.tag not in UNSEEN:
            own = [node.text, *(child.tail for child in node)]
            text = " ".join(" ".join(t for t in own if t).split())
            tag = ".".join([node.tag, *(node.get("class") or "").split()[:1]])
            if text:
                parts.append(Part(tag, sum(1 for _ in node.iterancestors()), text))
    return tuple(parts)


def _search_form(root: HtmlElement, url: str) -> tuple[FormElement, str]:
    for form in root.forms:
        for box in form.iter("input") if form.method == "GET" else ():
            if (box.get("type") or "").lower() in TEXT_INPUTS and box.get("name"):
                return form, box.get("name")
    raise ValueError(f"url={url!r}: the page has no form with a box for text that is sent by GET")


def _identity(element: HtmlElement, record: Record) -> str:
    links = element.xpath(".//a/@href")
    return element.get("id") or (links[0] if links else " ".join(part.text for part in record))


def _plain_fetch(url: str) -> bytes:
    try:
        answer = requests.get(url, timeout=30)
    except requests.RequestException as error:
        raise FetchError(url, str(error)) from error
    if answer.status_code != 200:
        raise FetchError(url, f"status {answer.status_code}", answer.status_code)
    return answer.content
