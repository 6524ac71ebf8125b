from .fleet import (
    FleetResult as FleetResult,
)
from .fleet import (
    freshness_and_age as freshness_and_age,
)
from .fleet import (
    run_fleet as run_fleet,
)
from .graphs import (
    GraphStatistics as GraphStatistics,
)
from .graphs import (
    PowerLaw as PowerLaw,
)
from .graphs import (
    degrees as degrees,
)
from .graphs import (
    fit_power_law as fit_power_law,
)
from .graphs import (
    graph_statistics as graph_statistics,
)
from .newsweb import (
    REWIRINGS as REWIRINGS,
)
from .newsweb import (
    NewsWeb as NewsWeb,
)
from .settings import (
    KINDS as KINDS,
)
from .settings import (
    FleetSettings as FleetSettings,
)
from .settings import (
    Kind as Kind,
)
from .settings import (
    NewsSite as NewsSite,
)
