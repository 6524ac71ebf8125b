"""The crawlers of the study by name: the library's, and those with one thing changed."""

from functools import partial
from typing import Any

from tres_lib.focused.baselines.ache import Ache
from tres_lib.focused.baselines.seedfinder import SeedFinder, searching
from tres_lib.focused.policy import Context
from tres_lib.focused.tres.crawlers import TRES, TreeRandom, TresSettings
from tres_lib.focused.tres.ddqn import DDQNSettings
from tres_lib.ours.prospector.prospector import Prospector, ProspectorSettings

from .as_coded import COARSE, AsCoded
from .best_known import LookAhead
from .no_tree import NoTree
from .sb import SleepingBandit


def _seedfinder(context: Context, web: Any, scheduler: str = "turns") -> SeedFinder:
    return searching(web)(context, scheduler=scheduler)


def _tres(**settings: Any) -> Any:
    return partial(TRES, settings=TresSettings(**settings))


def _prospector(**settings: Any) -> Any:
    return partial(Prospector, settings=ProspectorSettings(**settings))


RIVALS = {  # that are no name for `crawl`, or whose search engine is that of the web
    "sb": SleepingBandit,
    "ache-global": partial(Ache, scheduler="global"),
    "seedfinder": _seedfinder,
    "seedfinder-global": partial(_seedfinder, scheduler="global"),
}
REWARDED_BY_SVM = "tres-svm"  # its anchors are still scored by the KwBiLSTM
VARIANTS = {  # TRES with one thing changed: the ablations of Table 4, and ours (chapter 06)
    REWARDED_BY_SVM: TRES,
    "tres-nh": _tres(domain_features=False),
    "tres-gamma-0": _tres(agent=DDQNSettings(gamma=0.0)),  # TRES's discount is 0.3
    "tres-gamma-0.6": _tres(agent=DDQNSettings(gamma=0.6)),
    "tres-gamma-0.99": _tres(agent=DDQNSettings(gamma=0.99)),
    "tres-outlinks": _tres(target="outlinks"),  # targets over the outlinks alone
    "tres-best-of-3": _tres(per_leaf=3),  # three representatives a leaf
    "tres-no-tree": NoTree,  # scores a uniform sample of the frontier
}
AS_CODED = "tres-as-coded"  # by the authors' settings, of which some go with the first MAX
AUTHORS = {
    # TRES trained at each step on a batch of 128, as the authors do at MAX <= 5.
    "tres-each-step": _tres(train_every=1, agent=DDQNSettings(batch=128)),
    AS_CODED: AsCoded,
    "tree-random-as-coded": partial(TreeRandom, settings=COARSE),
}
KNOWING = {"oracle-ahead": LookAhead}
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
MADE: dict[str, Any] = RIVALS | VARIANTS | AUTHORS | KNOWING | WITHOUT


def policy_of(name: Any, web: Any = None, cap: float = float("inf")) -> Any:
    """Return the policy of that name for `crawl` on a web, where MAX is `cap` at first.

    Any other name is one of the library's, or a policy itself.
    """
    if name in ("seedfinder", "seedfinder-global", "oracle-ahead"):
        return partial(MADE[name], web=web)
    return partial(AsCoded, cap=cap) if name == AS_CODED else MADE.get(name, name)
