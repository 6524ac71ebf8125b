"""The parameters of VitalWeb, each with where its value comes from.

They were set from published measurements of the Web, from Wikispeedia's real links and from a
random crawl, and frozen before any learning crawler ran. ``01-the-webs`` shows what they give.
"""

from dataclasses import dataclass, field

import numpy as np

# What anchors say: the target's title, a part of it, words from the target's lead, "read more" and
# the like, nothing (an image), another article's title. Below Wikispeedia's careful anchors, which
# are nearly all titles: a classifier of anchors alone ranks targets with an AUC of about .75 here
# and .85 to .92 there. 53 % of the Web's anchors have at most three words (Conductor 2012).
#: The kinds of anchor on VitalWeb.
ANCHOR_KINDS = ("title", "part", "phrase", "generic", "none", "misleading")
#: The share of each of the `ANCHOR_KINDS` on VitalWeb.
ANCHOR_SHARES = (0.40, 0.20, 0.14, 0.16, 0.05, 0.05)


@dataclass(frozen=True)
class SiteLaw:
    """Parameters of the sites, each with its source.

    Attributes
    ----------
    size_exponent : float
        Density exponent of the pages per site; measured webs: 1.6 to 2.0.
    size_min, size_max : int
        Pages of a site. The least gives a mean of about 46, 0.9 million at 20,000 sites; the most
        keeps any single site from carrying a topic of the whole web.
    roles : tuple of float
        Shares of specialist, mixed, portal and spam sites: our guess.
    sections : tuple of int
        Subjects of a site of each role: our guess.
    background : float
        Share of a site's pages drawn from anywhere: our guess.
    islands : float
        Share of specialists reached through irrelevant pages alone: our guess.
    ring : int
        Articles around a centre: the median article has 42 neighbours.
    same_category : float
        How much likelier a near article is if its subject is the same. Same-subject links come to
        .44 against .11 by chance (Wikispeedia, by first category: .34 against .14).
    popularity : float
        Exponent of mentions in an article's weight: tames the most mentioned.
    """

    size_exponent: float = 1.9
    size_min: int = 5
    size_max: int = 6_000
    roles: tuple[float, ...] = (0.62, 0.27, 0.08, 0.03)
    sections: tuple[int, ...] = (1, 3, 10, 1)
    background: float = 0.20
    islands: float = 0.15
    ring: int = 48
    same_category: float = 2.5
    popularity: float = 0.5

    def sizes(self, n_sites: int) -> np.ndarray:
        """Return the number of pages of each site: quantiles of a power law.

        They are (n_sites,) int64, from `size_min` to `size_max`, the largest first.
        """
        a = self.size_exponent - 1.0
        u = (np.arange(n_sites) + 0.5) / n_sites
        high = self.size_max**-a
        return np.floor((high + u * (self.size_min**-a - high)) ** (-1.0 / a)).astype(np.int64)


@dataclass(frozen=True)
class WebLaw:
    """Parameters of VitalWeb's pages and links, each with its source.

    Attributes
    ----------
    sites : SiteLaw
    topic_shares : tuple of (str, float)
        Weight of each topic among all that is written: set so that a random crawl's harvest of
        3,000 pages on three webs comes near the paper's 3.6, 9.0 and 1.7 % (Table 3).
    related : int
        Links of a page to the same section of the site. With the next three they come to about 36
        per page (Common Crawl 2012: 36.8).
    across : int
        Links to other sites on near subjects; with `popular` a third of all.
    sidebar : int
        Links to the site's most read pages, on each of its pages.
    popular : int
        Links to the front pages of large sites, whatever the subject.
    dead : float
        Share of links to pages that are gone; studies of link rot: 2 to 5 % a year.
    moved : float
        Share of links that redirect.
    directory, calendar, printable : float
        Shares of sites with a page of links to near subjects elsewhere, with an endless calendar,
        and that offer each article again for printing.
    soft_404 : float
        Share of sites that answer a missing page with status 200.
    reach : float
        Skew towards the largest sites on a subject: in-degree exponent about 2.1 (Web: 2.09 to
        2.24).
    """

    sites: SiteLaw = field(default_factory=SiteLaw)
    topic_shares: tuple = (("sports", 0.058), ("food", 0.120), ("computing", 0.0120))
    related: int = 12
    across: int = 9
    sidebar: int = 12
    popular: int = 3
    dead: float = 0.03
    moved: float = 0.03
    directory: float = 0.3
    calendar: float = 0.15
    printable: float = 0.2
    soft_404: float = 0.3
    reach: float = 4.0
    listing: int = 25
    noise: float = 0.3
    templates: int = 1
