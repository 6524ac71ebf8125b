"""What the watch believes of a page, and of all pages together: two records, stored as bytes."""

from urllib.parse import urlsplit

import numpy as np

from tres_lib.watching.beliefs import RATES

SCORES = 10  # of a link's score
BINS = 2 * SCORES  # a link's score, and whether the page that it is on is relevant
PACES = np.geomspace(0.003, 30.0, 24)  # new links a day
FIRST_PACES = PACES**-0.5 / (PACES**-0.5).sum()  # before any was seen: one in three days
KINDS = 5  # of pages: by the depth of their URL, from the front page on; the last: feeds

PAGE = np.dtype(
    [
        ("id", "i8"),
        ("host", "i4"),
        ("kind", "i4"),  # of `KINDS`
        ("looks", "i4"),  # after the first fetch
        ("failures", "i4"),  # in a row; -1: gone
        ("keyed", "i4"),  # that of `COMMON` when `due` was worked out
        ("digest", "i8"),  # of the main text
        ("importance", "f8"),  # points a day while new; 0 if it is not relevant
        ("born", "f8"),  # the day it was new; NaN: unknown, so old
        ("look", "f8"),  # the day of the last look
        ("rest", "f8"),  # the day before which there is none
        ("due", "f8"),  # the day on which a look's value reaches the price
        ("zeta", "f8"),  # points a day at the last look
        ("factor", "f8"),  # of a look's index, for what it teaches
        ("arrivals", "f8"),  # new links since the first fetch
        ("watched", "f8"),  # days of that
        ("stale", "f8"),  # probability that it changed since the last look, by a feed or sitemap
        ("stale_on", "f8"),  # the day on which it did, by that
        ("likelihood", "f4", len(RATES)),  # of what was seen of its changes, by rate
        ("seen", "f4", BINS),  # its latest links, by bin
    ]
)
"""A known URL: page to refresh and hub of new links in one. Times are days since the start."""

COMMON = np.dtype(
    [
        ("day", "i8"),  # of the last renewal
        ("keyed", "i8"),  # how often all pages were keyed, and the price of the last time
        ("keyed_price", "f8"),
        ("price", "f8"),
        ("winners", "f8"),  # looks that the price has followed
        ("fading", "f8"),  # rate at which a new page's interest fades, a day
        ("lasting", "f8"),  # the share of it that stays
        ("end", "f8"),  # rate at which pages end, a day
        ("ends", "f8"),
        ("exposure", "f8"),  # days of pages, in which so many have ended
        ("importance", "f8"),  # sum over relevant pages, and their number
        ("relevant", "f8"),
        ("page", "f8"),  # value of an old relevant page
        ("own", "f8"),  # and what the links on a relevant page bring beyond their price
        ("prior", "f8", len(RATES)),  # of change rates
        ("paces", "f8", (KINDS, len(PACES))),  # of new links a day, by the kind of page
        ("counts", "f8", (BINS, 2)),  # links that were fetched, by bin, old and news
        ("hits", "f8", (BINS, 2)),  # and how many of them led to a new relevant page
        ("links", "f8", BINS),  # links that were seen, by bin
    ]
)
"""What holds for all pages; it is an array of one, so that compiled code can change it."""


def new_common(half_life: float, lasting: float) -> np.ndarray:
    """Return what a watch that has seen nothing takes to hold for all pages."""
    common = np.zeros(1, COMMON)
    common["day"] = -1
    common["fading"] = np.log(2) / half_life
    common["lasting"] = lasting
    common["end"] = 1 / 84
    common["prior"] = 1 / len(RATES)
    common["paces"] = FIRST_PACES
    common["page"] = 1.0
    return common


def kind_of(url: str, feed: bool) -> int:
    """Return of which of `KINDS` a page is.

    Examples
    --------
    >>> urls = "http://a.example/", "http://a.example/news/", "http://a.example/2026/news/1/2"
    >>> [kind_of(url, False) for url in urls], kind_of(urls[0], True)
    ([0, 1, 3], 4)
    """
    parts = urlsplit(url)
    depth = len([name for name in (*parts.path.split("/"), parts.query) if name])
    return KINDS - 1 if feed else min(depth, KINDS - 2)


def new_page(id: int, host: int, day: float, kind: int = KINDS - 2) -> np.ndarray:
    """Return the record of a page that is fetched for the first time."""
    page = np.zeros(1, PAGE)
    page["kind"] = kind
    page["id"], page["host"], page["look"], page["rest"] = id, host, day, day
    page["born"] = np.nan
    page["factor"] = 1.0
    page["likelihood"] = 1.0
    page["due"] = np.inf
    return page
