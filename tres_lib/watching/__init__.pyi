from .bound import (
    Relaxation as Relaxation,
)
from .bound import (
    relaxation as relaxation,
)
from .index import (
    crossing_age as crossing_age,
)
from .index import (
    hub_index as hub_index,
)
from .index import (
    link_index as link_index,
)
from .index import (
    page_value as page_value,
)
from .index import (
    refresh_index as refresh_index,
)
from .parameters import (
    Parameters as Parameters,
)
from .policies import (
    POLICIES as POLICIES,
)
from .policies import (
    Look as Look,
)
from .policies import (
    Policy as Policy,
)
from .policies import (
    Rule as Rule,
)
from .policies import (
    Seen as Seen,
)
from .policies import (
    split as split,
)
