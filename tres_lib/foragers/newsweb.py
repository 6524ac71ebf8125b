"""The time-evolving news web (URLs, versions of their pages, link slots), and its rewirings."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tres_webs.checks import generator, one_of, positive

from .settings import ARCHIVE, ARTICLE, DAY, FRONT, HOUR, LEAF, SECTION, SUBHUB, NewsSite

#: The ways of `NewsWeb.rewired` to rewire a web.
REWIRINGS = ("edge", "time", "static", "newsout")
BIN = 6 * HOUR


@dataclass(frozen=True, eq=False)
class NewsWeb:
    """A web of n URLs, v versions of their pages and m link slots, which change over time.

    Times are seconds since the start.
    """

    kind: np.ndarray  # (n,) int8, an index of `settings.KINDS_OF_PAGE`; URL 0 is the front page
    published: np.ndarray  # (n,) of a URL's first version; -inf before the start, but for articles
    url: np.ndarray  # (v,) int32
    born: np.ndarray  # (v,) when a version appeared, ascending
    state: np.ndarray  # (v, k) float32, a version's state vector
    listed_from: np.ndarray  # (v,) int64: window of listing slots that a version shows
    listed_to: np.ndarray  # (v,) int64
    # The slots of one source are a row of a CSR matrix: first the permanent ones, then, on hubs,
    # one for each article listed, oldest first. A version shows the permanent slots and a window of
    # the others. So a rewiring permutes one array, and hubs still show the latest slots.
    first_slot: np.ndarray  # (n + 1,) int64: URL u has slots first_slot[u] to first_slot[u + 1]
    standing_to: np.ndarray  # (n,) int64: its slots before this one are permanent
    destination: np.ndarray  # (m,) int32, the URL that a slot leads to
    appears: np.ndarray  # (m,) when a slot is first shown
    days: float  # length of the simulated time

    @classmethod
    def generate(
        cls, rng: np.random.Generator | int, days: float = 18, site: NewsSite | None = None
    ) -> "NewsWeb":
        """Grow a news site for some days.

        Examples
        --------
        >>> web = NewsWeb.generate(0, days=1)
        >>> len(web), len(web.edges())
        (26571, 59406)
        """
        days = positive("days", days)
        return cls(**grow(generator("rng", rng), days, site or NewsSite()), days=days)

    def __len__(self) -> int:
        return len(self.kind)

    def sources(self) -> np.ndarray:
        """Return the source URL of each slot, (m,) int64."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_slot))

    def edges(self) -> np.ndarray:
        """Return source and destination of all links over the whole time, (m, 2) int64."""
        return np.column_stack([self.sources(), self.destination.astype(np.int64)])

    @cached_property
    def version_links(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a CSR of the URLs that each version links to, each once: (v + 1,), (links,)."""
        n = len(self)
        standing = _ranges(self.first_slot[self.url], self.standing_to[self.url])
        owner, slot = np.hstack([standing, _ranges(self.listed_from, self.listed_to)])
        key = np.sort(owner * n + self.destination[slot])
        owner, link = np.divmod(key[np.diff(key, prepend=-1) > 0], n)
        return np.searchsorted(owner, np.arange(len(self.url) + 1)), link

    @cached_property
    def stored_versions(self) -> np.ndarray:
        """Return the version to which each of `version_links` first led, (links,); -1: none."""
        first, link = self.version_links
        v = len(self.url)
        stored = np.maximum(self.born, 0)  # what was there before was stored at the start
        there = np.searchsorted(self.born, stored, side="right")
        order = np.sort(self.url.astype(np.int64) * v + np.arange(v))  # by URL, then by birth
        place = np.searchsorted(order, link * v + np.repeat(there, np.diff(first))) - 1
        url, version = np.divmod(order[place], v)
        return np.where(url == link, version, -1)

    def rewired(self, rng: np.random.Generator | int, kind: str = "edge") -> "NewsWeb":
        """Return the same web with link ends permuted; all in- and out-degrees stay.

        The kind "edge" permutes all ends, as the paper's text says; "time" those of links that
        appear within the same 6 hours, so that hubs go on to list recent pages; "static" links to
        pages other than articles: news stay on their hubs; "newsout" exchanges each listing of an
        article on a hub with a random link of a page that is no hub: only the news leave the hubs.
        """
        # Pages, versions and times stay, so a link may lead to a page that is not there yet.
        order = self._order(generator("rng", rng), one_of("kind", kind, REWIRINGS))
        return replace(self, destination=self.destination[order])

    def _order(self, rng: np.random.Generator, kind: str) -> np.ndarray:
        """Return the slots whose destinations a rewiring puts in each place, (m,)."""
        slots = np.arange(len(self.destination))
        if kind == "edge":
            return rng.permutation(slots)
        order = slots.copy()
        if kind == "time":
            group = np.floor(np.maximum(self.appears, 0) / BIN)
            order[np.argsort(group, kind="stable")] = np.lexsort((rng.random(len(slots)), group))
            return order
        to_article = self.kind[self.destination] == ARTICLE
        if kind == "static":
            order[~to_article] = rng.permutation(slots[~to_article])
            return order
        on_hub = self.kind[self.sources()] <= SUBHUB
        news = slots[on_hub & to_article]
        others = rng.permutation(slots[~on_hub & ~to_article])[: len(news)]
        news = rng.permutation(news)[: len(others)]
        order[news] = others
        order[others] = news
        return order


def _ranges(start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the range that each number belongs to, and the numbers of all ranges, (2, total)."""
    length = stop - start
    owner = np.repeat(np.arange(len(start)), length)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    return np.stack([owner, start[owner] + within])


# How a site grows: its articles in time, its links by copying, its pages' texts.

ALWAYS = -np.inf  # birth of pages that are there from the start


@dataclass(frozen=True)
class Pages:
    """URLs in the order front page, sections, sub-hubs, archive, articles; leaves come later."""

    kind: np.ndarray
    hub: np.ndarray  # URL of the hub whose topic it shares; a hub is its own
    published: np.ndarray  # seconds since the start

    def of(self, kind: int) -> np.ndarray:
        """Return the URLs of this kind."""
        return np.flatnonzero(self.kind == kind)


@dataclass(frozen=True)
class Slots:
    """Links as arrays (m,)."""

    source: np.ndarray
    destination: np.ndarray  # below 0: still open, and decided by the copying
    appears: np.ndarray  # seconds since the start
    listing: np.ndarray  # bool: whether a slot is the place of an article on a hub

    def take(self, order: np.ndarray) -> "Slots":
        """Return the slots at these places."""
        return Slots(*(a[order] for a in vars(self).values()))


def grow(rng: np.random.Generator, days: float, site: NewsSite) -> dict[str, np.ndarray]:
    """Return the arrays of a `NewsWeb`, by name."""
    for_articles, for_links, for_texts = rng.spawn(3)
    pages = _pages(for_articles, days, site)
    pages, slots = _copied(pages, _slots(pages, for_links, site), for_links, site)
    n = len(pages.kind)
    slots = slots.take(np.lexsort((slots.appears, slots.listing, slots.source)))
    first = np.searchsorted(slots.source, np.arange(n + 1))
    standing_to = first[:-1] + np.bincount(slots.source[~slots.listing], minlength=n)
    url, born, window = _versions(pages, slots, standing_to, for_articles, days, site)
    return {
        "kind": pages.kind.astype(np.int8),
        "published": pages.published,
        "url": url.astype(np.int32),
        "born": born,
        "state": _states(pages, url, for_texts, site),
        "listed_from": window[:, 0].copy(),
        "listed_to": window[:, 1].copy(),
        "first_slot": first,
        "standing_to": standing_to,
        "destination": slots.destination.astype(np.int32),
        "appears": slots.appears,
    }


def _pages(rng: np.random.Generator, days: float, site: NewsSite) -> Pages:
    """Return all pages but the leaves."""
    n_sub = site.sections * site.subhubs
    sections = np.arange(site.sections) + 1
    subhubs = np.arange(n_sub) + site.sections + 1
    times = _article_times(rng, days, site)
    share = (1.0 + rng.permutation(n_sub)) ** -site.popularity
    of_articles = rng.choice(subhubs, size=len(times), p=share / share.sum())
    counts = [1, site.sections, n_sub, n_sub * site.archive, len(times)]
    kind = np.repeat([FRONT, SECTION, SUBHUB, ARCHIVE, ARTICLE], counts)
    hub = np.concatenate([[0], sections, subhubs, np.repeat(subhubs, site.archive), of_articles])
    published = np.full(len(kind), ALWAYS)
    published[kind == ARTICLE] = times
    ages = site.history_days + site.archive_days * np.sort(rng.random((n_sub, site.archive)))
    published[kind == ARCHIVE] = -DAY * ages[:, ::-1].ravel()
    return Pages(kind, hub, published)


def _article_times(rng: np.random.Generator, days: float, site: NewsSite) -> np.ndarray:
    """Return sorted times of a Poisson process whose rate has a daily and a weekly rhythm."""
    grid = np.arange(-site.history_days * DAY, days * DAY + HOUR, HOUR)
    by_day = site.night + (1 - site.night) * (1 - np.cos(2 * np.pi * (grid / HOUR - 3) / 24)) / 2
    by_week = np.where(grid // DAY % 7 >= 5, site.weekend, 1.0)
    cumulated = np.concatenate([[0], np.cumsum((by_day * by_week)[:-1])])
    expected = site.articles_a_day * (days + site.history_days)
    quantiles = np.sort(rng.random(rng.poisson(expected)))
    times = np.interp(quantiles * cumulated[-1], cumulated, grid)
    return times[times <= days * DAY]


def _slots(pages: Pages, rng: np.random.Generator, site: NewsSite) -> Slots:
    """Return all slots in order of time: the site's own, listings, and open ones."""
    sections = pages.of(SECTION)
    subhubs = pages.of(SUBHUB)
    section_of = np.repeat(sections, site.subhubs)
    archive = pages.of(ARCHIVE)
    articles = pages.of(ARTICLE)
    back = (rng.random(len(archive)) * (np.arange(len(archive)) % site.archive + 1)).astype(int)
    parents = np.where(back == 0, pages.hub[archive], archive - back)  # the sub-hub, or older pages
    writers = np.concatenate([archive, articles])
    lengths = np.arange(1, site.max_links + 1)
    p = lengths**-site.out_exponent
    open_from = np.repeat(writers, rng.choice(lengths, size=len(writers), p=p / p.sum()))
    on_section = articles[rng.random(len(articles)) < site.section_share]
    on_front = articles[rng.random(len(articles)) < site.front_share]
    down = [(0 * sections, sections), (section_of, subhubs), (parents, archive)]
    up = [(sections, 0 * sections), (subhubs, section_of)]
    listings = [
        (pages.hub[articles], articles),
        (section_of[pages.hub[on_section] - subhubs[0]], on_section),
        (0 * on_front, on_front),
    ]
    groups = [*down, *up, (open_from, np.full(len(open_from), -1)), *listings]
    source, destination = (np.concatenate(ends) for ends in zip(*groups, strict=True))
    listing = np.arange(len(source)) >= len(source) - sum(len(a) for _, a in listings)
    settled = np.where(destination < 0, source, destination)
    since = np.maximum(pages.published[source], pages.published[settled])
    appears = since + np.where(listing, site.listing_delay, 0.0)
    slots = Slots(source, destination, appears, listing)
    return slots.take(np.argsort(appears, kind="stable"))


def _copied(
    pages: Pages, slots: Slots, rng: np.random.Generator, site: NewsSite
) -> tuple[Pages, Slots]:
    """Lead open slots to new leaves or to random earlier ends; drop double and own links."""
    place = np.arange(len(slots.source))
    is_open = slots.destination < 0
    new = is_open & (rng.random(len(place)) < site.innovation)
    local = rng.random(len(place)) < site.locality
    groups = (pages.hub[slots.source], 0 * place)
    earlier = np.where(local, *(_earlier_in_group(group, rng) for group in groups))
    origin = np.where(is_open & ~new, earlier, place)
    while (origin != origin[origin]).any():  # a copy of a copy has the end of the original
        origin = origin[origin]
    ends = slots.destination.copy()
    ends[new] = len(pages.kind) + np.arange(new.sum())
    linkers = slots.source[new]
    pages = Pages(
        np.concatenate([pages.kind, np.full(len(linkers), LEAF)]),
        np.concatenate([pages.hub, pages.hub[linkers]]),
        np.concatenate([pages.published, slots.appears[new]]),
    )
    slots = Slots(slots.source, ends[origin], slots.appears, slots.listing)
    _, first = np.unique(slots.source * len(pages.kind) + slots.destination, return_index=True)
    first.sort()
    return pages, slots.take(first[slots.source[first] != slots.destination[first]])


def _earlier_in_group(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return for each place a random earlier one of its group; for the first of a group itself."""
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], group[order])
    rank = np.arange(len(group)) - first
    earlier = np.empty(len(group), np.int64)
    earlier[order] = order[first + (rng.random(len(group)) * rank).astype(np.int64)]
    return earlier


def _versions(
    pages: Pages,
    slots: Slots,
    standing_to: np.ndarray,
    rng: np.random.Generator,
    days: float,
    site: NewsSite,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return URL, birth and window of listings of each version, in order of birth."""
    articles = pages.of(ARTICLE)
    updated = np.repeat(articles, rng.poisson(site.updates, size=len(articles)))
    update_times = pages.published[updated] + rng.exponential(site.update_delay, size=len(updated))
    hub = slots.source[slots.listing]
    place = np.flatnonzero(slots.listing)
    latest = np.array([site.latest_front, site.latest_section, site.latest_subhub])[pages.kind[hub]]
    windows = np.column_stack([np.maximum(place + 1 - latest, standing_to[hub]), place + 1])
    url = np.concatenate([np.arange(len(pages.kind)), updated, hub])
    born = np.concatenate([pages.published, update_times, slots.appears[slots.listing]])
    window = np.concatenate([np.zeros((len(url) - len(hub), 2), np.int64), windows])
    order = np.argsort(born, kind="stable")
    order = order[born[order] <= days * DAY]
    return url[order], born[order], window[order]


def _states(pages: Pages, url: np.ndarray, rng: np.random.Generator, site: NewsSite) -> np.ndarray:
    """Return the state vector of each version, (v, k) float32 (see `NewsSite`)."""
    k = site.dimensions
    section_topics = rng.standard_normal((site.sections, k))
    front_topic = section_topics.sum(axis=0, keepdims=True) / np.sqrt(site.sections)
    above = np.repeat(section_topics, site.subhubs, axis=0)
    subhub_topics = (above + rng.standard_normal(above.shape)) / np.sqrt(2)
    topics = np.concatenate([front_topic, section_topics, subhub_topics])
    page = site.topic * topics[pages.hub] + site.page * rng.standard_normal((len(pages.hub), k))
    news = (pages.kind <= SUBHUB) | (pages.kind == ARTICLE)
    page += site.news_signal * news[:, None] * rng.standard_normal(k)
    return np.tanh(page[url] + site.version * rng.standard_normal((len(url), k))).astype(np.float32)
