"""The tool: crawl the live Web for a topic of your own, watch it, share a crawl out.

It rests on `tres_lib`, and knows nothing of the book (`tres_book`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
