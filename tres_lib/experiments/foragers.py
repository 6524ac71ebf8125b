"""Trials of chapter 11, on foragers, and the settings of its sweeps."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..checks import one_of
from ..foragers.fleet import SCOPES, FleetResult, freshness_and_age, run_fleet
from ..foragers.graphs import graph_statistics
from ..foragers.newsweb import NewsWeb
from ..foragers.settings import KINDS, KINDS_OF_PAGE, FleetSettings, NewsLaw

Setting = dict[str, Any]
LONG = 3.0  # days; below, compiling takes longer than the plain functions, which do the same
IN_WINDOW = {  # counts and means of a window, of which the run has its own
    "downloaded": "downloads",
    "sent": "sends",
    "relevant": "finds",
    "freshness": "current",
    "age_hours": "age",
}
TABLE_2 = {  # quantity: mean of three runs and their standard deviation, RL, then WL
    "downloaded": (540_636, 9_840, 669_673, 9_580),
    "sent": (9_747, 98, 6_345, 385),
    "relevant": (2_419, 45, 3_107, 60),
    "found_urls": (31_092, 1_050, 33_116, 3_370),
    "download_efficiency": (0.0045, 0.0001, 0.0046, 0.0001),
    "sent_efficiency": (0.248, 0.003, 0.49, 0.031),
    "relative_found_url": (0.058, 0.001, 0.05, 0.006),
    "freshness": (0.7, 0.006, 0.74, 0.011),
    "age_hours": (1.79, 0.04, 1.56, 0.08),
}
READINGS: dict[str, Setting] = {  # of the paper's text: fields of FleetSettings
    "default": {},
    "16 founders": {"founders": 16},
    "page means URL": {"by_url": True},
    "hubs are dated": {"dated_hubs": True},
    "updates keep the date": {"redated": False},
    "weblog without penalties": {"penalties": False},
    "weblog after the URL": {"inclusive": False},
    "weblog discounts by 0.9": {"discount": 0.9},
    "TD only with reward": {"update_without_reward": False},
    "TD across restarts": {"update_across_restarts": True},
    "seed list is halved": {"split_fixed": True},
    "child knows what was sent": {"inherit_marked": True},
    "first weights of 50": {"weight_scale": 50.0},
}
COMPARED = ("RL", "WL")
NEWS_SIGNALS = (0.0, 0.05, 0.2)  # of `NewsLaw`: text says nothing of news, a little, plainly
ORDERS = ("WLRL, WL", "WL, WLRL")


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
    """Run one fleet on one web.

    The kind "WLRL, WL" stands for two kinds in one fleet (see `run_fleet`), the rewiring is "none"
    or one of `NewsWeb.rewired`, the reading one of `READINGS`. Returned are the rows of
    `FleetResult.windows`, with a window's own counts and means by the names of `IN_WINDOW`; and in
    every row the measures of the whole run: those of Table 2, ``delay_hours``, ``net_gain`` (score
    earned), ``steps`` and their share on each kind of page, such as ``on leaf``. With `definitions`
    also freshness and age under all definitions, such as "age, day, last, obsolete".
    """
    one_of("reading", reading, [*READINGS])
    web = _web(web_seed, days, rewiring, news_signal)
    settings = FleetSettings(**READINGS[reading])
    result = run_fleet(web, kind.split(", "), seed, settings, compiled=days >= LONG)
    whole = {name: getattr(result, name) for name in [*TABLE_2, "delay_hours"]}
    whole["net_gain"] = settings.gain * result.relevant - settings.send_cost * result.sent
    whole |= _definitions(web, result.found_at) if definitions else {}
    return result.windows.rename(columns=IN_WINDOW).assign(**whole, **_where(result))


def graph_trial(web_seed: int, days: float = 18.0, rewiring: str = "none") -> dict[str, float]:
    """Return the statistics of one web's graph: `GraphStatistics`, sizes, distances of the fits."""
    web = _web(web_seed, days, rewiring, 0.0)
    found = graph_statistics(web, web_seed, n_sources=100)
    return {
        "urls": len(web),
        "links": len(web.destination),
        "in_exponent": found.in_degree.exponent,
        "in_xmin": found.in_degree.xmin,
        "in_ks": found.in_degree.ks,
        "out_exponent": found.out_degree.exponent,
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
    """Return the number of steps, and their share on each kind of page."""
    steps = np.bincount(result.newsweb.kind, result.steps, len(KINDS_OF_PAGE))
    shares = {f"on {name}": n / steps.sum() for name, n in zip(KINDS_OF_PAGE, steps, strict=True)}
    return {"steps": steps.sum()} | shares


def _definitions(web: NewsWeb, found_at: np.ndarray) -> dict[str, float]:
    """Return means over windows of freshness and age, under every definition."""
    means = {}
    for scope in SCOPES:
        for since in ("last", "first"):
            for obsolete_only in (False, True):
                table = freshness_and_age(web, found_at, scope, since, obsolete_only)
                of = "obsolete" if obsolete_only else "all"
                means[f"age, {scope}, {since}, {of}"] = table["age_hours"].mean()
        means[f"freshness, {scope}"] = table["freshness"].mean()
    return means


def table_2(web_seeds: Iterable[int], seeds: Iterable[int], days: float) -> list[Setting]:
    """Return settings of all kinds of fleets, on several webs with several seeds."""
    return [_setting(kind, web, seed, days) for web, seed, kind in product(web_seeds, seeds, KINDS)]


def readings(
    web_seeds: Iterable[int],
    days: float,
    names: Iterable[str] = tuple(READINGS),
    rewirings: Iterable[str] = ("none",),
) -> list[Setting]:
    """Return settings of WL and RL under readings of the text, one seed per web."""
    return [
        _setting(kind, web, 0, days, reading=name, rewiring=rewiring)
        for web, rewiring, name, kind in product(web_seeds, rewirings, names, COMPARED)
    ]


def texts(web_seeds: Iterable[int], days: float) -> list[Setting]:
    """Return settings of WL and RL where texts tell news from other pages, one seed per web."""
    return [
        _setting(kind, web, 0, days, news_signal=signal)
        for web, signal, kind in product(web_seeds, NEWS_SIGNALS, COMPARED)
    ]


def orders(web_seeds: Iterable[int], seeds: Iterable[int], days: float) -> list[Setting]:
    """Return settings of fleets of 8 WLRL and 8 WL foragers in either order of turns."""
    return [
        _setting(kind, web, seed, days, reading="16 founders")
        for web, seed, kind in product(web_seeds, seeds, ORDERS)
    ]


def distinct(settings: Iterable[Setting]) -> list[Setting]:
    """Return the settings, each once."""
    return list({repr(setting): setting for setting in settings}.values())


def _setting(kind: str, web_seed: int, seed: int, days: float, **others: Any) -> Setting:
    usual = {"rewiring": "none", "reading": "default", "news_signal": 0.0}
    run = {"kind": kind, "web_seed": web_seed, "seed": seed, "days": days} | usual | others
    return run | {"definitions": kind in COMPARED and run == run | usual}
