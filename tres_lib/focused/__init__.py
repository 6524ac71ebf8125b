"""Where to crawl next: TRES, its parts, and the policies it is compared with."""

from __future__ import annotations

from ..lazy import on_use

# At once, not on use: the submodule of the same name would otherwise take the function's place.
from .arguments import DomainCap
from .crawl import crawl
from .features import FEATURES, Path, domain_features
from .policy import POLICIES, Context, Policy, Transition
from .result import CrawlResult

_ON_USE = {
    "TRES": "tres.policies",
    "NoTree": "tres.policies",
    "TreeRandom": "tres.policies",
    "TresSettings": "tres.learner",
    "TreeFrontier": "tres.tree_frontier",
    "best_split": "tres.splits",
    "variance_reduction": "tres.splits",
    "DDQN": "tres.ddqn",
    "DDQNSettings": "tres.ddqn",
    "Sync": "tres.policies",
    "TresAsync": "tres.policies",
    "sync_cost_bounds": "tres.bounds",
    "tree_cost_bound": "tres.bounds",
    "lemma_bound": "tres.bounds",
    "regret_bound_a": "tres.bounds",
    "regret_bound_b": "tres.bounds",
    "regret_bound_c": "tres.bounds",
    "HanAsync": "baselines.async_sarsa",
    "HanSettings": "baselines.async_sarsa",
    "Ache": "baselines.ache",
    "AcheSettings": "baselines.ache",
    "SeedFinder": "baselines.seedfinder",
    "SeedFinderSettings": "baselines.seedfinder",
    "Queue": "baselines.priority_queue",
    "SearchEngine": "baselines.search_engine",
    "search_engine": "baselines.search_engine",
    "export": "exports",
    "relevant_pages": "exports",
    "Request": "own_topic",
    "read_request": "own_topic",
    "learn_topic": "own_topic",
    "own_corpus": "own_topic",
    "own_classifier": "own_topic",
    "first_look": "own_topic",
    "folder_name": "own_topic",
}

__all__ = [
    "FEATURES",
    "POLICIES",
    "Context",
    "CrawlResult",
    "DomainCap",
    "Path",
    "Policy",
    "Transition",
    "crawl",
    "domain_features",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
