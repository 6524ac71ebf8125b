"""Where to crawl next: TRES, its parts, and the policies it is compared with."""

from __future__ import annotations

from ..lazy import on_use

# At once, not on use: the submodule of the same name would otherwise take the function's place.
from .arguments import DomainCap
from .crawl import crawl
from .features import FEATURES, Path, domain_features
from .learner import TresSettings
from .policies import POLICIES, Context, Policy, Transition
from .queue import Queue
from .result import CrawlResult
from .search_engine import SearchEngine, search_engine
from .splits import best_split, variance_reduction
from .tree_frontier import TreeFrontier
from .tres import TRES, NoTree, TreeRandom

_ON_USE = {  # these load torch, or what only notebooks need
    "DDQN": "agent",
    "DDQNSettings": "agent",
    "Sync": "treeless",
    "TresAsync": "treeless",
    "HanAsync": "han",
    "HanSettings": "han",
    "Ache": "ache",
    "AcheSettings": "ache",
    "SeedFinder": "seedfinder",
    "SeedFinderSettings": "seedfinder",
    "trial": "trials",
    "seconds_a_step": "timing",
    "timed_trial": "timing",
    "table_3": "plan",
    "table_4": "plan",
    "wikispeedia": "plan",
    "cost": "plan",
    "over_time": "comparison",
    "at_the_end": "comparison",
    "errors_by_kind": "comparison",
    "cold_starts": "comparison",
    "table_form": "comparison",
    "paper_table": "paper",
    "beside_paper": "paper",
    "best_others": "ranking",
    "dominated": "ranking",
    "limit_steps": "ranking",
    "orders": "ranking",
    "agreement": "ranking",
    "sync_cost_bounds": "bounds",
    "tree_cost_bound": "bounds",
    "lemma_bound": "bounds",
    "regret_bound_a": "bounds",
    "regret_bound_b": "bounds",
    "regret_bound_c": "bounds",
    "trial_probe": "probe",
    "frontier_growth": "probe",
    "splits_on_the_path": "regret",
    "run_constants": "regret",
    "bounds_of_runs": "regret",
    "check_assumptions": "regret",
    "export": "exports",
    "relevant_pages": "exports",
    "Request": "your_topic",
    "read_request": "your_topic",
    "learn_topic": "your_topic",
    "own_corpus": "your_topic",
    "own_classifier": "your_topic",
    "first_look": "your_topic",
    "folder_name": "your_topic",
    "front": "pareto",
    "hypervolume": "pareto",
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
    "SearchEngine",
    "Transition",
    "TreeFrontier",
    "TreeRandom",
    "TresSettings",
    "best_split",
    "crawl",
    "domain_features",
    "search_engine",
    "variance_reduction",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
