"""The command line: ``tres crawl``, ``resume``, ``extend``, ``status``, ``export``, ``judge``."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".folder": "CrawlFolder",
    ".options": "CrawlOptions",
    ".running": "run",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
