"""Selection against reinforcement learning: foragers on a time-evolving news web."""

from __future__ import annotations

from ..lazy import on_use

_HOME = {
    "FleetResult": "fleet",
    "FleetSettings": "settings",
    "Forager": "forager",
    "GraphStatistics": "graphs",
    "KINDS": "settings",
    "Kind": "settings",
    "NewsLaw": "parameters",
    "NewsWeb": "newsweb",
    "PowerLaw": "graphs",
    "REWIRINGS": "newsweb",
    "ReinforcingAgent": "agent",
    "degrees": "graphs",
    "fit_power_law": "graphs",
    "freshness_and_age": "freshness",
    "graph_statistics": "graphs",
    "run_fleet": "fleet",
}
__all__ = sorted(_HOME)

__getattr__ = on_use(__name__, _HOME)
