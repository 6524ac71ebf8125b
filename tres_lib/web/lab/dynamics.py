"""How evolving webs evolve: one set of parameters, each with its source.

`EvolvingWeb` and the simulated world of `watching` share them. They were fixed before any crawler
or policy was run; "guess" marks what no source was found for.
"""

from dataclasses import dataclass, field, fields
from typing import Any

NTOULAS = "Ntoulas, Cho and Olston, WWW 2004"
CHO = "Cho and Garcia-Molina, VLDB 2000: 40 % change in a week, 23 % of .com in a day"
DEZSO = "Dezso et al., Physical Review E 73, 2006: half-life of a news item 36 hours"
LEFORTIER = "Lefortier et al., CIKM 2013: most short-lived pages appear at few sources"


def sourced(default: Any, source: str) -> Any:
    """Return a dataclass field with a default and where that comes from."""
    return field(default=default, metadata={"source": source})


@dataclass(frozen=True)
class Dynamics:
    """How pages change, end and are asked for, and how sites (hubs) publish links to news.

    Rates are a day, times in days. `sources` says what each value is and where it comes from.
    """

    # Least and largest log10 of a page's change rate.
    change_decades: tuple[float, float] = sourced((-3.0, 0.5), CHO)
    end_rate: float = sourced(0.0119, f"{NTOULAS}: 8 % of pages are replaced a week")
    arrival_exponent: float = sourced(1.5, "guess: Pareto exponent of a site's news a day")
    most_arrivals: float = sourced(25.0, "guess: largest rate of news of a site")
    item_share: float = sourced(0.85, "guess: news whose interest fades; the others are pages")
    half_life: float = sourced(1.5, DEZSO)
    half_life_spread: float = sourced(0.6, "guess: sigma of the sites' log half-lives")
    item_worth: float = sourced(3.0, "guess: median over sites of an item's mean requests")
    item_worth_spread: float = sourced(0.5, "guess: sigma of its logarithm over sites")
    item_spread: float = sourced(1.0, "guess: sigma of items' log requests within a site")
    request_rate: float = sourced(0.3, "guess: mean requests a day of a page")
    request_spread: float = sourced(1.0, "guess: sigma of pages' log request rates")
    burst_days: int = sourced(6, "guess: length of a burst")
    burst_period: int = sourced(60, "guess: days from burst to burst of a site")
    burst_factor: float = sourced(16.0, "guess: news in a burst over those in quiet")

    @classmethod
    def sources(cls) -> dict[str, tuple[Any, str]]:
        """Return, by the name of each parameter, its default and its source."""
        return {f.name: (f.default, f.metadata["source"]) for f in fields(cls)}

    @property
    def quiet(self) -> float:
        """The rate of news between bursts, over its mean."""
        return self.burst_period / (self.burst_period + (self.burst_factor - 1) * self.burst_days)


@dataclass(frozen=True)
class EvolvingLaw(Dynamics):
    """How an `EvolvingWeb` changes: the `Dynamics`, and two parameters of its sites.

    Examples
    --------
    >>> EvolvingLaw.sources()["end_rate"]
    (0.0119, 'Ntoulas, Cho and Olston, WWW 2004: 8 % of pages are replaced a week')
    """

    publishing: float = sourced(0.25, f"guess: share of sites with news; {LEFORTIER}")
    listed: int = sourced(25, "VitalWeb: pages that a section lists")
