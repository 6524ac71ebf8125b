"""Crawling of ephemeral content by the Whittle index, with its bounds, checks and rivals."""

from ..lazy import attach

# Loaded at once: the submodule of the same name would otherwise hide the function.
from .simulate import simulate as simulate

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".adaptive": "Adaptive STRATEGIES regret",
    ".bound": "Relaxation best_cycle exact_optimum lagrangian_bound relaxation",
    ".dynamic_programming": (
        "Chain Solution chain discounted_value numeric_index orbit_states solve"
    ),
    ".index": "hitting_time orbit orbit_index whittle_index",
    ".policies": "Limit POLICIES Policy",
    ".simulate": "Run",
    ".sources": "Arrivals Sources source",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES, "simulate")
