"""Policies of the one crawler: the index, fixed splits of the bandwidth, and common practice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..checks import number, one_of, positive

RANKINGS = ("index", "fifo", "half", "nutch", "discovery")
EXPLORATIONS = ("none", "epsilon", "thompson", "gradient")


@dataclass(frozen=True)
class Seen:
    """A link as a crawler sees it, with its number and its site.

    Attributes
    ----------
    score : float
        A classifier's guess of its relevance.
    hub : int
        Number of the page it was seen on; -1 for a known page that is no hub.
    item : bool
        Whether its interest fades.
    date : float or None
        The day it was new.
    """

    id: int
    host: str
    score: float
    hub: int
    item: bool
    date: float | None


@dataclass(frozen=True)
class Look:
    """What a fetch brought.

    Attributes
    ----------
    id, time
        What was fetched, and the day.
    gap : float
        Days since the last look, or since a link was new.
    arm : {"link", "page", "hub"}
    changed : bool
        Whether a known page had changed.
    modified : float or None
        Age of its last change in days.
    relevant : bool
        Whether a link's page is on topic.
    interest : float
        Requests a day of a page, or in all of an item.
    links : tuple of Seen
        What is new there.
    ended : bool
        Whether the page is gone.
    """

    id: int
    time: float
    gap: float
    arm: str
    changed: bool = False
    modified: float | None = None
    relevant: bool = False
    interest: float = 0.0
    links: tuple[Seen, ...] = ()
    ended: bool = False


class Policy(Protocol):
    """What an own policy has to offer; `simulate` calls it."""

    def add(self, links: Sequence[Seen]) -> None:
        """Take in new links.

        First come the hubs, whose `hub` is their own id, and then the pages held already, which
        `learn` reports next.
        """

    def choose(self, time: float, free: Callable[[str], bool]) -> int | None:
        """Return the id of what to fetch on this day, or None to wait; `free`: of a host."""

    def learn(self, look: Look) -> None:
        """Take in what a fetch brought; the end of a page's interest comes as a look, too."""


@dataclass(frozen=True)
class Rule:
    """A policy that is compiled.

    Attributes
    ----------
    ranking : {"index", "fifo", "half", "nutch", "discovery"}
        Fetch what has the highest index; what has waited longest; in turn the best link and
        what has waited longest; what is due by Nutch's adaptive schedule; in four of five
        fetches the likeliest link and else the hub that has waited longest.
    rates : {"learnt", "known"}
        Whether the rates of the world are learned or known.
    price : {"tracked", "solved"}
        Whether the price follows the repeats that win, or is that of the relaxed problem.
    shares : tuple of float, optional
        Of links, pages and hubs in the bandwidth; ranks are by index within each. Default: the
        highest index of all wins.
    explore : {"gradient", "epsilon", "thompson", "none"}
        How learned change rates are explored: looks gain by what they teach; a random known
        URL with probability 0.5 / sqrt(1 + days); rates drawn from their posterior; not at all.
    levels : bool
        Whether a hub's rate of new links may jump between levels; else it is a gamma posterior.
    memory : float
        Of that gamma posterior: what a day leaves of the evidence.
    modified : bool
        Whether a look shows the time of the last change.
    exponential : bool
        Whether the index takes interest as exponential even where the world's is not.
    half_life : float
        What the index takes items' half-lives for, as a multiple of the true ones.
    first_interval : float
        Days, where Nutch's schedule begins.
    """

    ranking: str = "index"
    rates: str = "learnt"
    price: str = "tracked"
    shares: tuple[float, float, float] | None = None
    explore: str = "gradient"
    levels: bool = True
    memory: float = 1.0
    modified: bool = False
    exponential: bool = False
    half_life: float = 1.0
    first_interval: float = 30.0

    def __post_init__(self) -> None:
        one_of("ranking", self.ranking, RANKINGS)
        one_of("rates", self.rates, ("learnt", "known"))
        one_of("price", self.price, ("tracked", "solved"))
        one_of("explore", self.explore, EXPLORATIONS)
        number("memory", self.memory, 0, 1)
        positive("half_life", self.half_life)
        positive("first_interval", self.first_interval)
        if self.shares is not None and (
            len(self.shares) != 3 or min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-6
        ):
            raise ValueError(f"shares={self.shares!r}: give three numbers from 0 on that add to 1")


def split(links: float, pages: float, hubs: float, rates: str = "known") -> Rule:
    """Return the policy that gives each kind of fetch a fixed share of the bandwidth.

    The shares are from 0 on, and add up to 1.

    Examples
    --------
    >>> POLICIES["refresh"] == split(links=0, pages=1, hubs=0)
    True
    """
    return Rule(rates=rates, price="solved", shares=(links, pages, hubs))


#: The policies that `simulate` and `trial` take by name.
POLICIES = {
    "one-index": Rule(),
    "one-index-known": Rule(rates="known", price="solved"),
    "one-index-tracked": Rule(rates="known"),
    "thompson": Rule(explore="thompson"),
    "split": split(0.60, 0.28, 0.12),
    "thirds": split(1 / 3, 1 / 3, 1 / 3),
    "fifo": Rule("fifo", "known", "solved"),
    "half": Rule("half", "known", "solved"),
    "nutch": Rule("nutch", "known", "solved"),
    "nutch-daily": Rule("nutch", "known", "solved", first_interval=1.0),
    "discovery": Rule("discovery", "known", "solved"),
    "refresh": split(0.0, 1.0, 0.0),
}
