"""TRES compendium: where, when and what to crawl, rebuilt from five papers.

Sub-packages load on first use (``import tres_lib`` is instant): ``web``,
``topics``, ``focused`` and ``study``.
"""

__version__ = "0.1.0"
