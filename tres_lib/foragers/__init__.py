"""Selection against reinforcement learning: foragers on a time-evolving news web."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".agent": "ReinforcingAgent",
    ".fleet": "FleetResult run_fleet",
    ".forager": "Forager",
    ".freshness": "freshness_and_age",
    ".graphs": "GraphStatistics PowerLaw degrees fit_power_law graph_statistics",
    ".newsweb": "NewsWeb REWIRINGS",
    ".parameters": "NewsLaw",
    ".settings": "FleetSettings KINDS Kind",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
