"""How a study is run: sweeps, the ledger of claims and the reports; figures and intervals too."""

from typing import Any

import lazy_loader

from ..intervals import (
    PER_CENT as PER_CENT,
    best_of as best_of,
    interval_table as interval_table,
    mean_interval as mean_interval,
    paired as paired,
    summarise as summarise,
)

_of_stub, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Load a part when it is used; figures' libraries too, for workers draw nothing."""
    if name != "plots":
        return _of_stub(name)
    from .. import plots

    return plots
