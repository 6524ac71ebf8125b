"""TRES with one thing changed: the ablations of Table 4, and ours (chapter 06)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..policy import Context, Policy


@dataclass(frozen=True)
class Variant:
    """What a crawl is told.

    policy : a policy's name, or what builds one.
    domain_features : whether x has features 6 and 7.
    reward : "kwbilstm" or "svm", the classifier whose judgement is the reward.
    """

    policy: str | Callable[[Context], Policy]
    domain_features: bool = True
    reward: str = "kwbilstm"


VARIANTS = (
    "tres-svm",
    "tres-nh",
    "tres-gamma-0",
    "tres-gamma-0.6",
    "tres-gamma-0.99",
    "tres-outlinks",
    "tres-best-of-3",
    "tres-no-tree",
)


def variant(name: str) -> Variant:
    """The variant of TRES of that name; any other name is that of a policy.

    "tres-svm" is rewarded by the SVM, while anchors are still scored by the KwBiLSTM;
    "tres-nh" lacks the domain features; "tres-gamma-0.6" has another discount (0.3 is
    TRES's); "tres-outlinks" has targets over the outlinks alone; "tres-best-of-3" draws three
    representatives a leaf; "tres-no-tree" scores a uniform sample of the frontier.
    """
    from .ddqn import DDQNSettings
    from .learner import TresSettings
    from .policies import TRES, NoTree

    if name.startswith("tres-gamma-"):
        gamma = float(name.removeprefix("tres-gamma-"))
        return Variant(partial(TRES, settings=TresSettings(agent=DDQNSettings(gamma=gamma))))
    changed = {
        "tres-svm": Variant("tres", reward="svm"),
        "tres-nh": Variant("tres", domain_features=False),
        "tres-outlinks": Variant(partial(TRES, settings=TresSettings(target="outlinks"))),
        "tres-best-of-3": Variant(partial(TRES, settings=TresSettings(per_leaf=3))),
        "tres-no-tree": Variant(NoTree),
    }
    return changed.get(name, Variant(name))
