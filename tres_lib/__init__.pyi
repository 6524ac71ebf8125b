from . import (
    deepweb as deepweb,
    ephemeral as ephemeral,
    focused as focused,
    foragers as foragers,
    refresh as refresh,
    topics as topics,
    watching as watching,
    web as web,
)

__version__: str
