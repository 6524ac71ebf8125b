from .adaptive import (
    STRATEGIES as STRATEGIES,
)
from .adaptive import (
    Adaptive as Adaptive,
)
from .adaptive import (
    regret as regret,
)
from .bound import (
    Relaxation as Relaxation,
)
from .bound import (
    best_cycle as best_cycle,
)
from .bound import (
    exact_optimum as exact_optimum,
)
from .bound import (
    lagrangian_bound as lagrangian_bound,
)
from .bound import (
    relaxation as relaxation,
)
from .dynamic_programming import (
    Chain as Chain,
)
from .dynamic_programming import (
    Solution as Solution,
)
from .dynamic_programming import (
    chain as chain,
)
from .dynamic_programming import (
    discounted_value as discounted_value,
)
from .dynamic_programming import (
    numeric_index as numeric_index,
)
from .dynamic_programming import (
    orbit_states as orbit_states,
)
from .dynamic_programming import (
    solve as solve,
)
from .index import (
    hitting_time as hitting_time,
)
from .index import (
    orbit as orbit,
)
from .index import (
    orbit_index as orbit_index,
)
from .index import (
    whittle_index as whittle_index,
)
from .policies import (
    POLICIES as POLICIES,
)
from .policies import (
    Limit as Limit,
)
from .policies import (
    Policy as Policy,
)
from .simulate import (
    Run as Run,
)
from .simulate import (
    simulate as simulate,
)
from .sources import (
    Arrivals as Arrivals,
)
from .sources import (
    Sources as Sources,
)
from .sources import (
    source as source,
)
