from . import deepweb as deepweb
from . import ephemeral as ephemeral
from . import focused as focused
from . import foragers as foragers
from . import refresh as refresh
from . import topics as topics
from . import watching as watching
from . import web as web

__version__: str
