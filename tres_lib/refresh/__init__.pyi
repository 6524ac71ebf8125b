from .estimators import (
    BOUNDS as BOUNDS,
)
from .estimators import (
    estimate_change_rate as estimate_change_rate,
)
from .estimators import (
    estimate_change_rates as estimate_change_rates,
)
from .exploration import (
    ExplorationCosts as ExplorationCosts,
)
from .exploration import (
    best_horizon as best_horizon,
)
from .exploration import (
    exploration_costs as exploration_costs,
)
from .freshness import (
    freshness as freshness,
)
from .freshness import (
    optimal_rates as optimal_rates,
)
from .histories import (
    Histories as Histories,
)
from .histories import (
    PageHistory as PageHistory,
)
from .histories import (
    load_histories as load_histories,
)
from .histories import (
    polite_crawling_folder as polite_crawling_folder,
)
from .histories import (
    read_histories as read_histories,
)
from .histories import (
    sample_histories as sample_histories,
)
from .histories import (
    sample_pages as sample_pages,
)
from .observations import (
    Observations as Observations,
)
from .policies import (
    POLICIES as POLICIES,
)
from .policies import (
    EpsilonGreedy as EpsilonGreedy,
)
from .policies import (
    ExploreCommit as ExploreCommit,
)
from .policies import (
    Fixed as Fixed,
)
from .policies import (
    Policy as Policy,
)
from .policies import (
    View as View,
)
from .precision import (
    best_test_error as best_test_error,
)
from .precision import (
    confidence_interval as confidence_interval,
)
from .precision import (
    half_band as half_band,
)
from .precision import (
    information_rate as information_rate,
)
from .precision import (
    logarithmic_gaps as logarithmic_gaps,
)
from .precision import (
    standard_error as standard_error,
)
from .simulate import (
    Run as Run,
)
from .simulate import (
    simulate as simulate,
)
