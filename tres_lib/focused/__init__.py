"""Where to crawl next: TRES, its parts, and the policies it is compared with."""

from __future__ import annotations

from ..lazy import on_use

# At once, not on use: the submodule of the same name would otherwise take the function's place.
from .arguments import DomainCap
from .baselines.priority_queue import Queue
from .baselines.search_engine import SearchEngine, search_engine
from .crawl import crawl
from .features import FEATURES, Path, domain_features
from .policy import POLICIES, Context, Policy, Transition
from .result import CrawlResult
from .tres.learner import TresSettings
from .tres.policies import TRES, NoTree, Sync, TreeRandom, TresAsync
from .tres.splits import best_split, variance_reduction
from .tres.tree_frontier import TreeFrontier

_ON_USE = {  # these load torch, or what only notebooks need
    "DDQN": "tres.ddqn",
    "DDQNSettings": "tres.ddqn",
    "HanAsync": "baselines.async_sarsa",
    "HanSettings": "baselines.async_sarsa",
    "Ache": "baselines.ache",
    "AcheSettings": "baselines.ache",
    "SeedFinder": "baselines.seedfinder",
    "SeedFinderSettings": "baselines.seedfinder",
    "sync_cost_bounds": "tres.bounds",
    "tree_cost_bound": "tres.bounds",
    "lemma_bound": "tres.bounds",
    "regret_bound_a": "tres.bounds",
    "regret_bound_b": "tres.bounds",
    "regret_bound_c": "tres.bounds",
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
    "TRES",
    "Context",
    "CrawlResult",
    "DomainCap",
    "NoTree",
    "Path",
    "Policy",
    "Queue",
    "SearchEngine",
    "Sync",
    "Transition",
    "TreeFrontier",
    "TreeRandom",
    "TresAsync",
    "TresSettings",
    "best_split",
    "crawl",
    "domain_features",
    "search_engine",
    "variance_reduction",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
