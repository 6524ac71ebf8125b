"""The crawlers of the study by name: the library's, and those with one thing changed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tres_lib.focused.baselines.ache import Ache
from tres_lib.focused.baselines.seedfinder import SeedFinder, searching
from tres_lib.focused.policy import Context, Policy
from tres_lib.focused.tres.crawlers import TRES, TresSettings
from tres_lib.focused.tres.ddqn import DDQNSettings
from tres_lib.ours.prospector.prospector import Prospector, ProspectorSettings

from .as_coded import AsCoded, tree_random_as_coded
from .best_known import LookAhead
from .no_tree import NoTree
from .sb import SleepingBandit


@dataclass(frozen=True)
class Variant:
    """A crawler: a policy, by name or as what makes it of a `Context`, and what is unusual."""

    policy: str | Callable[..., Policy]
    reward: str = "kwbilstm"  # or "svm": the classifier that rewards pages
    # Whether a MAX that falls does so as in the authors' code; the policy is given the first.
    halves: bool = False
    sees_web: bool = False  # whether the policy is made of a `Context` and the web


def _seedfinder(context: Context, web: Any, scheduler: str = "turns") -> SeedFinder:
    return searching(web)(context, scheduler=scheduler)


def _tres(**settings: Any) -> Variant:
    return Variant(partial(TRES, settings=TresSettings(**settings)))


def _prospector(**settings: Any) -> Variant:
    return Variant(partial(Prospector, settings=ProspectorSettings(**settings)))


RIVALS = {  # that are no name for `crawl`, or whose search engine is that of the web
    "sb": Variant(SleepingBandit),
    "ache-global": Variant(partial(Ache, scheduler="global")),
    "seedfinder": Variant(_seedfinder, sees_web=True),
    "seedfinder-global": Variant(partial(_seedfinder, scheduler="global"), sees_web=True),
}
VARIANTS = {  # TRES with one thing changed: the ablations of Table 4, and ours (chapter 06)
    "tres-svm": Variant("tres", reward="svm"),  # anchors are still scored by the KwBiLSTM
    "tres-nh": _tres(domain_features=False),
    "tres-gamma-0": _tres(agent=DDQNSettings(gamma=0.0)),  # TRES's discount is 0.3
    "tres-gamma-0.6": _tres(agent=DDQNSettings(gamma=0.6)),
    "tres-gamma-0.99": _tres(agent=DDQNSettings(gamma=0.99)),
    "tres-outlinks": _tres(target="outlinks"),  # targets over the outlinks alone
    "tres-best-of-3": _tres(per_leaf=3),  # three representatives a leaf
    "tres-no-tree": Variant(NoTree),  # scores a uniform sample of the frontier
}
AUTHORS = {
    # TRES trained at each step on a batch of 128, as the authors do at MAX <= 5.
    "tres-each-step": _tres(train_every=1, agent=DDQNSettings(batch=128)),
    "tres-as-coded": Variant(AsCoded, halves=True),
    "tree-random-as-coded": Variant(tree_random_as_coded),
}
KNOWING = {"oracle-ahead": Variant(LookAhead, sees_web=True)}
WITHOUT = {  # Prospector without one of its parts (chapter 14)
    "prospector-no-fits": _prospector(learn=False),
    "prospector-no-soft-labels": _prospector(soft=False),
    "prospector-no-guard": _prospector(guard=False),
    "prospector-no-words": _prospector(words=False),
    "prospector-no-neighbours": _prospector(without=("beside",)),
    "prospector-no-parents": _prospector(
        without=("parents", "relevant parents", "number of parents", "relevant parents abroad")
    ),
    "prospector-no-sites": _prospector(
        without=("site", "pages of the site", "pointers", "anchors of the site")
    ),
    "prospector-no-anchors": _prospector(
        without=("best anchor", "mean anchor", "keyword in an anchor", "empty anchor")
    ),
}


def variant(name: str) -> Variant:
    """Return the variant of that name; any other name is that of a policy."""
    return (RIVALS | VARIANTS | AUTHORS | KNOWING | WITHOUT).get(name, Variant(name))


def policy_on(changed: Variant, web: Any, cap: Any = None) -> Any:
    """Return the policy for `crawl` on a web, where a variant asks for more than a `Context`."""
    policy: Any = changed.policy
    if changed.sees_web:
        return partial(policy, web=web)
    return partial(policy, cap=cap.at(1)) if changed.halves else policy
