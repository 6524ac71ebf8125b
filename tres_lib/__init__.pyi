from . import (
    deepweb as deepweb,
    ephemeral as ephemeral,
    focused as focused,
    foragers as foragers,
    ours as ours,
    refresh as refresh,
    topics as topics,
)

__version__: str
