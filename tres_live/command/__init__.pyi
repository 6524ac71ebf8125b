from .folder import (
    CrawlFolder as CrawlFolder,
)
from .running import (
    run as run,
)
from .settings import (
    CrawlOptions as CrawlOptions,
    WatchOptions as WatchOptions,
)
from .watching import (
    WatchFolder as WatchFolder,
)
