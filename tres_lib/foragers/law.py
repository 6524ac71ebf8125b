"""The news site that stands for the paper's CNN crawl: its sizes, rhythm and texts as parameters.

The crawl of the paper is not available, so the web is synthetic. The parameters were chosen to
meet the four numbers that the paper gives of its graph (exponents of in- and out-degree,
clustering, distance) and its number of relevant pages, before any forager was run on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

DAY, HOUR = 86_400.0, 3_600.0  # seconds
FRONT, SECTION, SUBHUB, ARCHIVE, ARTICLE, LEAF = range(6)
KINDS_OF_PAGE = ("front", "section", "subhub", "archive", "article", "leaf")


@dataclass(frozen=True)
class NewsLaw:
    """Parameters of a news site.

    Attributes
    ----------
    sections, subhubs : int
        Hubs below the front page, and hubs below each section.
    archive : int
        Old pages of each sub-hub, first linked from it or from a random older one of them.
    articles_a_day : float
        Mean rate of new articles; more by day than by night and on working days than at weekends.
    history_days, archive_days : float
        Articles of the last so many days are there when time starts; the archive grew before them
        within so many days. Links of older pages come first in the copying.
    night, weekend : float
        Rate at the deepest hour of the night and factor of a weekend, relative to the rate's peak.
    front_share, section_share : float
        Share of the articles that the front page and their section list; sub-hubs list all theirs.
    listing_delay : float
        Seconds from an article's publication until hubs list it.
    latest_front, latest_section, latest_subhub : int
        Articles that a hub of this kind shows at a time, newest first.
    popularity : float
        The sub-hub of rank r gets articles in proportion to r^-popularity.
    updates, update_delay : float
        Mean number of updates of an article, and seconds until one on average (exponential).
    innovation : float
        Chance that a link leads to a page without links as yet; else it copies the end of a
        random earlier link (Yule and Simon). In-degrees get the exponent 1 + 1 / (1 - innovation):
        0.363 for the paper's 2.57.
    locality : float
        Chance that a copied link is one of a page of the same sub-hub, rather than of any page.
    out_exponent, max_links : float, int
        Links of an archive page or article: P(k) ~ k^-out_exponent for 1 <= k <= max_links.
    dimensions : int
        Length of a page's state vector, the paper's k.
    topic, page, version : float
        A state is tanh(topic * a + page * b + version * c), with standard normal vectors a (of
        the sub-hub, half-way to that of its section), b (of the page) and c (of this version of
        it). The default makes |state|^2 about 4: the updates of Algorithm 4 need
        alpha |state|^2 < 2, which dense vectors of +-1 would break.
    news_signal : float
        Factor of a vector that all hubs and articles share: how plainly text tells what is news.
    """

    sections: int = 12
    subhubs: int = 10
    archive: int = 30
    articles_a_day: float = 190.0
    history_days: float = 2.0
    archive_days: float = 365.0
    night: float = 0.25
    weekend: float = 0.6
    front_share: float = 0.1
    section_share: float = 0.3
    listing_delay: float = 600.0
    latest_front: int = 40
    latest_section: int = 30
    latest_subhub: int = 15
    popularity: float = 0.7
    updates: float = 0.5
    update_delay: float = 6 * HOUR
    innovation: float = 0.363
    locality: float = 0.6
    out_exponent: float = 1.3
    max_links: int = 150
    dimensions: int = 50
    topic: float = 0.25
    page: float = 0.15
    version: float = 0.05
    news_signal: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{field.name}={value!r}: give a finite number, not negative")
            if field.type == "int" and (value != int(value) or value < 1):
                raise ValueError(f"{field.name}={value!r}: give a whole number, at least 1")
        for name in ("night", "weekend", "front_share", "section_share", "innovation", "locality"):
            if getattr(self, name) > 1:
                raise ValueError(f"{name}={getattr(self, name)!r}: must be at most 1")
        if not self.articles_a_day:
            raise ValueError("articles_a_day=0: give a positive rate; without news none is found")
