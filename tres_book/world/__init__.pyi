from .bound import (
    relaxation as relaxation,
)
from .simulation import Run as Run, realised_bound as realised_bound, simulate as simulate
from .world import World as World
