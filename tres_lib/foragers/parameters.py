"""Parameters of the synthetic news site that stands for the paper's crawl of CNN.

That crawl is not available. The parameters were chosen to meet the four numbers that the paper
gives of its graph (exponents of in- and out-degree, clustering, distance) and its number of
relevant pages, before any forager was run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..checks import count

DAY = 86_400.0  # seconds
HOUR = 3_600.0
WINDOW = 3 * HOUR  # of the paper's efficiencies, freshness and age
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
        Old pages per sub-hub, each first linked from it or from a random older one of them.
    articles_a_day : float
        Mean rate of new articles; higher by day and on working days.
    history_days, archive_days : float
        Articles of the last `history_days` are there at the start; the archive grew before them,
        within `archive_days`. Links of older pages come first in the copying.
    night, weekend : float
        Rate at the deepest hour of the night, and at weekends, relative to the rate's peak.
    front_share, section_share : float
        Shares of the articles that the front page and their section list; sub-hubs list all theirs.
    listing_delay : float
        Seconds from an article's publication until hubs list it.
    latest_front, latest_section, latest_subhub : int
        Articles that a hub of this kind shows at a time, newest first.
    popularity : float
        The sub-hub of rank r gets articles in proportion to r^-popularity.
    updates, update_delay : float
        Mean number of updates of an article, and mean seconds until one (exponential).
    innovation : float
        Probability that a link leads to a new page; otherwise it copies the end of a random earlier
        link (Yule and Simon). In-degrees get the exponent 1 + 1 / (1 - innovation): 0.363 for the
        paper's 2.57.
    locality : float
        Probability that a copied link is one of a page of the same sub-hub, not of any page.
    out_exponent, max_links : float, int
        Links of an archive page or article: P(k) ~ k^-out_exponent for 1 <= k <= max_links.
    dimensions : int
        Length of a page's state vector, the paper's k.
    topic, page, version : float
        A state is tanh(topic * a + page * b + version * c), with standard normal vectors a (of
        the sub-hub, half-way to its section's), b (of the page) and c (of this version). The
        default makes |state|^2 about 4: the updates of Algorithm 4 need alpha |state|^2 < 2, which
        dense vectors of +-1 would break.
    news_signal : float
        Factor of a vector that all hubs and articles share: how plainly text tells what is news.

    Raises
    ------
    ValueError
        If a number is negative or not finite, a count below 1, or a share above 1.
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
        shares = ("night", "weekend", "front_share", "section_share", "innovation", "locality")
        check_fields(self, shares, positive=["articles_a_day"], least=0.0)


def check_fields(
    settings: Any, shares: Sequence[str], positive: Sequence[str], least: float = -math.inf
) -> None:
    """Raise ValueError unless counts are whole, shares lie in [0, 1] and numbers are finite."""
    for field in fields(settings):
        name = field.name
        value = getattr(settings, name)
        if field.type == "int":
            count(name, value)
        elif not math.isfinite(value) or value < least or (name in positive and value <= 0):
            raise ValueError(f"{name}={value!r}: give a finite number in its range")
        elif name in shares and not 0 <= value <= 1:
            raise ValueError(f"{name}={value!r}: must lie between 0 and 1")
