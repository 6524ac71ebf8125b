"""Where VitalWeb's links lead, and what they are called."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from ..page import Link
from . import prose
from .addresses import Addresses, Kind, Ref
from .parameters import ANCHOR_KINDS, WebLaw
from .prose import Dice
from .sites import SPAM, SiteTable
from .texts import Texts

TITLED_PART = 3  # words of a part of a headline
PARTNER_SKEW = 2.0  # a site links to its first partners most


@dataclass(eq=False)
class Linker:
    """The links of one web."""

    law: WebLaw
    texts: Texts
    addresses: Addresses
    table: SiteTable

    def __post_init__(self) -> None:
        self._anchor_steps = np.cumsum(self.law.anchors).tolist()
        linkable = ~self.table.island & (self.table.role != SPAM)
        # Sites are sorted by size. The tiniest webs may have nothing but spam.
        self.large = np.flatnonzero(linkable if linkable.any() else ~linkable)

    def to(self, kind: Kind, site: int, anchor: str, a: int = 0, b: int = 0) -> Link:
        """Return a link to a page of a kind."""
        return Link(self.addresses.url(Ref(kind, site, a, b)), anchor)

    def link(self, ref: Ref, dice: Dice) -> Link:
        """Return a link to a front page, or to an article page, now and then gone or moved."""
        if ref.kind == "front":
            return self.front(ref.site, dice)
        if self.law.headlines:
            moved = self.fate(ref) == "moved"
            return self.named(ref._replace(kind="moved") if moved else ref, dice)
        fate = dice()
        if fate < self.law.dead:
            ref = ref._replace(b=ref.b + 7_000)
        elif fate < self.law.dead + self.law.moved:
            ref = ref._replace(kind="moved")
        return self.named(ref, dice)

    def named(self, ref: Ref, dice: Dice) -> Link:
        """Return a link to an article page, with an anchor of a kind that is drawn."""
        lead = self.texts.sentences[ref.a][0]
        other = self.texts.names[dice.below(len(self.texts.names))]
        kind = (*ANCHOR_KINDS, "none")[bisect_right(self._anchor_steps, dice())]
        title = self.texts.title((ref.site, ref.a, ref.b)) if kind in prose.OF_TITLE else ""
        part = TITLED_PART if self.law.headlines else 1
        return Link(self.addresses.url(ref), prose.anchor(kind, title, lead, other, dice, part))

    def fate(self, ref: Ref) -> Kind | None:
        """Return whether a page's known address leads to it, has moved, or to nothing: None."""
        u = (self.texts.bits((ref.site, ref.a, ref.b)) >> 52) / 2**12
        if u < self.law.dead:
            return None
        return "moved" if u < self.law.dead + self.law.moved else "article"

    def front(self, site: int, dice: Dice) -> Link:
        """Return a link to a site's front page."""
        name = self.texts.names[self.table.centre(site)]
        return self.to("front", site, name if dice() < 0.4 else self.addresses.host(site))

    def any_large(self, dice: Dice) -> int:
        """Draw a site that others link to, large ones most."""
        return int(self.large[dice.below(len(self.large), self.law.reach)])

    def popular(self, dice: Dice, n: int = 1) -> list[Link]:
        """Return links to n large sites."""
        return [self.front(self.any_large(dice), dice) for _ in range(n)]

    def across(self, article: int, dice: Dice) -> Ref | None:
        """Return a page of some site on an article near this one; None if there is none."""
        target = self.texts.near(article, dice)
        low, high = self.table.article_indptr[target : target + 2]
        if low == high:
            return None
        entry = self.table.by_article[low + dice.below(int(high - low), self.law.reach)]
        variant = dice.below(int(self.table.count[entry]), 2.0)
        return Ref("article", int(self.table.site[entry]), target, variant)

    def partners(self, site: int, centres: list[int], dice: Dice) -> list[Ref]:
        """Draw the pages that a site's pages link to: more of them, the more sections it has."""
        depth = int(self.law.sites.depth(self.table.sizes[site : site + 1])[0])
        partners = []
        for _ in range(self.law.partners * depth):
            ref = self.across(dice.pick(centres), dice) if dice() < self.law.kin else None
            if ref is None:
                ref = Ref("front", self.any_large(dice))
            elif dice() >= self.law.deep:
                ref = Ref("front", ref.site)
            partners.append(ref)
        return partners

    def outside(self, partners: list[Ref], article: int, n: int, dice: Dice) -> list[Ref]:
        """Return up to `n` pages of other sites that a page on an article links to."""
        if not partners:
            across = (self.across(article, dice) for _ in range(n))
            return [ref for ref in across if ref is not None]
        chosen = []
        for _ in range(n):  # the page of a partner that the site links to, or one near this article
            usual = partners[dice.below(len(partners), PARTNER_SKEW)]
            if dice() < self.law.fresh:
                near = self.texts.near(article, dice)
                if pages := self.table.pages_on(usual.site, near):
                    usual = Ref("article", usual.site, near, dice.below(pages))
            chosen.append(usual)
        return chosen

    def own(self, article: int, n: int, dice: Dice) -> list[Ref]:
        """Return up to `n` pages of other sites, drawn for one page: most are on near articles."""
        found = (self.across(article, dice) for _ in range(n))
        deep = self.law.page_links_deep
        return [ref if dice() < deep else Ref("front", ref.site) for ref in found if ref]
