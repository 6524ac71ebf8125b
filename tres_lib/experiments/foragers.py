"""One run of a study as data: its setting goes in as plain values, its measurements come out.

A module of its own, so that sweeps can run it in other processes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..foragers.fleet import FleetResult, run_fleet
from ..foragers.freshness import SCOPES, freshness_and_age
from ..foragers.parameters import KINDS_OF_PAGE, NewsLaw
from ..foragers.newsweb import NewsWeb
from ..foragers.settings import FleetSettings
from .foragers_paper import TABLE_2
from .foragers_plan import READINGS

if TYPE_CHECKING:
    import pandas as pd

LONG = 3.0  # days; below, compiling takes longer than the plain functions, which do the same
IN_WINDOW = {  # counts and means of a window, of which the run has its own
    "downloaded": "downloads",
    "sent": "sends",
    "relevant": "finds",
    "freshness": "current",
    "age_hours": "age",
}


def trial(
    kind: str,
    web_seed: int,
    seed: int,
    days: float = 18.0,
    rewiring: str = "none",
    reading: str = "default",
    news_signal: float = 0.0,
    definitions: bool = False,
) -> pd.DataFrame:
    """What one fleet does on one web.

    Parameters
    ----------
    kind : str
        As in `run_fleet`; "WLRL, WL" are two kinds in one fleet.
    web_seed, seed : int
        Of the web (and its rewiring), and of the fleet.
    days, news_signal : float
        As in `NewsWeb.generate` and `NewsLaw`.
    rewiring : str
        "none", or as in `NewsWeb.rewired`.
    reading : str
        One of `plan.READINGS`.
    definitions : bool
        Also freshness and age under all definitions, as columns such as "freshness, day" and
        "age, day, last, obsolete".

    Returns
    -------
    DataFrame
        The rows of `FleetResult.windows`, in which a window's own counts and means have the names
        ``downloads``, ``sends``, ``finds``, ``current`` and ``age``; and in every row the measures
        of the whole run: those of Table 2 by their names, ``delay_hours``, ``net_gain`` (score
        earned), ``steps`` and their share on each kind of page, such as ``on leaf``.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    if reading not in READINGS:
        raise ValueError(f"reading={reading!r}: use one of {', '.join(READINGS)}")
    web = _web(web_seed, days, rewiring, news_signal)
    settings = FleetSettings(**READINGS[reading])
    result = run_fleet(web, kind.split(", "), seed, settings, compiled=days >= LONG)
    whole = {name: getattr(result, name) for name in [*TABLE_2, "delay_hours"]}
    whole["net_gain"] = settings.gain * result.relevant - settings.send_cost * result.sent
    whole |= _definitions(web, result.found_at) if definitions else {}
    return result.windows.rename(columns=IN_WINDOW).assign(**whole, **_where(result))


def graph_trial(web_seed: int, days: float = 18.0, rewiring: str = "none") -> dict[str, float]:
    """Statistics of one web's graph: those of `GraphStatistics`, sizes, and how well fits fit."""
    from ..foragers.graphs import graph_statistics

    web = _web(web_seed, days, rewiring, 0.0)
    found = graph_statistics(web, web_seed, n_sources=100)
    return {
        "urls": len(web),
        "links": len(web.destination),
        "in_exponent": found.in_exponent,
        "in_xmin": found.in_degree.xmin,
        "in_ks": found.in_degree.ks,
        "out_exponent": found.out_exponent,
        "out_ks": found.out_degree.ks,
        "clustering": found.clustering,
        "mean_distance": found.mean_distance,
    }


@lru_cache(maxsize=4)
def _web(seed: int, days: float, rewiring: str, news_signal: float) -> NewsWeb:
    if rewiring == "none":
        return NewsWeb.generate(seed, days, NewsLaw(news_signal=news_signal))
    return _web(seed, days, "none", news_signal).rewired(seed, rewiring)


def _where(result: FleetResult) -> dict[str, float]:
    """Number of steps, and their share on each kind of page."""
    kinds = len(KINDS_OF_PAGE)
    steps = np.bincount(result.newsweb.kind, weights=result.steps, minlength=kinds)
    shares = {f"on {name}": n / steps.sum() for name, n in zip(KINDS_OF_PAGE, steps, strict=True)}
    return {"steps": steps.sum()} | shares


def _definitions(web: NewsWeb, found_at: np.ndarray) -> dict[str, float]:
    """Means over windows of freshness and age, under every definition."""
    means = {}
    for scope in SCOPES:
        for since in ("last", "first"):
            for obsolete_only in (False, True):
                table = freshness_and_age(web, found_at, scope, since, obsolete_only)
                of = "obsolete" if obsolete_only else "all"
                means[f"age, {scope}, {since}, {of}"] = table["age_hours"].mean()
        means[f"freshness, {scope}"] = table["freshness"].mean()
    return means
