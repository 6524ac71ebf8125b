from .simulation import Run as Run, realised_bound as realised_bound, simulate as simulate
from .trials import best_split as best_split, trial as trial
from .world import World as World
