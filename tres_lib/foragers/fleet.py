"""Fleets of foragers on a news web, and the quantities of the paper's Table 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .freshness import freshness_and_age
from .parameters import HOUR
from .settings import FleetSettings, rules_of

if TYPE_CHECKING:
    import pandas as pd

    from .newsweb import NewsWeb


@dataclass(frozen=True, eq=False)
class FleetResult:
    """The quantities of Table 1 for one run; `freshness_and_age` defines the last two.

    Attributes
    ----------
    newsweb : NewsWeb
    kind : str
        Kinds joined by " and ".
    scores : (f,) array
        Scores of the foragers at the end.
    found_at : (v,) array
        Seconds at which each version was found relevant; inf if it was not.
    found_urls : int
        Number of different URLs downloaded.
    steps : (n,) array of int64
        Visits of each URL as the step of a path, which downloads its links as well.
    windows : DataFrame
        One row for each 3 hours: ``hours`` (its end), ``documents``, ``freshness``, ``age_hours``,
        ``downloaded``, ``sent``, ``relevant``, and at its end ``foragers`` and ``total_score``.
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
        """Return the number of downloads."""
        return int(self.windows["downloaded"].sum())

    @property
    def sent(self) -> int:
        """Return the number of documents sent to the reinforcing agent."""
        return int(self.windows["sent"].sum())

    @property
    def relevant(self) -> int:
        """Return the number of relevant documents found."""
        return int(self.windows["relevant"].sum())

    @property
    def download_efficiency(self) -> float:
        """Return relevant documents per download over the whole run (Table 2)."""
        return self.relevant / self.downloaded

    @property
    def sent_efficiency(self) -> float:
        """Return relevant documents per document sent; NaN if none was sent."""
        return self.relevant / self.sent if self.sent else float("nan")

    @property
    def relative_found_url(self) -> float:
        """Return different URLs per download."""
        return self.found_urls / self.downloaded

    @property
    def freshness(self) -> float:
        """Return the share of current ones in a window's finds at its end, mean over windows."""
        return float(self.windows["freshness"].mean())

    @property
    def age_hours(self) -> float:
        """Return the mean age of a window's finds at its end, current ones 0, mean over windows."""
        return float(self.windows["age_hours"].mean())

    @property
    def delay_hours(self) -> float:
        """Return the mean time from a document's appearance to its find; NaN without finds."""
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
    kind : {"WL", "RL", "WLRL", "NONE", "RANDOM", "WL+RANDOM"} or a sequence of these
        The algorithms that the foragers use: selection of starting URLs by the weblog update (WL),
        reinforcement learning of the URL ordering (RL), both, or neither (fixed random weights).
        RANDOM draws the next URL uniformly from the frontier: a control that the paper lacks.
        Several kinds share the founders equally, in this order of turns (Section 4.1).
    rng : numpy.random.Generator or int
        Seeds, weights and choices come from streams of their own, so that fleets of two kinds
        with the same seed start from the same pages.
    settings : FleetSettings, optional
    compiled : bool
        Run the algorithms compiled by numba (some seconds at a process's first call), or as plain
        Python.

    Returns
    -------
    FleetResult

    Raises
    ------
    ValueError
        If a kind is unknown, or there is none.

    Examples
    --------
    >>> from tres_lib import foragers
    >>> web = foragers.NewsWeb.generate(0, days=0.25)
    >>> result = foragers.run_fleet(web, "WL", rng=0, compiled=False)
    >>> result.downloaded, result.sent, result.relevant
    (8371, 105, 76)
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
    log = agent.log
    windows = freshness_and_age(newsweb, log.found_at).assign(
        downloaded=log.downloaded,
        sent=log.sent,
        relevant=log.relevant,
        foragers=agent.population,
        total_score=agent.total_score,
    )
    return FleetResult(
        newsweb=newsweb,
        kind=" and ".join(kinds),
        scores=np.array([forager.status["score"] for forager in agent.foragers]),
        found_at=log.found_at,
        found_urls=int(log.found_url.sum()),
        steps=log.steps,
        windows=windows,
    )
