"""Parameters of the news site that stands for the paper's crawl of CNN, and of fleets on it."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from tres_webs.checks import count, one_of

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
    """

    sections: int = 12  # hubs below the front page
    subhubs: int = 10  # hubs below each section
    archive: int = 30  # old pages per sub-hub, each first linked from it or from an older one
    articles_a_day: float = 190.0  # mean rate of new articles
    history_days: float = 2.0  # whose articles are there at the start
    archive_days: float = 365.0  # before them, within which the archive grew: its links come first
    night: float = 0.25  # rate of articles at the deepest hour, relative to its peak
    weekend: float = 0.6  # the same at weekends
    front_share: float = 0.1  # share of the articles that the front page lists
    section_share: float = 0.3  # that their section lists; sub-hubs list all theirs
    listing_delay: float = 600.0  # seconds from an article's publication until hubs list it
    latest_front: int = 40  # articles that the front page shows at a time, newest first
    latest_section: int = 30
    latest_subhub: int = 15
    popularity: float = 0.7  # the sub-hub of rank r gets articles in proportion to r^-popularity
    updates: float = 0.5  # mean number, of an article
    update_delay: float = 6 * HOUR  # mean seconds until one (exponential)
    # Probability that a link leads to a new page; otherwise it copies the end of a random earlier
    # link (Yule and Simon). In-degrees get the exponent 1 + 1 / (1 - innovation): the paper's 2.57.
    innovation: float = 0.363
    locality: float = 0.6  # probability that the link copied is of the same sub-hub
    out_exponent: float = 1.3  # of an old page's or article's links: P(k) ~ k^-out_exponent
    max_links: int = 150  # k at most
    # A state is tanh(topic * a + page * b + version * c) with standard normal vectors: a of the
    # sub-hub, half-way to its section's, b of the page, c of this version. The defaults make
    # |state|^2 about 4: the updates of Algorithm 4 need alpha |state|^2 < 2.
    dimensions: int = 50  # of a page's state vector, the paper's k
    topic: float = 0.25
    page: float = 0.15
    version: float = 0.05
    news_signal: float = 0.0  # factor of a vector that hubs and articles share: how news shows

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
    """Constants of Section 3, and readings of the text with the reason for each default."""

    start_size: int = 10  # of the list of starting URLs
    weblog_size: int = 100
    max_step: int = 100
    beta: float = 0.3  # of Algorithm 1
    gamma: float = 0.9  # discount of Algorithm 4
    alpha: float = 0.1  # its learning rate
    reward: float = 100.0  # reinforcement of a relevant page
    penalty: float = -1.0  # of another page
    init_score: float = 100.0  # of a forager
    max_score: float = 200.0  # at which it multiplies
    min_score: float = 0.0  # at which it is deleted
    send_cost: float = 0.05  # per URL sent
    gain: float = 1.0  # per relevant page
    founders: int = 2  # as in the paper's simulations
    min_foragers: int = 2
    max_foragers: int = 16
    slice_seconds: float = 180.0  # of a turn; a step under way is finished
    relevant_hours: float = 24.0  # maximum age of a relevant page
    seconds_a_download: float = 2.592  # not in the paper; it makes 18 days 600,000 downloads
    # Algorithm 1 sums up rewards. Its listing includes the URL's own step; the text begins after
    # it. The text does not discount later steps, and it counts penalties.
    inclusive: bool = True
    discount: float = 1.0
    penalties: bool = True
    weight_scale: float = 1.0  # deviation of normal random weights; the text says only random
    # Whether Algorithm 4 runs also where a step's profit is 0: Section 3.1.2 tunes the weights at
    # each step, though Algorithm 12 calls it with the reinforcements received. This one matters.
    update_without_reward: bool = True
    update_across_restarts: bool = False  # also from a path's last step to the next start
    # Whether a "page" in Algorithms 5 and 7 is a URL, not a version of it. The paper stores pages
    # by a page index, which changes with the content.
    by_url: bool = False
    dated_hubs: bool = False  # by their latest change; then each visit of a hub would be a find
    redated: bool = True  # updated articles carry the date of their update, as news pages do
    # Section 4.1 stores a link as one to a page index, that is to the version that was there when
    # the linking page was new or changed. By default a link leads to what the URL shows now.
    stored_links: bool = False
    # Whether Algorithm 6 halves a list of starting URLs even where no weblog update can refill it.
    # By default it is shared, since all RL foragers are said to have had the same one.
    split_fixed: bool = False
    inherit_marked: bool = False  # what the parent has sent; the text copies weblog and weights

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
