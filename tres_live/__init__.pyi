from .command.exports import (
    export as export,
)
from .command.exports import (
    relevant_pages as relevant_pages,
)
from .shards.job import (
    ShardedResult as ShardedResult,
)
from .shards.job import (
    crawl_sharded as crawl_sharded,
)
from .shards.owners import (
    owner as owner,
)
from .topic.few import (
    FewTexts as FewTexts,
)
from .topic.first_look import (
    Request as Request,
)
from .topic.first_look import (
    first_look as first_look,
)
from .topic.first_look import (
    learn_topic as learn_topic,
)
from .topic.first_look import (
    read_request as read_request,
)
from .topic.labelling import (
    label_in_terminal as label_in_terminal,
)
from .topic.labelling import (
    labelling_panel as labelling_panel,
)
from .topic.labelling import (
    least_sure as least_sure,
)
from .topic.labelling import (
    teach as teach,
)
from .topic.labels import (
    Label as Label,
)
from .topic.labels import (
    Labels as Labels,
)
from .topic.own import (
    learns_nothing as learns_nothing,
)
from .topic.own import (
    own_classifier as own_classifier,
)
from .topic.own import (
    own_corpus as own_corpus,
)
from .topic.own import (
    training_summary as training_summary,
)
from .topic.own import (
    unmatched_keywords as unmatched_keywords,
)
from .topic.telling_words import (
    word_weights as word_weights,
)
from .watching.clock import (
    VirtualClock as VirtualClock,
)
from .watching.clock import (
    WallClock as WallClock,
)
from .watching.judging import (
    request_log as request_log,
)
from .watching.report import (
    Report as Report,
)
from .watching.store import (
    Store as Store,
)
from .watching.watch import (
    Watch as Watch,
)
from .watching.watch import (
    watch as watch,
)
from .web.archive import (
    Archive as Archive,
)
from .web.feeds import (
    DatedLink as DatedLink,
)
from .web.guard import (
    Guard as Guard,
)
from .web.guard import (
    GuardSettings as GuardSettings,
)
from .web.live import (
    LiveWeb as LiveWeb,
)
from .web.politeness import (
    HostLog as HostLog,
)
from .web.scrapy import (
    with_scrapy as with_scrapy,
)
from .web.server import (
    serve as serve,
)
from .web.site_links import (
    WithSiteLinks as WithSiteLinks,
)
from .web.site_links import (
    site_links as site_links,
)
