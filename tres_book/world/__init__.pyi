from .simulation import Run as Run
from .simulation import realised_bound as realised_bound
from .simulation import simulate as simulate
from .trials import best_split as best_split
from .trials import trial as trial
from .world import World as World
