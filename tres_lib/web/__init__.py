"""Where pages come from: a laboratory web, recorded webs, the live Web, and what they share."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
