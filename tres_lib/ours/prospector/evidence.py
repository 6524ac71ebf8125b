"""What a crawl knows of the URLs that it has not fetched: counts by URL, site, link and page."""

from typing import NamedTuple

import numpy as np

from ...focused.frontier import grown
from ...numerics import compiled

NONE = -1
WORDS = 16  # of a URL, kept at most: those of its address first
BESIDE = 3  # links on each side of a link that count as beside it
UNKNOWN = -99.0  # the best anchor before the first

# Columns of `Tables.url`. A label is that of a fetched page, 0 (irrelevant) to 1.
PARENTS, LABELS, ABROAD, BEST, SUM, IN_URL, IN_ANCHOR, EMPTY, OWN = range(9)
NEAR, NEAR_LABELS, FRONT = range(9, 12)
# Columns of `Tables.site`, a registered domain.
FETCHED, RELEVANT, KNOWN, ANCHORS, POINTERS, POINTING = range(6)
# Columns of `Tables.action` and of `Tables.page`.
URL, PAGE, BEFORE, PLACE = range(4)
BEGIN, END, HOME = range(3)


class Tables(NamedTuple):
    """Counts by number of a URL, site, action or page; some 190 bytes a URL of four actions."""

    url: np.ndarray  # (n, 12) float32
    words: np.ndarray  # (n, WORDS) int32, ended by NONE
    label: np.ndarray  # (n,) float32, NaN before the URL was fetched
    site_of: np.ndarray  # (n,) int32
    latest: np.ndarray  # (n,) int32: the newest action that leads to the URL
    older: np.ndarray  # (n,) int32: another URL of its site
    site: np.ndarray  # (n, 6) float64
    newest: np.ndarray  # (n,) int32: a site's newest URL
    linked: np.ndarray  # (n,) int32: the last page that linked into the site
    action: np.ndarray  # (n, 4) int32: URL, page, the URL's action before, place on the page
    page: np.ndarray  # (n, 3) int32: first action, end of its actions, site


class NewLinks(NamedTuple):
    """The n links of a page that became actions, in arrays (n,); the last four are 0 or 1."""

    ids: np.ndarray
    urls: np.ndarray
    sites: np.ndarray
    place: np.ndarray  # among all links of the page
    words: np.ndarray  # (n, any), ended by NONE; those of the address if the URL is new
    anchor: np.ndarray  # logit of the anchor's probability
    in_url: np.ndarray
    in_anchor: np.ndarray
    empty: np.ndarray
    front: np.ndarray


class Evidence:
    """The tables of a crawl, and what adds to them."""

    def __init__(self) -> None:
        of_url = "12f4", f"{WORDS}i4", "f4", "i4", "i4", "i4"
        of_site = "6f8", "i4", "i4"
        self.tables = Tables(*(np.zeros(0, kind) for kind in (*of_url, *of_site, "4i4", "3i4")))
        self.n_urls = 0
        self._n_pages = 0

    def make_room(self, n_urls: int, n_sites: int, n_actions: int) -> None:
        """Make room for what has numbers below these."""
        self.n_urls = max(self.n_urls, n_urls)
        t = self.tables
        old_urls, old_sites = len(t.url), len(t.site)
        of_urls = [grown(table, n_urls) for table in t[:6]]
        of_sites = [grown(table, n_sites) for table in t[6:9]]
        self.tables = t = Tables._make([*of_urls, *of_sites, grown(t.action, n_actions), t.page])
        t.label[old_urls:] = np.nan
        for empty in t.latest[old_urls:], t.newest[old_sites:], t.linked[old_sites:]:
            empty[:] = NONE

    def visit(self, url: int, site: int, label: float) -> np.ndarray:
        """Note the label of a fetched page; return the URLs whose evidence it changed, (n,)."""
        return _visited(self.tables, url, site, label)

    def link(self, links: NewLinks, site: int, label: float, all_links: np.ndarray) -> None:
        """Count the links of a page, for which there is room; `all_links`: numbers of the URLs."""
        pages = grown(self.tables.page, self._n_pages + 1)
        pages[self._n_pages] = links.ids[0], links.ids[-1] + 1, site
        self.tables = self.tables._replace(page=pages)
        _link(self.tables, links, self._n_pages, label, all_links)
        self._n_pages += 1


@compiled
def _link(t, links, page, label, all_links):
    home = t.page[page, HOME]
    for i in range(len(links.ids)):
        u, site = links.urls[i], links.sites[i]
        own = site == home
        row = t.url[u]
        if t.latest[u] == NONE:
            t.site_of[u] = site
            t.older[u] = t.newest[site]
            t.newest[site] = u
            t.site[site, KNOWN] += 1
            t.words[u] = NONE
            row[BEST] = UNKNOWN
            row[FRONT] = links.front[i]
        action = t.action[links.ids[i]]
        action[URL], action[PAGE] = u, page
        action[BEFORE], action[PLACE] = t.latest[u], links.place[i]
        t.latest[u] = links.ids[i]
        row[PARENTS] += 1
        row[LABELS] += label
        if own:
            row[OWN] = 1
        else:
            row[ABROAD] += label
            if t.linked[site] != page:  # a page counts once
                t.linked[site] = page
                t.site[site, POINTERS] += 1
                t.site[site, POINTING] += label
        if links.anchor[i] > row[BEST]:
            t.site[site, ANCHORS] += links.anchor[i] - (0 if row[BEST] == UNKNOWN else row[BEST])
            row[BEST] = links.anchor[i]
        row[SUM] += links.anchor[i]
        row[IN_URL] = max(row[IN_URL], links.in_url[i])
        row[IN_ANCHOR] = max(row[IN_ANCHOR], links.in_anchor[i])
        row[EMPTY] = links.empty[i]
        _add_words(t.words[u], links.words[i])
        first = max(links.place[i] - BESIDE, 0)
        for v in all_links[first : links.place[i] + BESIDE + 1]:
            if v != NONE and (t.site_of[v] == home) == own and not np.isnan(t.label[v]):
                row[NEAR] += 1
                row[NEAR_LABELS] += t.label[v]


@compiled
def _add_words(words, new):
    for word in new:
        if word == NONE:
            return
        for k in range(len(words)):
            if words[k] == word:
                break
            if words[k] == NONE:
                words[k] = word
                break


@compiled
def _visited(t, url, site, label):
    """Pass the label on to the URLs beside links to `url`; return them and those of its site."""
    t.label[url] = label
    t.site_of[url] = site
    t.site[site, FETCHED] += 1
    t.site[site, RELEVANT] += label
    changed = []
    action = t.latest[url]
    while action != NONE:
        begin, end, home = t.page[t.action[action, PAGE]]
        for way in (-1, 1):
            other = action + way
            while (
                begin <= other < end
                and abs(t.action[other, PLACE] - t.action[action, PLACE]) <= BESIDE
            ):
                u = t.action[other, URL]
                if (t.site_of[u] == home) == (site == home):
                    t.url[u, NEAR] += 1
                    t.url[u, NEAR_LABELS] += label
                    changed.append(u)
                other += way
        action = t.action[action, BEFORE]
    u = t.newest[site]
    while u != NONE:
        changed.append(u)
        u = t.older[u]
    return np.array(changed)
