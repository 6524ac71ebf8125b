"""Policies that do not learn, and the priority queue by which they and others choose."""

import heapq
from array import array

import numpy as np
import pandas as pd

from ..features import FEATURES
from ..frontier import grown
from ..policy import Blind, Context, Policy, Transition

ANCHOR_PROBABILITY = FEATURES.index("anchor probability")
Key = tuple[float, int]  # priority with its sign turned, and id: the first key is the best


class Queue:
    """Actions by priority, a float32: the highest first, among equals the one found first.

    Examples
    --------
    >>> queue = Queue()
    >>> queue.add(np.array([0, 1, 2]), np.array([0.5, 0.25, 0.75]))
    >>> queue.top()
    (2, 0.75)
    >>> queue.drop([2])
    >>> queue.top(), len(queue)
    ((0, 0.5), 2)
    """

    def __init__(self) -> None:
        self._heap: list[Key] = []  # what was dropped is skipped when it comes to the top
        self._ids = array("i")  # oldest first; those that were dropped go when `live` is asked
        self._dropped = np.zeros(0, bool)  # by id
        self._rests: set[int] = set()
        self._aside: dict[int, Key] = {}  # of resting actions that came to the top

    def __len__(self) -> int:
        """Return the number of actions that can be chosen, by a pass over them all."""
        return len(self.live())

    def __bool__(self) -> bool:
        while self._heap and self._passed(self._heap[0]):
            heapq.heappop(self._heap)
        return bool(self._heap)

    def live(self) -> np.ndarray:
        """Return the ids of all actions that can be chosen, (n,) int64, oldest first."""
        ids = self.members()
        return ids[~np.isin(ids, list(self._rests))] if self._rests else ids

    def members(self) -> np.ndarray:
        """Return the ids of all actions, those that rest too, (n,) int64, oldest first."""
        ids = np.array(self._ids, np.int64)
        ids = ids[~self._dropped[ids]]
        self._ids = array("i", ids.astype(np.int32).tobytes())
        return ids

    def _passed(self, key: Key) -> bool:
        """Return whether an action at the top cannot be chosen; lay it aside if it rests."""
        if self._dropped[key[1]]:
            return True
        if self._rests and key[1] in self._rests:
            self._aside[key[1]] = key
            return True
        return False

    def add(self, ids: np.ndarray, priorities: np.ndarray) -> None:
        """Insert new actions, (n,), with ids that rise from 0 on, beyond all inserted before."""
        self._dropped = grown(self._dropped, int(ids.max(initial=-1)) + 1)
        self._ids.extend(ids.tolist())
        self._push(keys_of(ids, priorities))

    def top(self) -> tuple[int, float]:
        """Return the first action and its priority; IndexError if there is none."""
        if not self:
            raise IndexError("the queue is empty")
        negative, action = self._top_key()
        return action, -negative

    def replace_top(self, priority: float) -> None:
        """Give the first action another priority; IndexError if there is none."""
        action, _ = self.top()
        heapq.heapreplace(self._heap, keys_of(np.array([action]), np.array([priority]))[0])

    def rescore(self, priorities: np.ndarray) -> None:
        """Give all actions new priorities, (n,), in the order of `members`."""
        self._aside.clear()
        self._heap = keys_of(self.members(), priorities)
        heapq.heapify(self._heap)

    def drop(self, ids: list[int]) -> None:
        """Take actions out, also such as were never in."""
        self._dropped = grown(self._dropped, max(ids, default=-1) + 1)
        self._dropped[ids] = True
        if self._rests:
            self._rests.difference_update(ids)
            for action in ids:
                self._aside.pop(action, None)

    def rest(self, ids: list[int]) -> None:
        """Let actions not come to the top; also such as were never in."""
        self._rests.update(ids)

    def wake(self, ids: list[int]) -> None:
        """End the rest of actions."""
        self._rests.difference_update(ids)
        woken = (self._aside.pop(action, None) for action in ids)
        self._push(sorted(key for key in woken if key and not self._dropped[key[1]]))

    def _push(self, keys: list[Key]) -> None:
        for key in keys:
            heapq.heappush(self._heap, key)

    def _top_key(self) -> Key:
        return self._heap[0]


class Queued(Policy):
    """Choose the action of the highest priority; subclasses rank actions as they add them."""

    def __init__(self, context: Context):
        self._context = context
        self.queue = Queue()
        self.q, self.evaluations = float("nan"), 0
        self._picked = -1

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if len(ids):
            self.evaluations += len(ids)
            self.queue.add(ids, self._priorities(ids, x))

    def choose(self, step: int) -> int | None:
        if not self.queue:
            return None
        self._picked, self.q = self.queue.top()
        return self._picked

    def take(self, action: int, step: int) -> None:
        if action != self._picked:  # another one's choice has no value here
            self.q = float("nan")

    def figures(self) -> dict[str, float]:
        return {"q": self.q, "evaluations": self.evaluations}

    def drop(self, ids: list[int]) -> None:
        self.queue.drop(ids)

    def rest(self, ids: list[int]) -> None:
        self.queue.rest(ids)

    def wake(self, ids: list[int]) -> None:
        self.queue.wake(ids)

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return the priorities (n,) of actions ids (n,) with features x (n, n_features)."""
        raise NotImplementedError


def keys_of(ids: np.ndarray, priorities: np.ndarray) -> list[Key]:
    """Return the keys of actions, (n,), with their priorities as float32."""
    return list(zip((-np.asarray(priorities, np.float32)).tolist(), ids.tolist(), strict=True))


class BreadthFirst(Queued, Blind):
    """The action found first."""

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.queue.add(ids, self._priorities(ids, x))

    def figures(self) -> dict[str, float]:
        return {}  # a priority that is no estimate is no q

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.zeros(len(ids))


class Oracle(BreadthFirst):
    """Truly relevant actions first, then breadth first: a bound of crawlers that do not plan."""

    def __init__(self, context: Context):
        if context.truth is None:
            raise ValueError("policy='oracle' needs a web that knows the truth about the seeds")
        super().__init__(context)
        self._truth = context.truth

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self._truth(ids)


class BestFirst(Queued):
    """The action whose anchor has the highest probability; our control."""

    def explain(self, row: pd.Series) -> pd.DataFrame:
        evidence = f"its anchor has a probability of {row['q']:.2f}"
        return pd.DataFrame({"feature": ["anchor"], "evidence": [evidence], "effect": [row["q"]]})

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return x[:, ANCHOR_PROBABILITY]


class Parent(Queued, Blind):
    """The action on the page of the highest probability, as in Craw4LLM (Yu et al. 2025)."""

    _probability = 1.0  # of a relevant page, as for what no page led to

    def learn(self, transition: Transition) -> None:
        self._probability = transition.p

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.full(len(ids), self._probability)


class Linear(Queued):
    """The action of the highest mean of features, a fixed linear rule over what TRES sees."""

    # Equal weights on features of which more is better were set beforehand and never tuned. A score
    # is brought up to date when it comes to the top, which suffices where it has fallen.
    def choose(self, step: int) -> int | None:
        while (action := super().choose(step)) is not None:
            score = self._context.frontier.features(np.array([action])).mean(axis=1)
            self.evaluations += 1
            if score[0] >= np.float32(self.q):
                break
            self.queue.replace_top(score[0])
        return action

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return x.mean(axis=1)


class Random(Blind):
    """Uniform over the frontier's actions."""

    def __init__(self, context: Context):
        from ..tres.tree_frontier import LeafSamples  # with numba, which the others do not need

        self._rng = context.rng
        self._bag = LeafSamples()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self._bag.add(ids, np.zeros(len(ids), np.int64))

    def choose(self, step: int) -> int:
        return int(self._bag.sample(self._rng)[0])

    def drop(self, ids: list[int]) -> None:
        for action in filter(self._bag.__contains__, ids):  # what rests is out already
            self._bag.remove(action)

    def rest(self, ids: list[int]) -> None:
        self.drop(ids)

    def wake(self, ids: list[int]) -> None:
        self._bag.add(np.array(ids), np.zeros(len(ids), np.int64))
