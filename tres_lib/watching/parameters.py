"""The parameters of the simulated world: those of any evolving web, and its hubs' own."""

from dataclasses import dataclass

from ..web.lab.dynamics import Dynamics, sourced


@dataclass(frozen=True)
class Parameters(Dynamics):
    """What a `World` is drawn from: the `Dynamics` of its hubs' links, and how they are linked.

    `sources` has what each field is, with its default and where that is from.
    """

    hubs: int = sourced(40, "size of the experiment: hubs")
    stock: int = sourced(40, "guess: relevant pages held at the start, for each hub")
    hub_relevance: tuple[float, float] = sourced((1.2, 1.8), "guess: beta, hubs' relevance")
    concentration: float = sourced(4.0, "guess: beta, links' p around a hub's relevance")
    locality: float = sourced(0.44, "VitalWeb: share of a relevant page's links on topic")
    links: float = sourced(1.5, "guess: mean links of a relevant page that are new (Poisson)")
    change_by_hub: float = sourced(0.0, "guess: share of change rates' variance between hubs")
    daily_swing: float = sourced(0.9, "guess: amplitude of the daily cycle")
    score_power: float = sourced(0.6, "guess: scores are p to this power, so too high")
    power: float = sourced(0.0, "robustness: exponent of a power-law interest; 0: exponential")
