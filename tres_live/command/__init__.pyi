from .folder import (
    CrawlFolder as CrawlFolder,
)
from .options import (
    CrawlOptions as CrawlOptions,
)
from .running import (
    run as run,
)
from .watching import (
    WatchFolder as WatchFolder,
    WatchOptions as WatchOptions,
)
