"""When to crawl again: keep a cache fresh while change rates are learned."""

from ..lazy import attach

# Loaded at once: the submodule of the same name would otherwise hide the function.
from .freshness import freshness as freshness
from .simulate import simulate as simulate

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".estimators": "BOUNDS estimate_change_rate estimate_change_rates",
    ".exploration": "ExplorationCosts best_horizon exploration_costs",
    ".freshness": "optimal_rates",
    ".histories": (
        "Histories PageHistory load_histories polite_crawling_folder read_histories "
        "read_numbers sample_histories sample_pages"
    ),
    ".observations": "Observations",
    ".policies": "EpsilonGreedy ExploreCommit Fixed POLICIES Policy View",
    ".precision": (
        "best_test_error confidence_interval half_band hoeffding_half_width information_rate "
        "logarithmic_gaps standard_error"
    ),
    ".simulate": "Run",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES, "freshness", "simulate")
