from .crawls.compare import (
    compare as compare,
)
from .dynamic_programming import (
    exact_optimum as exact_optimum,
)
from .refresh.benchmark import (
    compare_refresh as compare_refresh,
)
