"""What is worth a crawl now: the Whittle index of sources whose content is ephemeral."""

from __future__ import annotations

from ..lazy import on_use

# At once, not on use: the submodule of the same name would otherwise take the function's place.
from .bound import Relaxation, lagrangian_bound, relaxation
from .cycle import best_cycle
from .exact import exact_optimum
from .index import hitting_time, orbit, orbit_index, whittle_index
from .limit import Limit
from .policies import POLICIES, Policy
from .simulate import Run, simulate
from .sources import Sources, source

_ON_USE = {  # learning loads scipy, the others are what only the chapter needs
    "Adaptive": "adaptive",
    "STRATEGIES": "adaptive",
    "regret": "adaptive",
    "Arrivals": "arrivals",
    "Chain": "subsidy",
    "Solution": "subsidy",
    "chain": "subsidy",
    "discounted_value": "subsidy",
    "numeric_index": "subsidy",
    "orbit_states": "subsidy",
    "solve": "subsidy",
}

__all__ = [
    "POLICIES",
    "Limit",
    "Policy",
    "Relaxation",
    "Run",
    "Sources",
    "best_cycle",
    "exact_optimum",
    "hitting_time",
    "lagrangian_bound",
    "orbit",
    "orbit_index",
    "relaxation",
    "simulate",
    "source",
    "whittle_index",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
