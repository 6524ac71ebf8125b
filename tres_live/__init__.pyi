from .command.extracts import (
    export as export,
    relevant_pages as relevant_pages,
)
from .plugins.order import (
    Order as Order,
)
from .scope import (
    Scope as Scope,
)
from .topic.few import (
    FewTexts as FewTexts,
)
from .topic.labels import (
    Label as Label,
    Labels as Labels,
    as_list as as_list,
    label_in_terminal as label_in_terminal,
    least_sure as least_sure,
)
from .topic.left import (
    Left as Left,
    relevant_left as relevant_left,
)
from .topic.own import (
    OwnTopic as OwnTopic,
    first_look as first_look,
    own_classifier as own_classifier,
    word_weights as word_weights,
)
from .watching.clock import (
    VirtualClock as VirtualClock,
    WallClock as WallClock,
)
from .watching.report import (
    Report as Report,
)
from .watching.store import (
    Store as Store,
)
from .watching.watch import (
    Watch as Watch,
    watch as watch,
)
from .web.archive import (
    Archive as Archive,
)
from .web.cluster import (
    ClusterWeb as ClusterWeb,
)
from .web.feeds import (
    DatedLink as DatedLink,
)
from .web.guard import (
    Guard as Guard,
    GuardSettings as GuardSettings,
)
from .web.live import (
    LiveWeb as LiveWeb,
)
from .web.politeness import (
    HostLog as HostLog,
)
from .web.server import (
    serve as serve,
)
from .web.site_links import (
    WithSiteLinks as WithSiteLinks,
    site_links as site_links,
)
