"""How a study is run: sweeps, intervals, figures, the ledger of claims and the reports."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".claims": "Claims",
    "..intervals": (
        "PER_CENT interquartile_means interval_table mean_interval paired performance_profiles "
        "summarise"
    ),
    "..plots": "",
    ".sweep": "run_sweep",
    ".workspace": "provenance",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
