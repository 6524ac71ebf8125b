"""TRES compendium: where, when and what to crawl, rebuilt from five papers.

The packages are ``web``, ``topics``, ``focused``, ``refresh``, ``ephemeral``, ``foragers``,
``deepweb``, ``experiments`` and ``study``. Each loads when it is imported.
"""

__version__ = "0.1.0"
