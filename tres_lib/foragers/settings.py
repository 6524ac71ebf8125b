"""Parameters of the news site that stands for the paper's crawl of CNN, and of fleets on it."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from ..checks import count, one_of

DAY = 86_400.0  # seconds
HOUR = 3_600.0
WINDOW = 3 * HOUR  # of the paper's efficiencies, freshness and age
FRONT, SECTION, SUBHUB, ARCHIVE, ARTICLE, LEAF = range(6)
KINDS_OF_PAGE = ("front", "section", "subhub", "archive", "article", "leaf")


@dataclass(frozen=True)
class NewsSite:
    """Parameters of a news site.

    They were chosen, before any forager was run, to meet the four numbers that the paper gives of
    its graph (exponents, clustering, distance) and its number of relevant pages.

    Attributes
    ----------
    sections, subhubs : int
        Hubs below the front page, and hubs below each section.
    archive : int
        Old pages per sub-hub, each first linked from it or from a random older one of them.
    articles_a_day, night, weekend : float
        Mean rate of new articles; the rate at the deepest hour of the night, and at weekends,
        relative to its peak.
    history_days, archive_days : float
        Articles of the last `history_days` are there at the start; the archive grew before them,
        within `archive_days`. Links of older pages come first in the copying.
    front_share, section_share, listing_delay : float
        Shares of the articles that the front page and their section list; sub-hubs list all theirs.
        Seconds from an article's publication until hubs list it.
    latest_front, latest_section, latest_subhub : int
        Articles that a hub of this kind shows at a time, newest first.
    popularity : float
        The sub-hub of rank r gets articles in proportion to r^-popularity.
    updates, update_delay : float
        Mean number of updates of an article, and mean seconds until one (exponential).
    innovation, locality : float
        Probability that a link leads to a new page; otherwise it copies the end of a random earlier
        link (Yule and Simon), with probability `locality` one of the same sub-hub. In-degrees get
        the exponent 1 + 1 / (1 - innovation): 0.363 for the paper's 2.57.
    out_exponent, max_links : float, int
        Links of an archive page or article: P(k) ~ k^-out_exponent for 1 <= k <= max_links.
    dimensions : int
        Length of a page's state vector, the paper's k.
    topic, page, version : float
        A state is tanh(topic * a + page * b + version * c). The vectors are standard normal: a of
        the sub-hub, half-way to its section's, b of the page, and c of this version. The
        default makes |state|^2 about 4: the updates of Algorithm 4 need alpha |state|^2 < 2, which
        dense vectors of +-1 would break.
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


@dataclass(frozen=True)
class Kind:
    """The algorithms that the foragers of a fleet use."""

    weblog: bool  # select starting URLs by the weblog update (Algorithm 1)
    learning: bool  # learn the URL ordering by reinforcement (Algorithm 4)
    random: bool  # draw the next URL uniformly instead of ordering (Algorithm 3)


#: The kinds of forager that `run_fleet` takes by name.
KINDS = {
    "WL": Kind(True, False, False),
    "RL": Kind(False, True, False),
    "WLRL": Kind(True, True, False),
    "NONE": Kind(False, False, False),
    "RANDOM": Kind(False, False, True),
    "WL+RANDOM": Kind(True, False, True),
}


@dataclass(frozen=True)
class FleetSettings:
    """Constants of Section 3, and readings of the text with the reason for each default.

    Attributes
    ----------
    start_size, weblog_size, max_step, beta : int, int, int, float
        Constants of Section 3.1.1 and Algorithm 1.
    gamma, alpha, reward, penalty : float
        Discount and learning rate of Algorithm 4; reinforcement of a relevant and of another page.
    init_score, max_score, min_score, send_cost, gain : float
        A forager's first score, the scores at which it multiplies and is deleted, the loss per URL
        sent and the gain per relevant page.
    founders, min_foragers, max_foragers : int
        Foragers at first (the paper's simulations had 2), at least and at most.
    slice_seconds, relevant_hours : float
        Length of a turn, though a step under way is finished; maximum age of a relevant page.
    seconds_a_download : float
        Constant as in the paper, which does not give it. The default makes 18 days 600,000
        downloads.
    inclusive, discount, penalties : bool, float, bool
        Algorithm 1's sum of rewards in the rest of the path: it includes the URL's own step (the
        text says after the URL, but the listing cumulates all steps backwards). It discounts later
        steps (the text does not). It counts penalties, as the text does.
    weight_scale : float
        Standard deviation of random weights, which are normal; the text says only random.
    update_without_reward : bool
        Run Algorithm 4 also where a step's profit is 0: Section 3.1.2 tunes the weights at each
        step, though Algorithm 12 calls it with the reinforcements received. This reading matters.
    update_across_restarts : bool
        Run Algorithm 4 also from the last step of a path to the next start, without a link there.
    by_url : bool
        "Page" in Algorithms 5 and 7 is a URL rather than a version of it. The paper stores pages
        by a page index, which changes with the content.
    dated_hubs, redated : bool
        Hubs carry the date of their latest change; by default none, or each visit of a hub would
        be a find. Updated articles carry the date of their update, as news pages do.
    split_fixed : bool
        Algorithm 6 halves a list of starting URLs even where no weblog update can refill it. By
        default it is shared, since all RL foragers are said to have had the same one.
    inherit_marked : bool
        A new forager knows which pages its parent has sent. The text copies weblog and weights.
    """

    start_size: int = 10
    weblog_size: int = 100
    max_step: int = 100
    beta: float = 0.3
    gamma: float = 0.9
    alpha: float = 0.1
    reward: float = 100.0
    penalty: float = -1.0
    init_score: float = 100.0
    max_score: float = 200.0
    min_score: float = 0.0
    send_cost: float = 0.05
    gain: float = 1.0
    founders: int = 2
    min_foragers: int = 2
    max_foragers: int = 16
    slice_seconds: float = 180.0
    relevant_hours: float = 24.0
    seconds_a_download: float = 2.592
    inclusive: bool = True
    discount: float = 1.0
    penalties: bool = True
    weight_scale: float = 1.0
    update_without_reward: bool = True
    update_across_restarts: bool = False
    by_url: bool = False
    dated_hubs: bool = False
    redated: bool = True
    split_fixed: bool = False
    inherit_marked: bool = False

    def __post_init__(self) -> None:
        times = ["slice_seconds", "relevant_hours", "seconds_a_download"]
        check_fields(self, ["alpha", "beta", "gamma", "discount"], positive=times)
        count("founders", self.founders, self.min_foragers, self.max_foragers)
        count("start_size", self.start_size, 1, self.weblog_size)


if TYPE_CHECKING:

    class Rules(FleetSettings, Kind):
        """The fields of both, as static checkers see them."""

        def _replace(self, **changes: Any) -> Rules: ...

else:  # a tuple, which compiled code takes
    Rules = namedtuple("Rules", [f.name for kind in (FleetSettings, Kind) for f in fields(kind)])


def rules_of(kind: str, settings: FleetSettings) -> Rules:
    """Return a kind, by its name, and the settings as one tuple."""
    name = one_of("kind", kind, [*KINDS])
    return Rules(**asdict(settings), **asdict(KINDS[name]))
