"""Selection against reinforcement learning: foragers on a time-evolving news web."""

from __future__ import annotations

from ..lazy import on_use
from .fleet import FleetResult, run_fleet
from .freshness import freshness_and_age
from .law import NewsLaw
from .newsweb import NewsWeb
from .rewiring import REWIRINGS
from .settings import KINDS, FleetSettings, Kind

_ON_USE = {  # these load numba, scipy or pandas
    "Forager": "forager",
    "GraphStatistics": "graphs",
    "PowerLaw": "power_law",
    "ReinforcingAgent": "agent",
    "degrees": "graphs",
    "fit_power_law": "power_law",
    "graph_statistics": "graphs",
}

__all__ = [
    "KINDS",
    "REWIRINGS",
    "FleetResult",
    "FleetSettings",
    "Kind",
    "NewsLaw",
    "NewsWeb",
    "freshness_and_age",
    "run_fleet",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
