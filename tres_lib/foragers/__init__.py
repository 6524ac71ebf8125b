"""Selection against reinforcement learning: foragers on a time-evolving news web."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".forager": "Forager ReinforcingAgent",
    ".fleet": "FleetResult freshness_and_age run_fleet",
    ".graphs": "GraphStatistics PowerLaw degrees fit_power_law graph_statistics",
    ".newsweb": "NewsWeb REWIRINGS",
    ".settings": "FleetSettings KINDS Kind NewsLaw",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
