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
    "PowerLaw": "powerlaw",
    "ReinforcingAgent": "agent",
    "READINGS": "plan",
    "beside_paper": "paper",
    "degrees": "graphs",
    "differences": "comparison",
    "distinct": "plan",
    "fit_power_law": "powerlaw",
    "graph_statistics": "graphs",
    "graph_trial": "trials",
    "log_ratios": "comparison",
    "orders": "plan",
    "readings": "plan",
    "table_2": "plan",
    "texts": "plan",
    "trial": "trials",
    "whole_runs": "comparison",
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
