"""How a study is run: sweeps, the ledger of claims and the reports; figures and intervals too."""

import lazy_loader

from tres_lib import plots as plots
from tres_lib.intervals import (
    PER_CENT as PER_CENT,
)
from tres_lib.intervals import (
    interquartile_means as interquartile_means,
)
from tres_lib.intervals import (
    interval_table as interval_table,
)
from tres_lib.intervals import (
    mean_interval as mean_interval,
)
from tres_lib.intervals import (
    paired as paired,
)
from tres_lib.intervals import (
    performance_profiles as performance_profiles,
)
from tres_lib.intervals import (
    summarise as summarise,
)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
