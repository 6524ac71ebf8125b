"""How a study is run: sweeps, intervals, figures, the ledger of claims and the reports."""

from __future__ import annotations

from ..lazy import on_use

_HOME = {
    "Claims": "claims",
    "interval_table": "intervals",
    "mean_interval": "intervals",
    "paired": "intervals",
    "plots": "plots",
    "provenance": "workspace",
    "run_sweep": "sweep",
    "summarise": "intervals",
}
__all__ = sorted(_HOME)

__getattr__ = on_use(__name__, _HOME)
