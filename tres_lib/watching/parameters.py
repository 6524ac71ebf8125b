"""The parameters of the simulated world, each with its source.

They were fixed before any policy was run. "Guess" marks what no source was found for.
"""

from dataclasses import dataclass
from typing import Any

from ..web.lab.evolving_law import CHO, DEZSO, NTOULAS, sourced, sources_of


@dataclass(frozen=True)
class Parameters:
    """What a `World` is drawn from. Rates are a day, times in days, worth in requests.

    `Parameters.sources` lists each value with where it comes from.

    Attributes
    ----------
    hubs : int
    stock : int
        Relevant pages held at the start, for each hub.
    arrival_exponent, most_arrivals : float
        Of the Pareto law of new links a day, and the largest rate of a hub.
    item_share : float
        Of links to items whose interest fades.
    hub_relevance : pair of float
        Of the Beta law of hubs' relevance.
    concentration : float
        Of the Beta law of links' p around a hub's relevance.
    locality : float
        Share of a relevant page's links on topic.
    links : float
        Mean links of a relevant page that are new (Poisson).
    half_life, half_life_spread : float
        Median over hubs, and sigma of the logarithm.
    item_worth, item_worth_spread, item_spread : float
        Median over hubs of an item's mean requests; sigmas of the logarithm over hubs and within.
    request_rate, request_spread : float
        Mean over pages, and sigma of the logarithm.
    change_decades : pair of float
        Least and largest log10 of a page's change rate.
    change_by_hub : float
        Share of change rates' variance between hubs.
    end_rate : float
        At which pages end.
    burst_days, burst_period, burst_factor : float
        Length of a burst, days from burst to burst of a hub, and arrivals in it over those in
        quiet.
    daily_swing : float
        Amplitude of the daily cycle.
    score_power : float
        Scores are p to this power, so too high.
    power : float
        Exponent of a power-law interest; 0: exponential.
    """

    hubs: int = sourced(40, "size of the experiment")
    stock: int = sourced(40, "guess: relevant pages held at the start, for each hub")
    arrival_exponent: float = sourced(1.5, "guess: Pareto law of new links a day, from 1 on")
    most_arrivals: float = sourced(25.0, "guess: largest rate of new links of a hub")
    item_share: float = sourced(0.85, "guess: links to items whose interest fades")
    hub_relevance: tuple[float, float] = sourced((1.2, 1.8), "guess: Beta law of hubs' relevance")
    concentration: float = sourced(4.0, "guess: Beta law of links' p around a hub's relevance")
    locality: float = sourced(0.44, "VitalWeb: share of a relevant page's links on topic")
    links: float = sourced(1.5, "guess: mean links of a relevant page that are new (Poisson)")
    half_life: float = sourced(1.5, DEZSO)
    half_life_spread: float = sourced(0.6, "guess: sigma of the hubs' log half-lives")
    item_worth: float = sourced(3.0, "guess: median over hubs of an item's mean requests")
    item_worth_spread: float = sourced(0.5, "guess: sigma of its logarithm over hubs")
    item_spread: float = sourced(1.0, "guess: sigma of items' log requests within a hub")
    request_rate: float = sourced(0.3, "guess: mean requests a day of a page")
    request_spread: float = sourced(1.0, "guess: sigma of pages' log request rates")
    change_decades: tuple[float, float] = sourced((-3.0, 0.5), CHO)
    change_by_hub: float = sourced(0.0, "guess: share of change rates' variance between hubs")
    end_rate: float = sourced(0.0119, f"{NTOULAS}: 8 % of pages are replaced a week")
    burst_days: float = sourced(6.0, "guess: length of a burst")
    burst_period: float = sourced(60.0, "guess: days from burst to burst of a hub")
    burst_factor: float = sourced(16.0, "guess: arrivals in a burst over those in quiet")
    daily_swing: float = sourced(0.9, "guess: amplitude of the daily cycle")
    score_power: float = sourced(0.6, "guess: scores are p to this power, so too high")
    power: float = sourced(0.0, "robustness: exponent of a power-law interest; 0: exponential")

    @classmethod
    def sources(cls) -> dict[str, tuple[Any, str]]:
        """Return, by the name of each parameter, its default and its source."""
        return sources_of(cls)
