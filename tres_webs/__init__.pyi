from .lab.articles import (
    Articles as Articles,
    load_articles as load_articles,
)
from .lab.parameters import (
    ANCHOR_KINDS as ANCHOR_KINDS,
    LAWS as LAWS,
    SiteLaw as SiteLaw,
    WebLaw as WebLaw,
)
from .lab.vital import (
    VitalWeb as VitalWeb,
)
from .page import (
    Failure as Failure,
    FetchError as FetchError,
    Link as Link,
    Page as Page,
    Revisit as Revisit,
    Web as Web,
    as_web as as_web,
)
from .parsing import (
    parse_page as parse_page,
)
from .recorded.pinned import (
    PinnedWeb as PinnedWeb,
)
from .recorded.replay import (
    ReplayWeb as ReplayWeb,
)
from .recorded.wikispeedia import (
    wikispeedia_folder as wikispeedia_folder,
)
from .topic import (
    Topic as Topic,
    get_topic as get_topic,
    load_topics as load_topics,
    own_topics as own_topics,
)
from .urls import (
    canonical_url as canonical_url,
    domain as domain,
    url_words as url_words,
)
from .wrapper import (
    Wrapper as Wrapper,
)
