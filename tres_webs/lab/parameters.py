"""The parameters of the laboratory webs, each value with where it comes from; or it is a guess.

VitalWeb has three laws. The second has the Web's structure: large sites that link mostly to
themselves. The first is a web of many small sites. Both were set on statistics of links and on
random crawls, and frozen before any learning crawler ran. The third is the second with outside
links as on Debian's sites; it is frozen since 2026-11-29, set on Debian's figures alone.
``01-the-webs`` shows what they give.
"""

from dataclasses import dataclass, field

import numpy as np

#: What anchors say on VitalWeb: the target's title, a part of it, words from the target's lead,
#: "read more" and the like, nothing (an image), another article's title.
ANCHOR_KINDS = ("title", "part", "phrase", "generic", "none", "misleading")
SUBJECTS = (
    *("architecture", "astronomy", "chemistry", "christianity", "film", "inland waters"),
    *("law", "literature", "mammals", "mathematics", "philosophy", "psychology"),
)
# Of the third law, see `WebLaw.outside`.
LINKS = 37  # of a page, Common Crawl 2012: 36.8
LEAVING_MOST = 0.30  # of a page's links, on sites of any size. Guess: the smallest have few pages
REFERENCE = 25  # pages of the site of which `leaving` is said
HANDMADE_LINKS = 2.7  # of a page's own; WebKB's pages of 1997
HANDMADE_SIZE = 2_000  # pages of a site written by hand, at most: Debian's largest. Guess


@dataclass(frozen=True)
class SiteLaw:
    """Parameters of the sites, by the second law; what names no source is our guess."""

    # Density exponent of the pages per site; measured: 1.6 to 2.0 (Huberman and Adamic).
    size_exponent: float = 1.7
    size_min: int = 1  # pages of a site
    size_max: int = 100_000  # a page drawn at random lies on a site of thousands
    roles: tuple[float, ...] = (0.72, 0.18, 0.07, 0.03)  # specialist, mixed, portal, spam: shares
    largest: int = 25_000  # pages of a site that is no portal: the Web's giants are general
    sections: tuple[int, ...] = (1, 3, 10, 1)  # subjects of a site of each role
    section_size: int = 200  # pages of a site with two sections a subject; one more each doubling
    background: float = 0.02  # share of a site's pages drawn from anywhere
    # A site draws articles of other subjects with the probability u^strictness, u uniform over
    # sites; 0: all do. Set on the share of relevant pages on sites of nine tenths purity.
    strictness: float = 5.0
    islands: float = 0.0  # share of specialists reached through irrelevant pages alone
    seed_pages: int = 50  # of an established site, on which seeds lie while there are any; 0: all
    ring: int = 48  # articles around a centre: the median article has 42 neighbours
    # How much likelier a near article is if its subject is the same. Same-subject links come to
    # .44 against .11 by chance (Wikispeedia, by first category: .34 against .14).
    same_category: float = 2.5
    popularity: float = 0.5  # exponent of mentions in an article's weight: tames the most mentioned

    def sizes(self, n_sites: int) -> np.ndarray:
        """Return the pages of each site, (n_sites,) int64, falling: quantiles of a power law."""
        a = self.size_exponent - 1.0
        u = (np.arange(n_sites) + 0.5) / n_sites
        high = self.size_max**-a
        return np.floor((high + u * (self.size_min**-a - high)) ** (-1.0 / a)).astype(np.int64)

    def memory(self, n_sites: int) -> float:
        """Return about how many bytes of memory the sites' tables take while they are drawn.

        Measured: 56 for each article of a site, of which a ring has `ring`, and .3 GB besides.
        """
        return 3e8 + 56.0 * n_sites * float(np.minimum(self.sizes(1_000), self.ring).mean())

    def depth(self, sizes: np.ndarray) -> np.ndarray:
        """Return how many sections sites of (S,) sizes have for each of their subjects."""
        if not self.section_size:
            return np.ones(len(sizes), np.int64)
        return 1 + np.floor(np.log2(np.maximum(sizes / self.section_size, 1.0))).astype(np.int64)


@dataclass(frozen=True)
class WebLaw:
    """Parameters of VitalWeb's pages and links, by the second law; 0 to 1 if they are shares."""

    sites: SiteLaw = field(default_factory=SiteLaw)
    # Weight of each topic among all that is written: set so that a random crawl of 20,000
    # fetches comes near the paper's 3.55, 8.97 and 1.66 % (Table 3).
    topic_shares: tuple = (("sports", 0.035), ("food", 0.090), ("computing", 0.016))
    subjects: tuple[str, ...] = SUBJECTS  # of further sites, with the weight of their articles
    # Links of a page to its section, to other sites on near subjects, to the site's most read
    # pages, and to front pages of large sites: about 37 (Common Crawl 2012: 36.8).
    related: int = 19
    across: int = 2
    sidebar: int = 8
    popular: int = 2
    # Sites that all outside links of a site go to, for each of its sections on a subject; 0: each
    # link goes to a site of its own. About one link in ten leaves the site, as on the Web.
    partners: int = 6
    kin: float = 0.5  # of the partners on a near subject; the others are large sites. Guess
    # Of outside links to a page of the partner drawn for this link; the others are the same on all
    # pages of a site. On Debian's manuals 72 % are a footer's.
    fresh: float = 0.28
    deep: float = 0.5  # of outside links to a page on a near article, not to the front page. Guess
    spread: float = 1.1  # deviation, over sites, of the logarithm of the links a page. Guess
    dead: float = 0.03  # of pages, or of links, that are gone; link rot: 2 to 5 % a year
    moved: float = 0.03  # of pages, or of links, that redirect
    # Of pages whose title is their article's name, words of its sentences, of those and a near
    # article's, and of a near article's; (): all bear their article's name. Set on the AUC of
    # anchors and URLs and on the share of anchors that name two pages (four real webs).
    headlines: tuple[float, ...] = (0.03, 0.10, 0.42, 0.45)
    # Of the `ANCHOR_KINDS`. 53 % of the Web's anchors have at most three words (Conductor 2012).
    anchors: tuple[float, ...] = (0.60, 0.12, 0.14, 0.06, 0.05, 0.03)
    directory: float = 0.02  # of sites with a page of links to near subjects elsewhere
    calendar: float = 0.15  # of sites with an endless calendar
    printable: float = 0.2  # of sites that offer each article again for printing
    soft_404: float = 0.3  # of sites that answer a missing page with status 200
    reach: float = 4.0  # skew to a subject's largest sites: in-degree exponent 2.1 (Web: 2.09-2.24)
    listing: int = 25  # pages that a hub lists at once
    noise: float = 0.3  # of pages with a sentence from anywhere
    templates: int = 8  # layouts of pages; a site has one
    # By the third law `outside` counts the links to other sites, in place of `across`. Of a page's
    # own, which no other page of its site need have: so many on a site of one page; 0: the former
    # laws. WebKB's 2.7: at 3, a guess, small sites link to a third more sites than Debian's.
    page_links: float = 0.0
    # Exponent of a site's own links in its pages. Debian's manuals: outside sites of three classes.
    page_links_growth: float = 0.5
    page_links_deep: float = 0.9  # of them to an article; Debian .94 and .88, WebKB .94
    leaving: float = 0.21  # of the links on a site of `REFERENCE` pages. Debian's three classes
    # Exponent of its fall with the site's pages. Debian's three classes, by the links that a page
    # has, each target once: at .26 the largest class falls short, and at .20 too many of the
    # template's links are deep.
    leaving_fall: float = 0.22
    handmade: float = 0.0  # of the sites up to `HANDMADE_SIZE` pages. Unknown: an axis of a sweep

    def outside(self, n_pages: int, by_hand: bool = False) -> tuple[float, float]:
        """Return the third law's outside links of a page: its own, and to the site's partners.

        Besides there are the popular ones, of which one stands in the footer again.
        """
        own = (
            HANDMADE_LINKS if by_hand else self.page_links * n_pages ** (self.page_links_growth - 1)
        )
        share = min(LEAVING_MOST, self.leaving * (n_pages / REFERENCE) ** -self.leaving_fall)
        return own, max(0.0, LINKS * share - self.popular - 1 - own)


#: The first law, of many small sites.
FIRST_LAW = WebLaw(
    sites=SiteLaw(
        size_exponent=1.9,
        size_min=5,  # with the exponent a mean of about 46 pages
        size_max=6_000,  # no single site carries a topic of the whole web
        largest=6_000,
        roles=(0.62, 0.27, 0.08, 0.03),
        section_size=0,
        background=0.20,
        strictness=0.0,
        islands=0.15,
        seed_pages=0,
    ),
    topic_shares=(("sports", 0.058), ("food", 0.120), ("computing", 0.0120)),
    subjects=(),
    related=12,
    across=9,  # with `popular` a third of all
    sidebar=12,
    popular=3,
    partners=0,
    spread=0.0,
    headlines=(),
    anchors=(0.40, 0.20, 0.14, 0.16, 0.05, 0.05),
    directory=0.3,
    templates=1,
)
#: The third law: outside links grow with a site, and many are a page's own.
THIRD_LAW = WebLaw(page_links=2.7)
#: The laws by their names.
LAWS = {"second": WebLaw(), "first": FIRST_LAW, "third": THIRD_LAW}
