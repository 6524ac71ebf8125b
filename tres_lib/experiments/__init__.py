"""The book's experiments: trials as data, plans of sweeps, the papers' tables, comparisons."""

from ..lazy import attach

_MODULES = (
    "classifier deepweb foragers long_runs plots prospector refresh tres tres_plan "
    "tres_ranking tres_tables tres_theory webs whittle whittle_checks"
)
__getattr__, __dir__, __all__ = attach(__name__, {f".{name}": "" for name in _MODULES.split()})
