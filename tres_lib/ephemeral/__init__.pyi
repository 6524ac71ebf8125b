from .bound import (
    Relaxation as Relaxation,
    best_cycle as best_cycle,
    lagrangian_bound as lagrangian_bound,
    relaxation as relaxation,
)
from .policies import (
    POLICIES as POLICIES,
    Limit as Limit,
    Policy as Policy,
)
from .simulate import (
    Run as Run,
    simulate as simulate,
)
from .sources import (
    Arrivals as Arrivals,
    Sources as Sources,
    orbit as orbit,
    source as source,
    whittle_index as whittle_index,
)
