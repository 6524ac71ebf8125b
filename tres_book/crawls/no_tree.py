"""TRES without its tree, a control of what the tree gives (chapter 06)."""

import numpy as np

from tres_lib.focused.policy import Context
from tres_lib.focused.tres.crawlers import TRES, TresSettings
from tres_lib.focused.tres.tree_frontier import LeafSamples


class NoTree(TRES):
    """TRES that scores a uniform sample of the frontier, as many as the tree would represent."""

    def __init__(self, context: Context, settings: TresSettings | None = None):
        super().__init__(context, settings)
        self._all = LeafSamples()  # the whole frontier as one leaf, to draw from

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        super().add(ids, x)
        self._all.add(ids, np.zeros(len(ids), np.int64))

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        for action in filter(self._all.__contains__, ids):
            self._all.remove(action)

    def rest(self, ids: list[int]) -> None:
        super().rest(ids)
        for action in ids:
            self._all.remove(action)

    def wake(self, ids: list[int]) -> None:
        super().wake(ids)
        self._all.add(np.array(ids), np.zeros(len(ids), np.int64))

    def candidates(self) -> np.ndarray:
        places = self._context.rng.choice(len(self._all), self.tree.n_nonempty, replace=False)
        return self._all.members(0)[places].astype(np.int64)
