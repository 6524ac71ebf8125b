"""Links of a site beside those on its pages: in its sitemaps and its feeds."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from threading import Lock

from tres_lib import checks
from tres_lib.web.page import FetchError, Page, Web, as_web
from tres_lib.web.parsing import distinct_links
from tres_lib.web.topic import Topic
from tres_lib.web.urls import canonical_url, domain

from .feeds import XML_EXTENSIONS, SiteLink, page_feeds, plain, xml_links
from .live import LiveWeb

logger = logging.getLogger(__name__)


def site_links(
    web: LiveWeb, page: Page, *, max_files: int = 10, max_links: int = 1_000
) -> list[SiteLink]:
    """Return the links of a page's site in the feeds that the page names, and in its sitemaps.

    The sitemaps are those in robots.txt, else ``/sitemap.xml``, and those that they list, the
    newest first. Each file is read by `web`, so with its politeness, robots.txt and limits, and
    as far as it is well-formed; one that cannot be fetched is left out. Entities are not resolved.

    Parameters
    ----------
    web : LiveWeb
    page : Page
        With its `html`, for the feeds.
    max_files, max_links : int
        Files that are asked for, and links that are returned. Of a file the first 5,000 are read;
        those that lead to another registered domain than the page's are left out.

    Raises
    ------
    ValueError
        If an argument is not as described.

    References
    ----------
    The sitemap protocol, https://www.sitemaps.org/protocol.html; RSS 2.0; RFC 4287, Atom.

    Examples
    --------
    Of a small site on this machine, which needs neither a delay nor a public address:

    >>> import tres_live
    >>> from tres_lib import web
    >>> listed = "<urlset><url><loc>/b</loc><lastmod>1970-01-02</lastmod></url></urlset>"
    >>> pages = {"http://a.example/": "Start", "http://a.example/sitemap.xml": listed}
    >>> with tres_live.serve(web.ReplayWeb.from_pages(pages)) as served:
    ...     live = tres_live.LiveWeb("my-crawler/1.0", "me@example.org", delay=0,
    ...                        allow_private=True, proxies=served.proxies)
    ...     tres_live.site_links(live, live.fetch("http://a.example/"))
    [SiteLink(url='http://a.example/b', title='', time=86400.0)]
    """
    checks.count("max_files", max_files)
    checks.count("max_links", max_links)
    _check_web(web)
    waiting = deque(dict.fromkeys([*page_feeds(page), *_sitemaps(web, page.url)]))
    asked: set[str] = set()
    found: dict[str, SiteLink] = {}
    while waiting and len(asked) < max_files and len(found) < max_links:
        file = waiting.popleft()
        if file in asked:
            continue
        asked.add(file)
        try:
            at, document = web.read(file)
        except FetchError as error:
            logger.info("%s", error)
            continue
        links, files = xml_links(plain(document, web.max_bytes), at, web.extensions)
        waiting += [link.url for link in sorted(files, key=lambda link: -(link.time or 0))]
        for link in links:
            if domain(link.url) == domain(page.url):
                found.setdefault(link.url, link)
    return list(found.values())[:max_links]


class WithSiteLinks(Web):
    """The live Web, on which the first page of each seed's site also links to its `site_links`.

    Put it next to the `LiveWeb`, inside an `Archive` and a `Guard`; the latter keeps the first
    1,000 links of a page by default, those of the page itself first. That page takes as many
    requests more as there are files.

    Parameters
    ----------
    web : LiveWeb
    seeds : iterable of str
        URLs; their registered domains are the sites that are asked.
    max_files, max_links : int
        Of each site; see `site_links`.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Examples
    --------
    >>> import tres_live
    >>> from tres_lib import web
    >>> live = tres_live.LiveWeb("my-crawler/1.0", "me@example.org")
    >>> seeds = ["https://jazz.example/"]
    >>> crawled = tres_live.Guard(tres_live.WithSiteLinks(live, seeds))  # give it to focused.crawl
    """

    def __init__(
        self, web: LiveWeb, seeds: Iterable[str], *, max_files: int = 10, max_links: int = 1_000
    ):
        _check_web(web)
        if isinstance(seeds, str):
            raise ValueError(f"seeds={seeds!r}: give a list of URLs")
        self.web = web
        self._limits = {
            "max_files": checks.count("max_files", max_files),
            "max_links": checks.count("max_links", max_links),
        }
        self._sites = set(map(domain, seeds)) - {""}  # not yet asked
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"WithSiteLinks({self.web!r})"

    def fetch(self, url: str) -> Page:
        """Return the page, with more links if it is the first of a seed's site.

        Parameters
        ----------
        url : str

        Returns
        -------
        Page

        Raises
        ------
        FetchError
            As the other web does.
        """
        page = self.web.fetch(url)
        if not self._is_first(page):
            return page
        own = [(link.url, link.anchor) for link in page.links]
        more = [(link.url, link.title) for link in site_links(self.web, page, **self._limits)]
        return replace(page, links=distinct_links([*own, *more], page.url))

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """Return the other web's ground truth; see `Web.is_relevant`."""
        return self.web.is_relevant(url, topic)

    def ask_only(self, owns: Callable[[str], bool]) -> None:
        """Bind the other web to these URLs; see `Web.ask_only`."""
        as_web(self.web).ask_only(owns)

    def remember(self, url: str, page: Page) -> None:
        """Do not ask again for the links of a site in a crawl's journal; see `Web.remember`."""
        self._is_first(page)
        as_web(self.web).remember(url, page)

    def _is_first(self, page: Page) -> bool:
        with self._lock:
            is_first = domain(page.url) in self._sites
            self._sites.discard(domain(page.url))
        return is_first


def _check_web(web: object) -> None:
    if not isinstance(web, LiveWeb):
        raise ValueError(f"web={web!r}: sitemaps and feeds are read by a LiveWeb alone; give one")


def _sitemaps(web: LiveWeb, url: str) -> Iterator[str]:
    named: list[str] = []
    with suppress(FetchError):
        named = web.sitemaps(url)
    for href in named or ["/sitemap.xml"]:
        if file := canonical_url(href, url, XML_EXTENSIONS):
            yield file
