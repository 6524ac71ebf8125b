from .baselines.ache import (
    Ache as Ache,
)
from .baselines.async_sarsa import (
    HanAsync as HanAsync,
)
from .baselines.seedfinder import (
    SearchEngine as SearchEngine,
    SeedFinder as SeedFinder,
    search_engine as search_engine,
)
from .baselines.simple import (
    Queue as Queue,
)
from .crawl import (
    Crawl as Crawl,
)
from .drivers import (
    crawl as crawl,
)
from .features import (
    FEATURES as FEATURES,
    Path as Path,
    domain_features as domain_features,
)
from .policy import (
    POLICIES as POLICIES,
    Blind as Blind,
    Context as Context,
    Policy as Policy,
    Transition as Transition,
)
from .result import (
    CrawlResult as CrawlResult,
    Ending as Ending,
    Stop as Stop,
)
from .settings import (
    CrawlSettings as CrawlSettings,
    DomainCap as DomainCap,
)
from .tres.bounds import (
    regret_bound_a as regret_bound_a,
    regret_bound_b as regret_bound_b,
    regret_bound_c as regret_bound_c,
    sync_cost_bounds as sync_cost_bounds,
    tree_cost_bound as tree_cost_bound,
)
from .tres.crawlers import (
    TRES as TRES,
    Sync as Sync,
    TreeRandom as TreeRandom,
    TresAsync as TresAsync,
    TresSettings as TresSettings,
)
from .tres.ddqn import (
    DDQN as DDQN,
    DDQNSettings as DDQNSettings,
)
from .tres.tree_frontier import (
    TreeFrontier as TreeFrontier,
    best_split as best_split,
    variance_reduction as variance_reduction,
)
