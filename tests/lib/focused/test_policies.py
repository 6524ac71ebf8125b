"""Policies: what each chooses, and that all of them forget what was dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
from fakes import context, crawl, orchard, page, seed_of, steps, web_of

from tres_lib.focused import TRES, Transition, TresSettings
from tres_lib.focused.baselines.simple import ANCHOR_PROBABILITY
from tres_lib.focused.policy import make_policy


def nobody(ids):
    return np.zeros(len(ids), bool)


def actions(p: list[float]) -> np.ndarray:
    x = np.zeros((len(p), 8), np.float32)
    x[:, ANCHOR_PROBABILITY] = p
    return x


def order(name: str, x: np.ndarray, truth=nobody) -> list[int]:
    policy = make_policy(name, context(x, truth=truth))
    policy.add(np.arange(len(x)), x)
    return steps(policy, range(1, len(x) + 1))


def test_orders():
    x = actions([0.2, 0.9, 0.0, 0.9, 1.0])
    assert order("bfs", x) == [0, 1, 2, 3, 4]
    assert order("best-first", x) == [4, 1, 3, 0, 2]
    assert order("oracle", x, lambda ids: ids % 3 == 2) == [2, 0, 1, 3, 4]


def test_random_is_uniform():
    policy = make_policy("random", context(actions([0] * 4)))
    policy.add(np.arange(4), actions([0] * 4))
    policy.drop([1])
    counts = np.bincount([policy.choose(1) for _ in range(3_000)], minlength=4)
    assert counts[1] == 0 and (abs(counts[[0, 2, 3]] - 1_000) < 130).all()


@pytest.mark.parametrize(("budget", "steps"), [(20_000, 300), (1_000, 100), (5, 0)])
def test_exploration_scales_with_the_budget(budget, steps):
    assert TresSettings().exploration(budget) == steps


def test_the_oracle_needs_the_truth():
    url = "http://a.example/"
    with pytest.raises(ValueError, match="oracle.*truth"):
        crawl(web_of(page(url)), [url], "oracle")


@dataclass
class LastFound:
    """A user's own policy in the fewest lines."""

    ids: list[int] = field(default_factory=list)
    learnt: list[Transition] = field(default_factory=list)

    def add(self, ids, x):
        self.ids.extend(ids)

    def choose(self, step):
        return self.ids[-1]

    def learn(self, transition):
        self.learnt.append(transition)

    def drop(self, ids):
        self.ids = [i for i in self.ids if i not in ids]


@pytest.mark.parametrize(
    "policy", [LastFound(), lambda context: LastFound(), partial(TRES, settings=TresSettings(2))]
)
@pytest.mark.slow
def test_a_policy_of_ones_own(policy):
    web = orchard()
    result = crawl(web, seed_of(web), policy, 30)
    assert len(result.log) == 31
    if isinstance(result.policy, LastFound):
        assert len(result.policy.learnt) == 31 and len(result.policy.ids) == len(result.frontier)


class Newest:
    """It asks the frontier, so `choose` is all that it needs; nothing can be set on it."""

    __slots__ = ("context",)

    def __init__(self, context):
        self.context = context

    def choose(self, step):
        return self.context.frontier.live()[-1]


def test_choose_is_all_that_must_be_written():
    web = orchard()
    results = [crawl(web, seed_of(web), kind, 30) for kind in (Newest, LastFound())]
    logs = [result.log.drop(columns="seconds") for result in results]
    assert len(logs[0]) == 31 and logs[0].equals(logs[1])
    assert logs[0].q.isna().all() and (logs[0][["leaves", "evaluations"]] == 0).all(axis=None)
    for result in results:
        with pytest.raises(ValueError, match="gives no reasons"):
            result.explain(result.log["url"].iloc[-1])


@pytest.mark.slow
def test_a_policy_that_chooses_what_is_not_there():
    web = orchard()

    class Stuck(LastFound):
        def choose(self, step):
            return 0  # the seed

    with pytest.raises(ValueError, match="chose 0 at step 1"):
        crawl(web, seed_of(web), Stuck(), 9)
