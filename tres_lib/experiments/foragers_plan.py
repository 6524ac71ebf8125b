"""Which fleets the study runs on which webs, as settings of `trial`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from ..foragers.settings import KINDS

READINGS = {  # of the paper's text: fields of FleetSettings that differ from its defaults
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

Setting = dict[str, Any]


def table_2(web_seeds: Iterable[int], seeds: Iterable[int], days: float) -> list[Setting]:
    """All kinds of fleets, on several webs with several seeds."""
    return [_setting(kind, web, seed, days) for web, seed, kind in product(web_seeds, seeds, KINDS)]


def readings(
    web_seeds: Iterable[int],
    days: float,
    names: Iterable[str] = tuple(READINGS),
    rewirings: Iterable[str] = ("none",),
) -> list[Setting]:
    """WL and RL under each of these readings of the text, one seed a web."""
    return [
        _setting(kind, web, 0, days, reading=name, rewiring=rewiring)
        for web, rewiring, name, kind in product(web_seeds, rewirings, names, COMPARED)
    ]


def texts(web_seeds: Iterable[int], days: float) -> list[Setting]:
    """WL and RL where pages' texts tell news from other pages, one seed a web."""
    return [
        _setting(kind, web, 0, days, news_signal=signal)
        for web, signal, kind in product(web_seeds, NEWS_SIGNALS, COMPARED)
    ]


def orders(web_seeds: Iterable[int], seeds: Iterable[int], days: float) -> list[Setting]:
    """Fleets of 8 WLRL and 8 WL foragers in either order of turns."""
    return [
        _setting(kind, web, seed, days, reading="16 founders")
        for web, seed, kind in product(web_seeds, seeds, ORDERS)
    ]


def distinct(settings: Iterable[Setting]) -> list[Setting]:
    """The settings, each once."""
    return list({repr(setting): setting for setting in settings}.values())


def _setting(kind: str, web_seed: int, seed: int, days: float, **others: Any) -> Setting:
    usual = {"rewiring": "none", "reading": "default", "news_signal": 0.0}
    how = usual | others
    run = {"kind": kind, "web_seed": web_seed, "seed": seed, "days": days}
    return run | how | {"definitions": kind in COMPARED and how == usual}
