"""Where to crawl next: TRES, its parts, and the policies it is compared with."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# At once, not on use: the submodule of the same name would otherwise take the function's place.
from .arguments import DomainCap
from .crawl import crawl
from .features import FEATURES, Path, domain_features
from .learner import TresSettings
from .policies import POLICIES, Context, Policy, Transition
from .queue import Queue
from .result import CrawlResult
from .splits import best_split, variance_reduction
from .tree_frontier import TreeFrontier
from .tres import TRES, NoTree, TreeRandom

_ON_USE = {  # these load torch, or what only notebooks need
    "DDQN": "agent",
    "DDQNSettings": "agent",
    "Sync": "treeless",
    "TresAsync": "treeless",
    "trial": "trials",
    "against": "pairs",
    "over_time": "comparison",
    "at_the_end": "comparison",
    "errors_by_kind": "comparison",
    "cold_starts": "comparison",
    "site_map": "picture",
    "tree_in_words": "picture",
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
    "Transition",
    "TreeFrontier",
    "TreeRandom",
    "TresSettings",
    "best_split",
    "crawl",
    "domain_features",
    "variance_reduction",
    *_ON_USE,
]


def __getattr__(name: str) -> Any:
    if name not in _ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_ON_USE[name]}", __name__), name)
