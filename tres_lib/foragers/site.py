"""What a fleet meets: the web as it is now, and the desk at which finds are handed in.

Tuples of arrays, because compiled code takes those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .law import ARTICLE, DAY, HOUR, SUBHUB

if TYPE_CHECKING:
    from .newsweb import NewsWeb
    from .settings import Rules

WINDOW = 3 * HOUR  # of the paper's efficiencies, freshness and age


class Site(NamedTuple):
    """The web as a fleet sees it; n URLs, v versions of their pages."""

    born: np.ndarray  # (v,) seconds, ascending
    url: np.ndarray  # (v,)
    page: np.ndarray  # (v,) what counts as the same page: the version, or its URL
    date: np.ndarray  # (v,) seconds; -inf for a page without a date
    state: np.ndarray  # (v, k) float32
    first_link: np.ndarray  # (v + 1,) version i links to link[first_link[i] : first_link[i + 1]]
    link: np.ndarray  # URLs, each once a version
    current: np.ndarray  # (n,) version that is on the web; -1 before a URL is there


class Desk(NamedTuple):
    """What the reinforcing agent has seen, and its log by windows of three hours."""

    seen: np.ndarray  # (v,) bool: pages accepted as relevant
    found_at: np.ndarray  # (v,) seconds at which a version was accepted; inf: never
    found_url: np.ndarray  # (n,) bool: URLs downloaded
    steps: np.ndarray  # (n,) how often a URL was the step of a path
    downloaded: np.ndarray  # (windows,)
    sent: np.ndarray
    relevant: np.ndarray


def open_site(web: NewsWeb, rules: Rules) -> Site:
    """The web before its first version, with dates as the rules read them."""
    kind = web.kind[web.url]
    date = np.where(kind == ARTICLE, web.born if rules.redated else web.published[web.url], -np.inf)
    if rules.dated_hubs:
        date = np.where(kind <= SUBHUB, web.born, date)
    page = web.url.astype(np.int64) if rules.by_url else np.arange(len(web.url))
    current = np.full(len(web), -1)
    return Site(web.born, web.url, page, date, web.state, *web.version_links, current)


def open_desk(web: NewsWeb) -> Desk:
    """A desk where nothing was handed in as yet."""
    versions, windows = len(web.url), int(np.ceil(web.days * DAY / WINDOW - 1e-9))
    counts = (np.zeros(windows, np.int64) for _ in range(3))
    seen, found_at = np.zeros(versions, np.bool_), np.full(versions, np.inf)
    found_url, steps = np.zeros(len(web), np.bool_), np.zeros(len(web), np.int64)
    return Desk(seen, found_at, found_url, steps, *counts)


def advance(site: Site, known: int, now: float) -> int:
    """Put versions on the web that are born by now, beyond the known ones; how many there are."""
    new = int(np.searchsorted(site.born, now, side="right"))
    site.current[site.url[known:new]] = np.arange(known, new)  # of a URL's versions the last stays
    return new
