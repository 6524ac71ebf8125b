"""When to crawl again: keep a cache fresh while change rates are learned."""

import lazy_loader

# Loaded at once: the submodule of the same name would otherwise hide the function.
from .freshness import freshness as freshness
from .simulate import simulate as simulate

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
