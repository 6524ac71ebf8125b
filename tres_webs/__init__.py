"""Where pages come from: a laboratory web, recorded webs, and what all webs share."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
