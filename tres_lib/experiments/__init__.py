"""The book's experiments: trials as data, plans of sweeps, the papers' tables, comparisons."""

from __future__ import annotations

from ..lazy import on_use

__all__ = [
    "classifier",
    "deepweb",
    "deepweb_comparison",
    "foragers",
    "foragers_comparison",
    "foragers_paper",
    "foragers_plan",
    "refresh",
    "tres",
    "tres_plan",
    "tres_ranking",
    "tres_tables",
    "tres_theory",
    "webs",
    "whittle",
    "whittle_checks",
    "whittle_paper",
    "whittle_pictures",
]

__getattr__ = on_use(__name__, {name: name for name in __all__})
