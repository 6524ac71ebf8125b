from .baselines.ache import (
    Ache as Ache,
)
from .baselines.ache import (
    AcheSettings as AcheSettings,
)
from .baselines.async_sarsa import (
    HanAsync as HanAsync,
)
from .baselines.async_sarsa import (
    HanSettings as HanSettings,
)
from .baselines.priority_queue import (
    Queue as Queue,
)
from .baselines.search_engine import (
    SearchEngine as SearchEngine,
)
from .baselines.search_engine import (
    search_engine as search_engine,
)
from .baselines.seedfinder import (
    SeedFinder as SeedFinder,
)
from .baselines.seedfinder import (
    SeedFinderSettings as SeedFinderSettings,
)
from .compare import (
    compare as compare,
)
from .comparison import (
    Comparison as Comparison,
)
from .crawl import (
    crawl as crawl,
)
from .features import (
    FEATURES as FEATURES,
)
from .features import (
    Path as Path,
)
from .features import (
    domain_features as domain_features,
)
from .policy import (
    POLICIES as POLICIES,
)
from .policy import (
    Context as Context,
)
from .policy import (
    Policy as Policy,
)
from .policy import (
    Transition as Transition,
)
from .result import (
    CrawlResult as CrawlResult,
)
from .scope import (
    DomainCap as DomainCap,
)
from .scope import (
    Scope as Scope,
)
from .tres.bounds import (
    lemma_bound as lemma_bound,
)
from .tres.bounds import (
    regret_bound_a as regret_bound_a,
)
from .tres.bounds import (
    regret_bound_b as regret_bound_b,
)
from .tres.bounds import (
    regret_bound_c as regret_bound_c,
)
from .tres.bounds import (
    sync_cost_bounds as sync_cost_bounds,
)
from .tres.bounds import (
    tree_cost_bound as tree_cost_bound,
)
from .tres.crawlers import (
    TRES as TRES,
)
from .tres.crawlers import (
    NoTree as NoTree,
)
from .tres.crawlers import (
    Sync as Sync,
)
from .tres.crawlers import (
    TreeRandom as TreeRandom,
)
from .tres.crawlers import (
    TresAsync as TresAsync,
)
from .tres.crawlers import (
    TresSettings as TresSettings,
)
from .tres.ddqn import (
    DDQN as DDQN,
)
from .tres.ddqn import (
    DDQNSettings as DDQNSettings,
)
from .tres.splits import (
    best_split as best_split,
)
from .tres.splits import (
    variance_reduction as variance_reduction,
)
from .tres.tree_frontier import (
    TreeFrontier as TreeFrontier,
)
