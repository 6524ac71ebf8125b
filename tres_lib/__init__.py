"""The library: where, when and what to crawl, rebuilt from five papers.

The packages are ``topics``, ``focused``, ``refresh``, ``ephemeral``, ``foragers``, ``deepweb``
and ``ours``. Each loads when it is used.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
