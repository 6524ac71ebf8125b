"""Where to crawl next: TRES, its parts, and the policies it is compared with."""

import lazy_loader

# Loaded at once: the submodule of the same name, which it loads, would otherwise hide the function.
from .drivers import crawl as crawl

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
