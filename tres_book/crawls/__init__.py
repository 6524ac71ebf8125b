"""Crawls as trials and as stored runs, and their tables: what chapters 04 to 08 and 14 share."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
