"""Writes the pages of VitalWeb: which pages exist, what they say, what they link to."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..page import Link
from . import prose
from .addresses import (
    ABOUT,
    ARTICLE,
    CALENDAR,
    FRONT,
    LINKS,
    NEUTRAL,
    OLD,
    PRINT,
    SECTION,
    Addresses,
    Ref,
    slug,
)
from .concepts import surface
from .parameters import WebLaw
from .prose import Dice
from .sites import PORTAL, SPAM, SPECIALIST, Rings, SiteTable


@dataclass(frozen=True)
class Site:
    """What all pages of a site share."""

    centres: list[int]
    sections: list[list[tuple[int, int]]]  # per section (article, pages), most pages first
    nav: list[Link]
    sidebar: list[Link]
    footer: list[Link]
    words: list[str]


def page_key(ref: Ref) -> tuple[int, ...]:
    code = {ARTICLE: 0, PRINT: 1, OLD: 0, SECTION: 2, FRONT: 3, LINKS: 4, CALENDAR: 5, ABOUT: 6}
    return ref.site, code[ref.kind], ref.a, ref.b


class Writer:
    """All pages of one web, composed on demand from (seed, page reference).

    A page is a title and a list of blocks, ("text", str) or
    ("links", heading, [Link, ...]), in the order a reader sees them.
    """

    def __init__(self, seed: int, law: WebLaw, titles, sentences, rings: Rings, table: SiteTable):
        self.seed, self.law, self.table = seed, law, table
        self.titles, self._sentences, self._rings = titles, sentences, rings
        self._names = [surface(title) for title in titles]
        self.addresses = Addresses(titles, self._host_word, len(table.sizes))
        linkable = ~table.island & (table.role != SPAM)
        # Sites are sorted by size. The tiniest webs may have nothing but spam.
        self._large = np.flatnonzero(linkable if linkable.any() else ~linkable)
        self._islands = np.flatnonzero(table.island)
        self._site = lru_cache(maxsize=4096)(self._make_site)

    def has(self, site: int, trait: str) -> bool:
        """Whether a site has a trait that a share of all sites has, by a hash of its number."""
        salt = {"soft_404": 1, "calendar": 2, "printable": 3, "directory": 4}[trait]
        mixed = (site * 2_654_435_761 + salt * 40_503 + self.seed * 97) * 2_246_822_519 % 2**32
        return (mixed ^ mixed >> 15) % 1000 < 1000 * getattr(self.law, trait)

    def exists(self, ref: Ref) -> bool:
        if ref.kind in (ARTICLE, PRINT, OLD):
            allowed = ref.kind != PRINT or self.has(ref.site, "printable")
            return allowed and ref.b < self._pages_on(ref.site, ref.a)
        if ref.kind == SECTION:
            site = self._site(ref.site)
            return ref.a < len(site.sections) and ref.b * self.law.listing < len(
                site.sections[ref.a]
            )
        if ref.kind == LINKS:
            return self._lists_links(ref.site)
        return ref.kind != CALENDAR or (ref.a >= 0 and self.has(ref.site, "calendar"))

    def _lists_links(self, site: int) -> bool:
        role = self.table.role[site]
        return role == PORTAL or (role != SPAM and self.has(site, "directory"))

    def _pages_on(self, site: int, article: int) -> int:
        low, high = self.table.indptr[site], self.table.indptr[site + 1]
        row = low + np.searchsorted(self.table.article[low:high], article)
        return (
            int(self.table.count[row]) if row < high and self.table.article[row] == article else 0
        )

    # -- links -------------------------------------------------------------------

    def _host_word(self, site: int) -> str:
        centre = int(self.table.centres[self.table.centre_indptr[site]])
        if site % 5 < 2 and self.table.role[site] == SPECIALIST:
            return slug(self.titles[centre]).split("-")[0] or "site"
        return NEUTRAL[(site * 7 + self.seed) % len(NEUTRAL)]

    def _make_site(self, site: int) -> Site:
        table = self.table
        rows = slice(table.indptr[site], table.indptr[site + 1])
        article, count, section = table.article[rows], table.count[rows], table.section[rows]
        by_count = np.argsort(-count, kind="stable")
        centres = table.centres[table.centre_indptr[site] : table.centre_indptr[site + 1]].tolist()
        sections = [
            [(int(article[i]), int(count[i])) for i in by_count if section[i] == k]
            for k in range(len(centres))
        ]
        dice = Dice(self.seed, 2, site)
        url = self.addresses.url
        nav = [Link(url(Ref(FRONT, site)), dice.pick(("Home", "Start", self.addresses.host(site))))]
        nav += [
            Link(url(Ref(SECTION, site, k)), self._names[centres[k]])
            for k in range(min(len(centres), 5))
            if sections[k]
        ]
        if self._lists_links(site):
            nav.append(Link(url(Ref(LINKS, site)), "Web directory"))
        if self.has(site, "calendar"):
            nav.append(Link(url(Ref(CALENDAR, site, 300 + dice.below(24))), "Calendar"))
        top = [(int(article[i]), int(count[i])) for i in by_count[: self.law.sidebar]]
        sidebar = [self._link(Ref(ARTICLE, site, a, 0), dice) for a, _ in top]
        footer = [Link(url(Ref(ABOUT, site)), dice.pick(("About us", "Contact", "Imprint")))]
        words = [dice.pick(prose.BOILERPLATE) for _ in range(3)]
        return Site(centres, sections, nav, sidebar, footer, words)

    def _link(self, ref: Ref, dice: Dice) -> Link:
        """A link to an article page, now and then gone, moved or badly named."""
        fate = dice()
        if fate < self.law.dead:
            ref = ref._replace(b=ref.b + 7_000)
        elif fate < self.law.dead + self.law.moved:
            ref = ref._replace(kind=OLD)
        lead = self._sentences[ref.a][0]
        other = self._names[dice.below(len(self._names))]
        return Link(self.addresses.url(ref), prose.anchor(self._names[ref.a], lead, other, dice))

    def _near(self, article: int, dice: Dice) -> int:
        ring = self._rings.cumulative[article]
        return int(self._rings.article[article, min(bisect_right(ring, dice()), len(ring) - 1)])

    def _across(self, article: int, dice: Dice) -> Ref | None:
        """A page of some site on an article near ``article``."""
        target = self._near(article, dice)
        low, high = self.table.article_indptr[target], self.table.article_indptr[target + 1]
        if low == high:
            return None
        entry = self.table.by_article[low + dice.below(int(high - low), self.law.reach)]
        variant = dice.below(int(self.table.count[entry]), 2.0)
        return Ref(ARTICLE, int(self.table.site[entry]), target, variant)

    def _related(self, site: int, section: list[tuple[int, int]], dice: Dice) -> Ref:
        article, count = section[dice.below(len(section), 1.5)]
        return Ref(ARTICLE, site, article, dice.below(count))

    def _popular(self, dice: Dice) -> Link:
        site = int(self._large[dice.below(len(self._large), self.law.reach)])
        return self._front(site, dice)

    def _front(self, site: int, dice: Dice) -> Link:
        name, host = self._names[self._site_centre(site)], self.addresses.host(site)
        return Link(self.addresses.url(Ref(FRONT, site)), name if dice() < 0.4 else host)

    def _site_centre(self, site: int) -> int:
        return int(self.table.centres[self.table.centre_indptr[site]])

    # -- pages -------------------------------------------------------------------

    def compose(self, ref: Ref, missing: bool) -> tuple[str, list[tuple]]:
        site, dice = self._site(ref.site), Dice(self.seed, 3, *page_key(ref))
        frame = [("links", "Menu", site.nav)]
        if missing:
            title, middle = (
                "Page not found",
                [("text", "Sorry, the page you asked for is not here.")],
            )
        elif ref.kind in (ARTICLE, PRINT):
            title, middle = self._article_page(ref, site, dice)
        else:
            title, middle = self._hub_page(ref, site, dice)
        footer = ("links", "More", site.footer + [self._popular(dice)])
        side = ("links", "Most read", site.sidebar)
        return title, [*frame, *middle, side, ("text", " ".join(site.words)), footer]

    def _article_page(self, ref: Ref, site: Site, dice: Dice) -> tuple[str, list[tuple]]:
        title = self._names[ref.a]
        spam = self.table.role[ref.site] == SPAM
        # The print view repeats the text of its article word for word: a near-duplicate.
        words = Dice(self.seed, 4, ref.site, ref.a, ref.b)
        text = self._spam_text(ref.a, words) if spam else self._body(ref.a, words)
        if ref.kind == PRINT:
            return f"{title} (print)", [("text", title), ("text", text)]
        section = next(
            (s for s in site.sections if any(a == ref.a for a, _ in s)), site.sections[0]
        )
        related = [self._related(ref.site, section, dice) for _ in range(self.law.related)]
        across = [self._across(ref.a, dice) for _ in range(self.law.across)]
        blocks = [
            ("text", title),
            ("text", text),
            ("links", "Related", [self._link(r, dice) for r in related]),
            ("links", "On the Web", [self._link(r, dice) for r in across if r is not None]),
            ("links", "Popular sites", [self._popular(dice) for _ in range(self.law.popular)]),
        ]
        if self.has(ref.site, "printable"):
            blocks.append(
                (
                    "links",
                    "Tools",
                    [Link(self.addresses.url(ref._replace(kind=PRINT)), "Print version")],
                )
            )
        return f"{title} - {self.addresses.host(ref.site)}", blocks

    def _body(self, article: int, dice: Dice) -> str:
        near = [self._near(article, dice) for _ in range(dice.below(4))]
        mentioned = [dice.pick(self._sentences[other]) for other in near if other != article]
        noise = dice.pick(dice.pick(self._sentences)) if dice() < self.law.noise else None
        return prose.body(self._sentences[article], mentioned, noise, dice)

    def _spam_text(self, article: int, dice: Dice) -> str:
        words = [w for _ in range(4) for w in self._names[self._near(article, dice)].split()]
        return prose.stuffed(words, dice)

    def _hub_page(self, ref: Ref, site: Site, dice: Dice) -> tuple[str, list[tuple]]:
        host = self.addresses.host(ref.site)
        if ref.kind == ABOUT:
            return f"About {host}", [("text", " ".join(prose.BOILERPLATE[:8]))]
        if ref.kind == CALENDAR:
            months = [Ref(CALENDAR, ref.site, max(ref.a + k, 0)) for k in (-1, 1, 12)]
            names = ("Previous month", "Next month", "Next year")
            links = [Link(self.addresses.url(m), n) for m, n in zip(months, names, strict=True)]
            return f"Calendar {self.addresses.path(ref)[-7:]}", [
                ("text", "No events."),
                ("links", "Go to", links),
            ]
        name = host if ref.kind != SECTION else self._names[site.centres[ref.a]]
        return name, self._listing_blocks(ref, site, dice)

    def _listing_blocks(self, ref: Ref, site: Site, dice: Dice) -> list[tuple]:
        pages, fronts = self._listing(ref)
        # Teasers stand on lists of the site's own pages, not in link directories.
        teasers = [] if ref.kind == LINKS else [self._sentences[p.a][0] for p in pages[:5]]
        links = [self._link(p, dice) for p in pages] + [self._front(s, dice) for s in fronts]
        if ref.kind == SECTION and self.exists(ref._replace(b=ref.b + 1)):
            links.append(Link(self.addresses.url(ref._replace(b=ref.b + 1)), "Next page"))
        return [("text", " ".join(teasers)), ("links", "Contents", links)]

    def _listing(self, ref: Ref) -> tuple[list[Ref], list[int]]:
        """(article pages, sites by their front page) that a hub lists."""
        site, dice, n = self._site(ref.site), Dice(self.seed, 5, *page_key(ref)), self.law.listing
        if ref.kind == SECTION:
            part = site.sections[ref.a][ref.b * n : (ref.b + 1) * n]
            return [Ref(ARTICLE, ref.site, a, dice.below(c)) for a, c in part], []
        if ref.kind == FRONT:
            filled = [s for s in site.sections if s]
            return [self._related(ref.site, dice.pick(filled), dice) for _ in range(n)], []
        if self.table.role[ref.site] == PORTAL and len(self._islands):
            # Islands hang on these general directories alone.
            islands = [int(dice.pick(self._islands)) for _ in range(n // 2)]
            return [], islands + [int(dice.pick(self._large)) for _ in range(n // 2)]
        found = (self._across(site.centres[0], dice) for _ in range(n))
        return [r for r in found if r is not None], []

    def listed(self, ref: Ref) -> np.ndarray:
        """Articles that a hub page lists; a site stands for the article at its centre."""
        if ref.kind not in (SECTION, FRONT, LINKS):
            return np.empty(0, int)
        pages, fronts = self._listing(ref)
        return np.array([p.a for p in pages] + [self._site_centre(s) for s in fronts], int)
