"""Writes the pages of VitalWeb: which pages exist, what they say, what they link to."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate
from zlib import crc32

import numpy as np

from ..page import Link
from . import prose
from .addresses import Addresses, Ref, TitledAddresses, slug
from .concepts import surface
from .linking import Linker
from .parameters import HANDMADE_SIZE, WebLaw
from .prose import Block, Dice, normal
from .sites import PORTAL, SPAM, SPECIALIST, Rings, SiteTable
from .texts import Texts

TRAITS = ("soft_404", "calendar", "printable", "directory", "handmade")
HEADINGS = (
    *("Menu", "Related", "On the Web", "Popular sites", "Tools"),
    *("Contents", "Go to", "Most read", "More"),
)
SLUG_WORDS = 8
SHARES = 0.1, 5.0  # least and most of a site's links a page, over an average page's
NOT_FOUND: list[Block] = [("Sorry, the page you asked for is not here.", None)]


@dataclass(frozen=True)
class Site:
    """What all pages of a site share."""

    centres: list[int]
    sections: list[list[tuple[int, int]]]  # per section (article, pages), most pages first
    ends: list[list[int]]  # per section, its pages so far
    filled: list[int]  # sections that have pages
    section_of: dict[int, int]  # by article
    partners: list[Ref]  # to whose sites all outside links go; none: each to one of its own
    popular: list[Link]  # links to large sites, on all of its pages; none: each page has its own
    share: float  # its pages' links over those of an average page
    nav: list[Link]
    sidebar: list[Link]
    about: Link
    words: str


@dataclass(eq=False)
class Writer:
    """All pages of one web, composed on demand from its seed and a page reference."""

    seed: int
    law: WebLaw
    titles: Sequence[str]
    sentences: Sequence[Sequence[str]]  # of each article
    rings: Rings
    table: SiteTable

    def __post_init__(self) -> None:
        self.names = [surface(title) for title in self.titles]
        law = self.law
        written = self.names, self.sentences, self.rings
        headlines = tuple(accumulate(law.headlines[:-1]))
        self.texts = Texts(self.seed, law.noise, headlines, *written)
        grammar = TitledAddresses if law.headlines else Addresses
        self.addresses = grammar(self.titles, self._host_word, len(self.table.sizes), self._slug)
        self.linker = Linker(law, self.texts, self.addresses, self.table)
        self._islands = np.flatnonzero(self.table.island)
        self._site = lru_cache(maxsize=4096)(self._make_site)
        self.template = lru_cache(maxsize=4096)(self._template)

    def has(self, site: int, trait: str) -> bool:
        """Return whether a site has a trait that a share of all sites has, by a hash."""
        salt = 1 + TRAITS.index(trait)
        mixed = (site * 2_654_435_761 + salt * 40_503 + self.seed * 97) * 2_246_822_519 % 2**32
        return (mixed ^ mixed >> 15) % 1000 < 1000 * getattr(self.law, trait)

    def exists(self, ref: Ref) -> bool:
        """Return whether the web has that page."""
        if ref.on_article:
            offered = ref.kind != "print" or self.has(ref.site, "printable")
            return offered and ref.b < self.table.pages_on(ref.site, ref.a) and self.stands(ref)
        if ref.kind == "section":
            sections = self._site(ref.site).sections
            return ref.a < len(sections) and ref.b * self.law.listing < len(sections[ref.a])
        if ref.kind == "directory":
            return self._lists_links(ref.site)
        return ref.kind != "calendar" or (ref.a >= 0 and self.has(ref.site, "calendar"))

    def stands(self, ref: Ref) -> bool:
        """Return whether an article page is not gone; by the first law links are, not pages."""
        if not self.law.headlines:
            return True
        fate = self.linker.fate(ref)
        return fate is not None and (ref.kind != "moved" or fate == "moved")

    def listed(self, ref: Ref) -> np.ndarray:
        """Return the articles that a hub lists, a site's being its centre."""
        if ref.kind not in ("section", "front", "directory"):
            return np.empty(0, int)
        pages = self.listing(ref)
        return np.array([p.a if p.on_article else self.table.centre(p.site) for p in pages], int)

    def compose(self, ref: Ref, soft_404: bool) -> tuple[str, list[Block]]:
        """Return a page's title and blocks, or its "not found" page."""
        site = self._site(ref.site)
        dice = Dice(self.seed, 3, *ref.key)
        if soft_404:
            title, middle = "Page not found", NOT_FOUND
        elif ref.on_article:
            title, middle = self._article_page(ref, site, dice)
        else:
            title, middle = self._hub_page(ref, site, dice)
        footer = ("More", [site.about, *(site.popular[:1] or self.linker.popular(dice))])
        menu = ("Menu", site.nav)
        blocks = [menu, *middle, ("Most read", site.sidebar), (site.words, None), footer]
        return title, self._arranged(blocks, self.template(ref.site))

    def _template(self, site: int) -> int:
        """Return the number of a site's template; 0 is that of a web with one."""
        several = self.law.templates
        return Dice(self.seed, 8, site).below(several) if several > 1 else 0

    def html(self, ref: Ref, title: str, blocks: list[Block]) -> bytes:
        """Return a page's untidy HTML, with links relative to its site."""
        own = f"http://{self.addresses.host(ref.site)}"
        relative = [
            (text, links and [Link(k.url.removeprefix(own), k.anchor) for k in links])
            for text, links in blocks
        ]
        return prose.untidy_html(title, relative, Dice(self.seed, 7, *ref.key), self.layout(ref))

    def layout(self, ref: Ref) -> prose.Layout:
        """Return where a page's lists of links stand in its HTML."""
        return prose.Layout(self.template(ref.site), crc32(f"{self.seed} {ref.key}".encode()))

    def _arranged(self, blocks: list[Block], template: int) -> list[Block]:
        if not template:
            return blocks
        dice = Dice(self.seed, 9, template)
        place = {heading: dice() for heading in HEADINGS}
        text = dice()
        return sorted(blocks, key=lambda block: text if block[1] is None else place[block[0]])

    def _lists_links(self, site: int) -> bool:
        role = self.table.role[site]
        return role == PORTAL or (role != SPAM and self.has(site, "directory"))

    def _host_word(self, site: int) -> str:
        if site % 5 < 2 and self.table.role[site] == SPECIALIST:
            return slug(self.titles[self.table.centre(site)]).split("-")[0] or "site"
        return prose.NEUTRAL[(site * 7 + self.seed) % len(prose.NEUTRAL)]

    def _slug(self, site: int, article: int, variant: int) -> str:
        return "-".join(slug(self.texts.title((site, article, variant))).split("-")[:SLUG_WORDS])

    def _make_site(self, site: int) -> Site:
        law, table = self.law, self.table
        rows = slice(*table.indptr[site : site + 2])
        section = table.section[rows].tolist()
        by_count = np.argsort(-table.count[rows], kind="stable").tolist()
        pages = list(zip(table.article[rows].tolist(), table.count[rows].tolist(), strict=True))
        centres = table.centres[slice(*table.centre_indptr[site : site + 2])].tolist()
        sections: list[list[tuple[int, int]]] = [[] for _ in centres]
        for i in by_count:
            sections[section[i]].append(pages[i])
        ends = [list(accumulate(count for _, count in part)) for part in sections]
        filled = [k for k, part in enumerate(sections) if part]
        section_of = {article: k for (article, _), k in zip(pages, section, strict=True)}
        dice = Dice(self.seed, 2, site)
        to = self.linker.to
        nav = [to("front", site, dice.pick(("Home", "Start", self.addresses.host(site))))]
        named = [(k, self.names[centre]) for k, centre in enumerate(centres[:5]) if sections[k]]
        nav += [to("section", site, name, k) for k, name in named]
        if self._lists_links(site):
            nav.append(to("directory", site, "Web directory"))
        if self.has(site, "calendar"):
            nav.append(to("calendar", site, "Calendar", 300 + dice.below(24)))
        # A site's links a page over those of an average page: log-normal of mean 1.
        spread, share = law.spread, 1.0
        if spread:
            share = float(np.clip(math.exp(spread * (normal(dice) - spread / 2)), *SHARES))
        partners = self.linker.partners(site, centres, dice)
        popular = self.linker.popular(dice, law.popular) if partners else []
        top = [pages[i][0] for i in by_count[: round(law.sidebar * share)]]
        sidebar = [self.linker.link(Ref("article", site, article), dice) for article in top]
        about = to("about", site, dice.pick(("About us", "Contact", "Imprint")))
        words = " ".join(dice.pick(prose.BOILERPLATE) for _ in range(3))
        outside = partners, popular, share
        inside = centres, sections, ends, filled, section_of
        return Site(*inside, *outside, nav, sidebar, about, words)

    def _related(self, ref_site: int, site: Site, k: int, dice: Dice) -> Ref:
        """Return a page of a section: by the first law each article is as likely."""
        section = site.sections[k]
        if not self.law.headlines:
            article, count = section[dice.below(len(section), 1.5)]
            return Ref("article", ref_site, article, dice.below(count))
        ends = site.ends[k]
        place = dice.below(ends[-1])
        row = bisect_right(ends, place)
        return Ref("article", ref_site, section[row][0], ends[row] - 1 - place)

    def _article_page(self, ref: Ref, site: Site, dice: Dice) -> tuple[str, list[Block]]:
        title = self.texts.title((ref.site, ref.a, ref.b))
        # The print view repeats the text of its article word for word: a near-duplicate.
        spam = self.table.role[ref.site] == SPAM
        text = self.texts.text((ref.site, ref.a, ref.b), spam)
        if ref.kind == "print":
            return f"{title} (print)", [(title, None), (text, None)]
        k = site.section_of.get(ref.a, site.filled[0])
        n_related = self._times(self.law.related, site, dice)
        related = [self._related(ref.site, site, k, dice) for _ in range(n_related)]
        across = self._outside(ref, site, dice)
        blocks: list[Block] = [
            (title, None),
            (text, None),
            ("Related", [self.linker.link(r, dice) for r in related]),
            ("On the Web", [self.linker.link(r, dice) for r in across]),
            ("Popular sites", site.popular or self.linker.popular(dice, self.law.popular)),
        ]
        if self.has(ref.site, "printable"):
            url = self.addresses.url(ref._replace(kind="print"))
            blocks.append(("Tools", [Link(url, "Print version")]))
        return f"{title} - {self.addresses.host(ref.site)}", blocks

    def _outside(self, ref: Ref, site: Site, dice: Dice) -> list[Ref]:
        """Return the pages of other sites that an article page links to, but popular ones."""
        if not self.law.page_links:
            n_across = self._times(self.law.across, site, dice)
            return self.linker.outside(site.partners, ref.a, n_across, dice)
        n_pages = int(self.table.sizes[ref.site])
        by_hand = n_pages <= HANDMADE_SIZE and self.has(ref.site, "handmade")
        n_own, n_usual = self.law.outside(n_pages, by_hand)
        usual = self.linker.outside(site.partners, ref.a, self._times(n_usual, site, dice), dice)
        return usual + self.linker.own(ref.a, self._times(n_own, site, dice), dice)

    def _times(self, links: float, site: Site, dice: Dice) -> int:
        """Return how many links of a kind a page of the site has, in the mean its share."""
        if site.share == 1.0 and isinstance(links, int):
            return links
        return int(links * site.share + dice())

    def _hub_page(self, ref: Ref, site: Site, dice: Dice) -> tuple[str, list[Block]]:
        host = self.addresses.host(ref.site)
        if ref.kind == "about":
            return f"About {host}", [(" ".join(prose.BOILERPLATE[:8]), None)]
        if ref.kind == "calendar":
            steps = {"Previous month": -1, "Next month": 1, "Next year": 12}
            to = partial(self.linker.to, ref.kind, ref.site)
            months = [to(anchor, max(ref.a + step, 0)) for anchor, step in steps.items()]
            title = f"Calendar {self.addresses.path(ref)[-7:]}"
            return title, [("No events.", None), ("Go to", months)]
        pages = self.listing(ref)
        # Teasers stand on lists of the site's own pages, not in link directories.
        teasers = [] if ref.kind == "directory" else [self.sentences[p.a][0] for p in pages[:5]]
        links = [self.linker.link(p, dice) for p in pages]
        if ref.kind == "section" and self.exists(ref._replace(b=ref.b + 1)):
            links.append(self.linker.to(ref.kind, ref.site, "Next page", ref.a, ref.b + 1))
        name = self.names[site.centres[ref.a]] if ref.kind == "section" else host
        return name, [(" ".join(teasers), None), ("Contents", links)]

    def listing(self, ref: Ref) -> list[Ref]:
        """Return the article pages or the front pages that a hub lists."""
        site = self._site(ref.site)
        dice = Dice(self.seed, 5, *ref.key)
        n = self.law.listing
        if ref.kind == "section":
            part = site.sections[ref.a][ref.b * n : (ref.b + 1) * n]
            return [Ref("article", ref.site, a, dice.below(count)) for a, count in part]
        if ref.kind == "front":
            picks = (dice.pick(site.filled) for _ in range(n))
            return [self._related(ref.site, site, k, dice) for k in picks]
        if self.table.role[ref.site] == PORTAL and len(self._islands):
            # Islands hang on these general directories alone.
            drawn = [self._islands] * (n // 2) + [self.linker.large] * (n // 2)
            return [Ref("front", int(sites[dice.below(len(sites))])) for sites in drawn]
        near = (self.linker.across(site.centres[0], dice) for _ in range(n))
        return [ref for ref in near if ref is not None]
