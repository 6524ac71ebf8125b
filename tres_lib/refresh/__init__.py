"""When to crawl again: keep a cache fresh while change rates are learned."""

from __future__ import annotations

from ..lazy import on_use

# Not on use: the submodules `freshness` and `simulate` would take the place of the functions.
from .estimators import BOUNDS, estimate_change_rate, estimate_change_rates
from .exploration import ExplorationCosts, best_horizon, exploration_costs
from .freshness import freshness, optimal_rates
from .intervals import confidence_interval, half_band, hoeffding_half_width
from .observations import Observations
from .policies import POLICIES, EpsilonGreedy, ExploreCommit, Fixed, Policy, View
from .precision import best_test_error, information_rate, logarithmic_gaps, standard_error
from .simulate import Run, simulate

_ON_USE = {  # what only notebooks need
    "Histories": "histories",
    "PageHistory": "histories",
    "load_histories": "histories",
    "polite_crawling_folder": "histories",
    "read_histories": "histories",
    "read_numbers": "histories",
    "sample_histories": "histories",
    "sample_pages": "histories",
}

__all__ = [
    "BOUNDS",
    "POLICIES",
    "EpsilonGreedy",
    "ExplorationCosts",
    "ExploreCommit",
    "Fixed",
    "Observations",
    "Policy",
    "Run",
    "View",
    "best_horizon",
    "best_test_error",
    "confidence_interval",
    "estimate_change_rate",
    "estimate_change_rates",
    "exploration_costs",
    "freshness",
    "half_band",
    "hoeffding_half_width",
    "information_rate",
    "logarithmic_gaps",
    "optimal_rates",
    "simulate",
    "standard_error",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
