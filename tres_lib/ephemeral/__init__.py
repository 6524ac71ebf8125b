"""Crawling of ephemeral content by the Whittle index, with its bounds, checks and rivals."""

import lazy_loader

# Loaded at once: the submodule of the same name would otherwise hide the function.
from .simulate import simulate as simulate

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
