"""Policies of the one crawler: the index, fixed splits of the bandwidth, and common practice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tres_webs.checks import number, one_of, positive

RANKINGS = ("index", "fifo", "half", "nutch", "discovery")
EXPLORATIONS = ("none", "epsilon", "thompson", "gradient")


@dataclass(frozen=True)
class Seen:
    """A link as a crawler sees it."""

    id: int
    host: str
    score: float  # a classifier's guess of its relevance
    hub: int  # id of the page it was seen on; -1 for a known page that is no hub
    item: bool  # whether its interest fades
    date: float | None  # the day it was new


@dataclass(frozen=True)
class Look:
    """What a fetch brought."""

    id: int  # of what was fetched
    time: float  # day
    gap: float  # days since the last look, or since a link was new
    arm: str  # "link", "page" or "hub"
    changed: bool = False  # whether a known page had changed
    modified: float | None = None  # age of its last change in days
    relevant: bool = False  # whether a link's page is on topic
    interest: float = 0.0  # requests a day of a page, or in all of an item
    links: tuple[Seen, ...] = ()  # what is new there
    ended: bool = False  # whether the page is gone


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
    """A policy that is compiled."""

    # What is fetched: what has the highest "index"; by "fifo" what has waited longest; by "half"
    # in turn the best link and what has waited longest; what is due by "nutch"'s adaptive schedule;
    # by "discovery" in four of five fetches the likeliest link, else the hub that waited longest.
    ranking: str = "index"
    rates: str = "learnt"  # of the world, or "known"
    price: str = "tracked"  # by the repeats that win, or "solved": that of the relaxed problem
    # Of links, pages and hubs in the bandwidth; ranks are by index within each. None: the highest
    # index of all wins.
    shares: tuple[float, float, float] | None = None
    # How learned change rates are explored. "gradient": looks gain by what they teach; "epsilon": a
    # random known URL with probability 0.5 / sqrt(1 + days); "thompson": rates drawn from their
    # posterior; "none".
    explore: str = "gradient"
    levels: bool = True  # a hub's rate of new links may jump; else it has a gamma posterior
    memory: float = 1.0  # of that gamma posterior: what a day leaves of the evidence
    modified: bool = False  # whether a look shows the time of the last change
    exponential: bool = False  # whether the index takes interest as such where the world's is not
    half_life: float = 1.0  # what the index takes items' for, as a multiple of the true ones
    first_interval: float = 30.0  # days, where Nutch's schedule begins

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
