"""The command line: ``tres crawl``, ``watch``, ``resume``, ``status``, ``export`` and others."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".folder": "CrawlFolder",
    ".options": "CrawlOptions",
    ".running": "run",
    ".watching": "WatchFolder WatchOptions",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
