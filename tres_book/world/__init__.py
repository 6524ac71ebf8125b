"""The simulated world of chapter 15: pages, hubs and news of known distributions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
