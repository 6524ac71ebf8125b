"""Schedulers of chapter 09 side by side, on drawn, replayed and signalled changes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
