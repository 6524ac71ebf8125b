"""Crawling of ephemeral content by the Whittle index, with its bounds, checks and rivals."""

from __future__ import annotations

from ..lazy import on_use
from .simulate import Run, simulate  # at once, or its submodule would take the function's place

_HOME = {
    "Adaptive": "adaptive",
    "Arrivals": "sources",
    "Chain": "dynamic_programming",
    "Limit": "policies",
    "POLICIES": "policies",
    "Policy": "policies",
    "Relaxation": "bound",
    "STRATEGIES": "adaptive",
    "Solution": "dynamic_programming",
    "Sources": "sources",
    "best_cycle": "bound",
    "chain": "dynamic_programming",
    "discounted_value": "dynamic_programming",
    "exact_optimum": "exact",
    "hitting_time": "index",
    "lagrangian_bound": "bound",
    "numeric_index": "dynamic_programming",
    "orbit": "index",
    "orbit_index": "index",
    "orbit_states": "dynamic_programming",
    "regret": "adaptive",
    "relaxation": "bound",
    "solve": "dynamic_programming",
    "source": "sources",
    "whittle_index": "index",
}
__all__ = ["Run", "simulate", *_HOME]

__getattr__ = on_use(__name__, _HOME)
