"""Probed TRES: each quantity against one computed the slow way; it changes no crawl."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_lib import focused
from tres_lib.experiments import tres as trials
from tres_lib.experiments.tres_probe import PATH, Probed, frontier_growth, probes, trial_probe
from tres_lib.focused import Context, Transition, TresSettings


def run(policy, budget: int = 150) -> focused.CrawlResult:
    web = orchard()
    return focused.crawl(
        web,
        seed_of(web),
        TOPIC,
        policy=policy,
        budget=budget,
        classifier=CountingClassifier(),
        rng=3,
        progress=False,
    )


@pytest.fixture(scope="module")
def crawled() -> focused.CrawlResult:
    return run(partial(Probed, every=10))


def test_probing_changes_no_choice(crawled):
    columns = ["step", "url", "reward", "q", "leaves", "frontier"]
    pd.testing.assert_frame_equal(crawled.log[columns], run("tres").log[columns])


def test_rows_agree_with_the_log(crawled):
    table = probes(crawled.policy, crawled.log)
    assert table["step"].tolist() == [*range(10, 151, 10)]
    log = crawled.log[crawled.log["step"] > 0].set_index("step").loc[table["step"]]
    for column in ("frontier", "leaves", "nonempty_leaves"):
        assert table[column].tolist() == log[column].tolist()
    before = log["evaluations"] - log["nonempty_leaves"].where(log.index > 15, 1)
    assert table["evaluations"].tolist() == before.tolist()
    assert table["chosen_q"].tolist() == log["q"].tolist()
    assert table["explores"].tolist() == (table["step"] <= 15).tolist()
    assert (table["steps"] == 150).all()
    assert (table["best_q"] >= table["chosen_q"]).all()


def test_a_trial_is_a_probed_crawl(crawled, monkeypatch):
    web = orchard()
    web.seeds = lambda topic, n, rng: seed_of(web, n)
    monkeypatch.setattr(trials, "open_web", lambda *setting: web)
    monkeypatch.setattr(trials, "judge_of", lambda *setting: (CountingClassifier(), TOPIC.keywords))
    table = trial_probe(TOPIC, web_seed=3, budget=150, every=10)
    pd.testing.assert_frame_equal(table, probes(crawled.policy, crawled.log))


def context(x: np.ndarray) -> Context:
    return Context(np.random.default_rng(0), 8, 100, features=lambda ids: x[ids])


@pytest.fixture
def grown() -> tuple[Probed, np.ndarray]:
    """A policy whose tree has split, with 60 actions, of which some are gone; Q is feature 2."""
    rng = np.random.default_rng(5)
    x = rng.random((60, 8), np.float32)
    policy = Probed(context(x), TresSettings(min_split=2))
    policy.agent.q = lambda x: x[:, 2].astype(float)
    policy.add(np.arange(60), x)
    for i in range(40):
        reward = float(x[i, 2] + 0.4 * rng.random() > 0.6)
        policy.learn(Transition(60 + i, x[i], reward, x[:0]))
    policy.drop([4, 40, 59])
    return policy, x


def below(nodes: pd.DataFrame, node: int) -> set[int]:
    """Leaves below a node."""
    if nodes.leaf[node]:
        return {node}
    return below(nodes, nodes.left[node]) | below(nodes, nodes.right[node])


def test_utilities_by_brute_force(grown):
    policy, x = grown
    row = policy._measure()
    live = [i for i in range(60) if i not in (4, 40, 59)]
    leaf = policy.tree.leaves_of(np.array(live))
    q = x[live, 2].astype(float)
    values = {node: q[leaf == node].tolist() for node in leaf}
    best = max(max(v) for v in values.values())
    home = next(k for k, v in values.items() if best in v)
    assert policy.n_nonempty > 4 and len(values[home]) > 1
    assert row["frontier"] == 57
    assert row["best_q"] == pytest.approx(best) and row["leaf_size"] == len(values[home])
    assert row["least_q"] == min(min(v) for v in values.values())
    assert row["mean_q"] == pytest.approx(np.mean([np.mean(v) for v in values.values()]))
    values[home].remove(best)
    other = max(np.mean(v) for v in values.values() if v)
    assert row["other_q"] == pytest.approx(other)
    share = 1 / row["leaf_size"]
    assert row["expected_q"] == pytest.approx(share * best + (1 - share) * other)


def test_variances_by_brute_force(grown):
    policy, x = grown
    row, nodes = policy._measure(), policy.tree.nodes()
    live = np.array([i for i in range(60) if i not in (4, 40, 59)])
    leaf, q = policy.tree.leaves_of(live), x[live, 2].astype(float)
    at, path = leaf[q.argmax()], []
    while at >= 0:
        path.insert(0, at)
        at = nodes.parent[at]
    q_var = [q[np.isin(leaf, list(below(nodes, node)))].var() for node in path]
    r_var = [nodes.reward_variance[node] for node in path]
    assert row["height"] == len(path) - 1 >= 2
    assert row["root_variance"] == pytest.approx(q.var())
    assert row["leaf_variance"] == pytest.approx(q_var[-1])
    np.testing.assert_allclose(row["q_ratio"], np.divide(q_var[1:], q_var[:-1]))
    np.testing.assert_allclose(row["reward_ratio"], np.divide(r_var[1:], r_var[:-1]))
    assert all(len(row[name]) == row["height"] for name in PATH)


def test_correlation_of_reward_and_split_by_hand():
    """Rewards 0, 0, 1, 1/2, split two and two."""
    x = np.zeros((6, 8), np.float32)
    x[:, 0] = 0, 0.2, 0.5, 0.6, 0.1, 0.9
    policy = Probed(context(x), TresSettings(min_split=4))
    policy.agent.q = lambda x: x[:, 0].astype(float)
    policy.add(np.array([4, 5]), x[4:])
    for i, reward in enumerate((0, 0, 1, 0.5)):
        policy.learn(Transition(10 + i, x[i], reward, x[:0]))
    row = policy._measure()
    expected = np.corrcoef([0, 0, 1, 0.5], [0, 0, 1, 1])[0, 1] ** 2
    assert row["correlation"] == pytest.approx([expected])
    assert row["reward_ratio"] == pytest.approx([(1 / 16) / (11 / 64)])
    assert row["leaf_variance"] == 0 and row["leaf_size"] == 1


def test_a_frontier_of_one_action():
    x = np.full((1, 8), 0.5, np.float32)
    policy = Probed(context(x), every=1)
    policy.add(np.array([0]), x)
    policy.choose(1)
    row = policy.rows[0]
    assert row["height"] == 0 and len(row["q_ratio"]) == 0
    assert row["best_q"] == row["mean_q"] == row["expected_q"] == row["chosen_q"]


def test_eq_5_lies_between_the_definition_and_the_best(crawled):
    """The largest mean of a leaf is no less than the mean of the means, and no more than x*."""
    table = probes(crawled.policy, crawled.log)
    assert (table["mean_q"] <= table["expected_q"] + 1e-9).all()
    assert (table["expected_q"] <= table["best_q"] + 1e-9).all()


def test_growth_is_net_and_counts_the_seeds_links():
    log = pd.DataFrame({"step": [0, 0, 1, 2, 3, 4], "frontier": [0, 30, 60, 58, 80, 95]})
    assert frontier_growth(log) == (-2, 30)


def test_every_is_checked():
    with pytest.raises(ValueError, match="every=0"):
        Probed(context(np.zeros((1, 8), np.float32)), every=0)
    with pytest.raises(ValueError, match="every=60: must be at most budget=50"):
        trial_probe("sports", budget=50, every=60)
