"""The book's experiments: trials as data, plans of sweeps, the papers' tables, comparisons."""

from __future__ import annotations

from ..lazy import on_use

__all__ = [
    "classifier",
    "deepweb",
    "foragers",
    "foragers_tables",
    "pareto",
    "refresh",
    "tres",
    "tres_paper",
    "tres_pictures",
    "tres_plan",
    "tres_probe",
    "tres_ranking",
    "tres_regret",
    "tres_tables",
    "tres_timing",
    "webs",
    "whittle",
    "whittle_checks",
]

__getattr__ = on_use(__name__, {name: name for name in __all__})
