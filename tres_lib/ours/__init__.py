"""Our own methods: Prospector, and the indices of new, known and linking pages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
