"""Where to crawl next: TRES, its parts, and the policies it is compared with."""

from ..lazy import attach

# Loaded at once: the submodule of the same name would otherwise hide the function.
from .crawl import crawl as crawl

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".baselines.ache": "Ache AcheSettings",
    ".baselines.async_sarsa": "HanAsync HanSettings",
    ".baselines.priority_queue": "Queue",
    ".baselines.search_engine": "SearchEngine search_engine",
    ".baselines.seedfinder": "SeedFinder SeedFinderSettings",
    ".comparison.result": "Comparison",
    ".comparison.runs": "compare",
    ".exports": "export relevant_pages",
    ".features": "FEATURES Path domain_features",
    ".labelling": "label_in_terminal labelling_panel least_sure teach",
    ".own_topic": "Request first_look learn_topic read_request",
    ".policy": "Context POLICIES Policy Transition",
    ".result": "CrawlResult",
    ".scope": "DomainCap Scope",
    ".sharded.crawl": "ShardedResult crawl_sharded",
    ".sharded.owners": "owner",
    ".tres.bounds": (
        "lemma_bound regret_bound_a regret_bound_b regret_bound_c sync_cost_bounds tree_cost_bound"
    ),
    ".tres.ddqn": "DDQN DDQNSettings",
    ".tres.policies": "NoTree Sync TRES TresAsync TresSettings TreeRandom",
    ".tres.splits": "best_split variance_reduction",
    ".tres.tree_frontier": "TreeFrontier",
    "..store": "folder_name",
    "..topics.own": "own_classifier own_corpus",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES, "crawl")
