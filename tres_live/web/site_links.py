"""Links of a site beside those on its pages: in its sitemaps and its feeds."""

import logging
from collections import deque
from collections.abc import Iterable
from threading import Lock

from tres_webs import FetchError, Page, Wrapper, domain
from tres_webs.checks import instance, texts

from .feeds import DatedLink, add_links, file_links, page_feeds, plain, xml_links
from .live import LiveWeb

MAX_FILES = 10  # that are asked for
MAX_LINKS = 1_000  # of a site

logger = logging.getLogger(__name__)


def site_links(web: LiveWeb, page: Page) -> list[DatedLink]:
    """Return the links of a page's site in the feeds that the page names, and in its sitemaps.

    The sitemaps are those in robots.txt, else ``/sitemap.xml``, and those that they list, the
    newest first. Each file is read as far as it is well-formed. At most ten files are asked for and
    1,000 links returned, of the first 5,000 of a file. Other registered domains are left out.

    References
    ----------
    The sitemap protocol, https://www.sitemaps.org/protocol.html; RSS 2.0; RFC 4287, Atom.
    """
    instance("web", web, LiveWeb)
    sitemaps = file_links(page, web.sitemaps(page.url) or ["/sitemap.xml"], page.url)
    waiting = deque(link.url for link in (*page_feeds(page), *sitemaps))
    asked: set[str] = set()
    links: dict[str, DatedLink] = {}
    while waiting and len(asked) < MAX_FILES and len(links) < MAX_LINKS:
        file = waiting.popleft()
        if file in asked:
            continue
        asked.add(file)
        try:
            at, document = web.read(file)
        except FetchError as error:
            logger.info("%s", error)
            continue
        entries, files = xml_links(plain(document, web.max_bytes), at, web.extensions)
        waiting += [link.url for link in sorted(files, key=lambda link: -(link.time or 0))]
        for link in entries:
            if domain(link.url) == domain(page.url):
                links.setdefault(link.url, link)
    return list(links.values())[:MAX_LINKS]


class WithSiteLinks(Wrapper):
    """The live Web, on which the first page of each seed's site also links to its `site_links`.

    Put it next to the `LiveWeb`, inside an `Archive` and a `Guard`. That page takes a request more
    a file. A site is a registered domain.
    """

    web: LiveWeb

    def __init__(self, web: LiveWeb, seeds: Iterable[str]):
        instance("web", web, LiveWeb)
        super().__init__(web)
        self._sites = set(map(domain, texts("seeds", seeds))) - {""}  # not yet asked
        self._lock = Lock()

    def fetch(self, url: str) -> Page:
        page = super().fetch(url)
        return add_links(page, site_links(self.web, page)) if self._is_first(page) else page

    def remember(self, url: str, page: Page) -> None:
        self._is_first(page)  # its site is not asked again
        super().remember(url, page)

    def _is_first(self, page: Page) -> bool:
        with self._lock:
            is_first = domain(page.url) in self._sites
            self._sites.discard(domain(page.url))
        return is_first
