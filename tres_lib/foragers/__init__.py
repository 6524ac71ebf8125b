"""Selection against reinforcement learning: foragers on a time-evolving news web."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
