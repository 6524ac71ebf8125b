"""The tool: crawl the live Web for a topic of your own, or watch it.

It rests on `tres_lib` and `tres_webs`, and knows nothing of the book (`tres_book`).
"""

import sys

# With `python -m tres_live` the working folder, which may be a stranger's, comes first on the path.
# While Python looks for a module to run, argv has -m in its name's place.
if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].endswith(__name__):
    sys.path[:] = sys.path[not sys.flags.safe_path :]

import lazy_loader  # noqa: E402

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
