"""A fleet of foragers on a news web, and what Table 1 of the paper measures of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .freshness import freshness_and_age
from .law import HOUR
from .settings import FleetSettings, rules_of

if TYPE_CHECKING:
    import pandas as pd

    from .agent import ReinforcingAgent
    from .newsweb import NewsWeb


@dataclass(frozen=True, eq=False)
class FleetResult:
    """The quantities of Table 1; see `freshness_and_age` for the definitions of the last two.

    Attributes
    ----------
    newsweb : NewsWeb
    kind : str
    scores : (f,) float64
        Of the foragers that live at the end.
    found_at : (v,) float64
        Seconds at which each version was found relevant; inf if it was not.
    found_urls : int
        Number of different URLs downloaded.
    steps : (n,) int64
        How often each URL was the step of a path; its links are downloaded as well then.
    windows : DataFrame
        One row for each 3 hours: ``hours`` (its end), ``downloaded``, ``sent``, ``relevant``,
        ``foragers`` and ``total_score`` at its end, ``documents``, ``freshness``, ``age_hours``.
    """

    newsweb: NewsWeb
    kind: str
    scores: np.ndarray
    found_at: np.ndarray
    found_urls: int
    steps: np.ndarray
    windows: pd.DataFrame

    @property
    def downloaded(self) -> int:
        """Number of downloads."""
        return int(self.windows["downloaded"].sum())

    @property
    def sent(self) -> int:
        """Number of documents sent to the reinforcing agent."""
        return int(self.windows["sent"].sum())

    @property
    def relevant(self) -> int:
        """Number of relevant documents found."""
        return int(self.windows["relevant"].sum())

    @property
    def download_efficiency(self) -> float:
        """Relevant documents a download, as the paper's Table 2 has it over the whole run."""
        return self.relevant / self.downloaded

    @property
    def sent_efficiency(self) -> float:
        """Relevant documents a document sent; NaN if none was sent."""
        return self.relevant / self.sent if self.sent else float("nan")

    @property
    def relative_found_url(self) -> float:
        """Different URLs a download."""
        return self.found_urls / self.downloaded

    @property
    def freshness(self) -> float:
        """Share of current ones among a window's finds at its end, mean over windows with any."""
        return float(self.windows["freshness"].mean())

    @property
    def age_hours(self) -> float:
        """Mean age of a window's finds at its end, current ones 0, mean over windows with any."""
        return float(self.windows["age_hours"].mean())

    @property
    def delay_hours(self) -> float:
        """Mean time from a document's appearance to its find; not in the paper. NaN without any."""
        found = np.isfinite(self.found_at) & np.isfinite(self.newsweb.born)
        delays = self.found_at[found] - self.newsweb.born[found]
        return float(delays.mean()) / HOUR if len(delays) else float("nan")


def run_fleet(
    newsweb: NewsWeb,
    kind: str | Sequence[str] = "WL",
    rng: np.random.Generator | int = 0,
    settings: FleetSettings | None = None,
    compiled: bool = True,
) -> FleetResult:
    """Let a fleet forage for the web's days (Algorithms 1 to 12).

    Parameters
    ----------
    newsweb : NewsWeb
    kind : {"WL", "RL", "WLRL", "NONE", "RANDOM", "WL+RANDOM"}
        Which algorithms the foragers use: selection of starting URLs by the weblog update (WL),
        reinforcement learning of the URL ordering (RL), both, or neither (fixed random weights).
        RANDOM draws the next URL uniformly from the frontier: a control that the paper lacks.
        Several kinds share the founders equally, in this order of turns (Section 4.1).
    rng : numpy.random.Generator or int
        Seeds, weights and choices come from streams of their own, so that fleets of two kinds
        with the same seed start from the same pages.
    settings : FleetSettings, optional
    compiled : bool
        Run the algorithms compiled by numba (some seconds at a process's first call), or the same
        functions as they are.

    Raises
    ------
    ValueError
        If a kind is unknown, or there is none.
    """
    from .agent import ReinforcingAgent
    from .steps import compiled_forage, forage

    kinds = [kind] if isinstance(kind, str) else list(kind)
    if not kinds:
        raise ValueError("kind=[]: give at least one kind, such as 'WL'")
    rules = [rules_of(name, settings or FleetSettings()) for name in kinds]
    for_seeds, for_fleet = np.random.default_rng(rng).spawn(2)
    agent = ReinforcingAgent(newsweb, rules, compiled_forage if compiled else forage)
    agent.found(agent.seed_urls(for_seeds), for_fleet)
    agent.run(for_fleet)
    return FleetResult(
        newsweb=newsweb,
        kind=" and ".join(kinds),
        scores=np.array([forager.status["score"] for forager in agent.foragers]),
        found_at=agent.desk.found_at,
        found_urls=int(agent.desk.found_url.sum()),
        steps=agent.desk.steps,
        windows=_windows(newsweb, agent),
    )


def _windows(newsweb: NewsWeb, agent: ReinforcingAgent) -> pd.DataFrame:
    table = freshness_and_age(newsweb, agent.desk.found_at)
    logs = {name: getattr(agent.desk, name) for name in ("downloaded", "sent", "relevant")}
    return table.assign(**logs, foragers=agent.population, total_score=agent.total_score)
