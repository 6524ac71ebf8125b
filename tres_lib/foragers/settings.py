"""The paper's constants, and an option for every reading that its text leaves open."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from ..checks import one_of
from .parameters import check_fields


@dataclass(frozen=True)
class Kind:
    """The algorithms that the foragers of a fleet use.

    Attributes
    ----------
    weblog : bool
        Select starting URLs by the weblog update (Algorithm 1).
    learning : bool
        Learn the URL ordering by reinforcement (Algorithm 4).
    random : bool
        Draw the next URL uniformly from the frontier instead of ordering it (Algorithm 3).
    """

    weblog: bool
    learning: bool
    random: bool


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
    gamma, alpha : float
        Discount and learning rate of Algorithm 4.
    reward, penalty : float
        Reinforcement of a relevant and of another page (Algorithm 7).
    init_score, max_score, min_score, send_cost, gain : float
        A forager's first score, the scores at which it multiplies and is deleted, the loss per URL
        sent and the gain per relevant page.
    founders, min_foragers, max_foragers : int
        Foragers at first (the paper's simulations had 2), at least and at most.
    slice_seconds, relevant_hours : float
        Length of a forager's turn, though a step under way is finished. Maximum age of a relevant
        page.
    seconds_a_download : float
        Time of every download, constant as in the paper's simulation, which does not give it.
        The default makes 18 days 600,000 downloads.
    inclusive : bool
        Algorithm 1's sum of rewards in the rest of the path includes the URL's own step. The text
        says after the URL, but the listing cumulates the values of all steps backwards.
    discount : float
        Of later steps in that sum; the text has none.
    penalties : bool
        Whether the sum counts penalties as well. The text speaks of rewards, and calls rewards
        less penalties the profit of a step.
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
    dated_hubs : bool
        Hubs carry the date of their latest change. By default they have no date, or each visit of
        a hub would be a find.
    redated : bool
        An updated article carries the date of its update, as news pages do.
    split_fixed : bool
        Algorithm 6 halves a list of starting URLs even where no weblog update can refill it. By
        default it is shared, since all RL foragers are said to have had the same one.
    inherit_marked : bool
        A new forager knows which pages its parent has sent. The text copies weblog and weights.

    Raises
    ------
    ValueError
        If a field is out of its range.
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
        if not self.min_foragers <= self.founders <= self.max_foragers:
            raise ValueError(
                f"founders={self.founders}: must lie between min_foragers={self.min_foragers} "
                f"and max_foragers={self.max_foragers}"
            )
        if self.start_size > self.weblog_size:
            raise ValueError(
                f"start_size={self.start_size}: must be at most weblog_size={self.weblog_size}"
            )


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
