from .fleet import (
    FleetResult as FleetResult,
    freshness_and_age as freshness_and_age,
    run_fleet as run_fleet,
)
from .graphs import (
    GraphStatistics as GraphStatistics,
    PowerLaw as PowerLaw,
    degrees as degrees,
    fit_power_law as fit_power_law,
    graph_statistics as graph_statistics,
)
from .newsweb import (
    REWIRINGS as REWIRINGS,
    NewsWeb as NewsWeb,
)
from .settings import (
    KINDS as KINDS,
    FleetSettings as FleetSettings,
    Kind as Kind,
    NewsSite as NewsSite,
)
