"""TRES by the settings of its authors' code, where they are not those of the paper.

Facts of that code (github.com/ddaedalus/tres), none of its lines.
"""

import numpy as np

from tres_lib.focused.features import FEATURES
from tres_lib.focused.policy import Context, Transition
from tres_lib.focused.settings import DomainCap
from tres_lib.focused.tres.crawlers import TRES, TresSettings
from tres_lib.focused.tres.ddqn import DDQNSettings

DEPTH = 18  # of the tree at most, the root's being 0
TENTHS = [FEATURES.index(name) for name in ("inverse distance", "path ratio", "domain ratio")]
KNOWN = FEATURES.index("domain known")
LEAST = 1e-5  # what is above 0 and below a tenth
#: The tree of the authors' Tree-Random, which never counts the pages of a domain.
COARSE = TresSettings(min_split=20, max_depth=DEPTH, min_child=0.2)


class Halved(DomainCap):
    """The authors' "5_2": in each third half of the last, 2 at least, so 5, 2 and 2."""

    def at(self, step: int) -> float:
        return super().at(1) if 3 * (step - 1) < self.budget else super().at(self.budget)


class AsCoded(TRES):
    """TRES with the authors' settings as one method.

    The tree's depth is 18 at most; A~ are the outlinks alone, and a page without any teaches
    nothing; the discount is .99. Exploring takes 300 steps, 500 at MAX 100, without training. A
    batch has 60 transitions, each once, at every third step; at MAX 5 it has 128, at each step.
    Each element of the gradient is cut at 1, and the layers have 30 and 15 units. Three features
    are cut to tenths; the flag of an unknown domain is 1, of a known one 0.

    Not taken over. Their ninth feature, a key phrase in the anchor: our lists of keywords have
    single words. The seed's domain, which they give the ratio 1 without a visit. Outlinks that
    were fetched before, which stay in their A~ and never were actions here. Their decay of the
    learning rate, of which the stored code does not say when it comes. Their longer list of what
    an error page says. The classifier, which is the study's own.
    """

    def __init__(self, context: Context, cap: float):
        super().__init__(context, settings_at(cap))

    def view(self, x: np.ndarray) -> np.ndarray:
        return coded(x)

    def learn_values(self, transition: Transition) -> None:
        if len(transition.next_x):
            super().learn_values(transition)


def settings_at(cap: float) -> TresSettings:
    """Return the authors' settings at a MAX, that of the first third if it falls."""
    often = cap == 5
    batch = 128 if often else 60
    agent = DDQNSettings(gamma=0.99, hidden=(30, 15), clip_each=True, batch=batch, replace=False)
    return TresSettings(
        max_depth=DEPTH,
        explore_at_most=500 if cap == 100 else 300,
        train_exploring=False,
        train_every=1 if often else 3,
        target="outlinks",
        agent=agent,
    )


def coded(x: np.ndarray) -> np.ndarray:
    """Return features (n, 8) as the authors code them."""
    x = np.array(x, np.float32)
    parts = x[:, TENTHS]
    tenths = np.floor(10 * parts + 1e-4) / 10  # 1e-4: .3 in 32 bits is a little more or less
    x[:, TENTHS] = np.where((tenths == 0) & (parts > 0), LEAST, tenths)
    x[:, KNOWN] = x[:, KNOWN] < 1
    return x
