"""How a study is run: sweeps, the ledger of claims and the reports; figures and intervals too."""

import lazy_loader

from tres_lib import plots as plots
from tres_lib.intervals import (
    PER_CENT as PER_CENT,
    best_of as best_of,
    interval_table as interval_table,
    mean_interval as mean_interval,
    paired as paired,
    summarise as summarise,
)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
