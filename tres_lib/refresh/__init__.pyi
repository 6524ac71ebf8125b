from .estimators import (
    BOUNDS as BOUNDS,
    confidence_interval as confidence_interval,
    estimate_change_rate as estimate_change_rate,
    estimate_change_rates as estimate_change_rates,
    information_rate as information_rate,
)
from .exploration import (
    ExplorationCosts as ExplorationCosts,
    best_horizon as best_horizon,
    exploration_costs as exploration_costs,
)
from .freshness import (
    freshness as freshness,
    optimal_rates as optimal_rates,
)
from .policies import (
    POLICIES as POLICIES,
    EpsilonGreedy as EpsilonGreedy,
    ExploreCommit as ExploreCommit,
    Fixed as Fixed,
    Observations as Observations,
    Policy as Policy,
    View as View,
)
from .simulate import (
    Run as Run,
    sample_pages as sample_pages,
    simulate as simulate,
)
