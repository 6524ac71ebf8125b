"""One crawler: new pages, known pages and news under one price of a fetch."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".bound": "Relaxation relaxation",
    ".live.clock": "VirtualClock WallClock",
    ".live.judging": "request_log",
    ".live.report": "Report",
    ".live.store": "Store",
    ".live.watch": "Watch watch",
    ".index": "crossing_age hub_index link_index page_value refresh_index",
    ".simulated.parameters": "Parameters",
    ".policies": "Look POLICIES Policy Rule Seen split",
    ".simulated.simulation": "Run realised_bound simulate",
    ".simulated.trials": "best_split trial",
    ".simulated.world": "World",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
