"""How a study is run: sweeps, seeds, intervals, figures, the ledger of claims and the reports."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Claims": "claims",
    "interval_table": "intervals",
    "mean_interval": "intervals",
    "paired": "intervals",
    "plots": "",
    "provenance": "origin",
    "run_sweep": "sweep",
    "spawn": "seeds",
    "streams": "seeds",
    "summarise": "intervals",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name on first use: pandas and seaborn are slow to import."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_HOME[name] or name}")
    value = getattr(module, name) if _HOME[name] else module
    globals()[name] = value
    return value
