from .lab.articles import (
    Articles as Articles,
)
from .lab.articles import (
    load_articles as load_articles,
)
from .lab.dynamics import (
    EvolvingLaw as EvolvingLaw,
)
from .lab.evolving import (
    EvolvingWeb as EvolvingWeb,
)
from .lab.muted import (
    MutedWeb as MutedWeb,
)
from .lab.parameters import (
    ANCHOR_KINDS as ANCHOR_KINDS,
)
from .lab.parameters import (
    ANCHOR_SHARES as ANCHOR_SHARES,
)
from .lab.parameters import (
    SiteLaw as SiteLaw,
)
from .lab.parameters import (
    WebLaw as WebLaw,
)
from .lab.vital import (
    VitalWeb as VitalWeb,
)
from .page import (
    FetchError as FetchError,
)
from .page import (
    Link as Link,
)
from .page import (
    Page as Page,
)
from .page import (
    Revisit as Revisit,
)
from .page import (
    Web as Web,
)
from .page import (
    as_web as as_web,
)
from .parsing import (
    parse_page as parse_page,
)
from .recorded.replay import (
    ReplayWeb as ReplayWeb,
)
from .recorded.wikispeedia import (
    wikispeedia_folder as wikispeedia_folder,
)
from .topic import (
    Topic as Topic,
)
from .topic import (
    get_topic as get_topic,
)
from .topic import (
    load_topics as load_topics,
)
from .urls import (
    canonical_url as canonical_url,
)
from .urls import (
    domain as domain,
)
from .urls import (
    url_words as url_words,
)
from .wrapper import (
    Wrapper as Wrapper,
)
