from .bound import (
    relaxation as relaxation,
)
from .simulation import (
    KNOWN as KNOWN,
    Rule as Rule,
    Run as Run,
    realised_bound as realised_bound,
    simulate as simulate,
)
from .world import World as World
