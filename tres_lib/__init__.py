"""TRES compendium: where, when and what to crawl, rebuilt from five papers.

The packages are ``web``, ``topics``, ``focused``, ``refresh``, ``ephemeral``, ``foragers``,
``deepweb``, ``watching``, ``command``, ``experiments`` and ``study``. Each loads when it is used.
"""

from .lazy import attach

__version__ = "0.1.0"

_HOMES = {  # packages; each loads when it is used
    f".{name}": ""
    for name in (
        *(
            "command",
            "deepweb",
            "ephemeral",
            "experiments",
            "focused",
            "foragers",
            "refresh",
            "study",
        ),
        *("topics", "watching", "web"),
    )
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES, "__version__")
