"""Probed TRES against quantities computed the slow way; constants and bounds by hand."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, context, orchard, seed_of

from tres_book.chapters import c07_complexity, c08_bounds
from tres_book.chapters.c07_complexity import Probed, probes, trial_probe
from tres_book.chapters.c08_bounds import PATH
from tres_lib import focused
from tres_lib.focused import Transition, TresSettings
from tres_lib.focused.tres import bounds

WEB = orchard()
HOW = {"seeds": seed_of(WEB), "topic": TOPIC, "classifier": CountingClassifier(), "rng": 3}
HOW |= {"progress": False}


def run(policy) -> focused.CrawlResult:
    return focused.crawl(WEB, policy=policy, budget=100, **HOW)


@pytest.fixture(scope="module")
def crawled() -> focused.CrawlResult:
    return run(partial(Probed, every=10))


@pytest.mark.slow
def test_probing_changes_no_choice_and_a_trial_is_a_probed_crawl(crawled, monkeypatch):
    columns = ["step", "url", "reward", "q", "leaves", "frontier"]
    pd.testing.assert_frame_equal(crawled.log[columns], run("tres").log[columns])
    monkeypatch.setattr(c07_complexity, "open_web", lambda *setting: WEB)
    monkeypatch.setattr(c07_complexity, "begin", lambda *setting: HOW)
    table = trial_probe(TOPIC, web_seed=3, budget=100, every=10, sites=20_000, epochs=20)
    pd.testing.assert_frame_equal(table, probes(crawled.policy, crawled.log))


@pytest.mark.slow
def test_rows_agree_with_the_log(crawled):
    table = probes(crawled.policy, crawled.log)
    assert table["step"].tolist() == [*range(10, 101, 10)]
    log = crawled.log[crawled.log["step"] > 0].set_index("step").loc[table["step"]]
    for column in ("frontier", "inserted", "leaves", "nonempty_leaves"):
        assert table[column].tolist() == log[column].tolist()
    before = log["evaluations"] - log["nonempty_leaves"].where(log.index > 10, 1)
    assert table["evaluations"].tolist() == before.tolist()
    assert table["chosen_q"].tolist() == log["q"].tolist()
    assert table["explores"].tolist() == (table["step"] <= 10).tolist()
    # Eq. 5: the largest mean of a leaf is no less than the mean of the means, and no more than x*.
    assert (table["mean_q"] <= table["expected_q"] + 1e-9).all()
    assert (table["expected_q"] <= table["best_q"] + 1e-9).all()
    assert (table["best_q"] >= table["chosen_q"]).all() and (table["steps"] == 100).all()


def test_costs_of_crawls_by_hand():
    """Sizes 5, 9, 7 after a seed with 5 links: growths 5, 4, -2. Two seeds share their links."""
    log = pd.DataFrame(
        {"step": [0, 1, 2, 3], "frontier": [0, 5, 9, 7], "evaluations": [0, 1, 6, 15]}
    )
    logs = [log.assign(topic="food", policy=name, web_seed=4) for name in ("sync", "tres")]
    table = c07_complexity.costs(pd.concat(logs))
    assert table["policy"].tolist() == ["sync", "tres"] and set(table["web_seed"]) == {4}
    assert table[["e", "D", "T", "evaluations"]].values.tolist() == [[-2, 5, 3, 15]] * 2
    two = pd.DataFrame({"step": [0, 0, 1, 2, 3, 4], "frontier": [0, 30, 60, 58, 80, 95]})
    assert c07_complexity.frontier_growth(two) == (-2, 30)


def test_links_a_leaf_are_a_geometric_mean_of_the_ends():
    """Two webs end with 100 and 400 links a leaf: 200 times 2 to the power of Student's t."""
    ends = {"topic": "food", "web_seed": [0, 0, 1], "leaves": [1, 2, 2]}
    table = c07_complexity.links_a_leaf(pd.DataFrame(ends | {"frontier": [9, 200, 800]}))
    assert table[["topic", "n"]].values.tolist() == [["food", 2]]
    found = table[["mean", "low", "high"]].to_numpy()[0]
    assert found == pytest.approx([200, 200 / 2**12.7062, 200 * 2**12.7062], rel=1e-4)


def test_what_is_measured_twice_at_a_step_counts_once():
    """The first choice at step 10 was an error that is no step."""
    policy = Probed(context(np.zeros((1, 8), np.float32)))
    policy.rows = [{"step": 10, "frontier": 7}, {"step": 10, "frontier": 6}]
    log = pd.DataFrame({"step": [0, 9, 10, 10], "frontier": [0, 7, 7, 6], "inserted": 9})
    assert probes(policy, log)[["step", "frontier", "inserted"]].values.tolist() == [[10, 6, 9]]
    logs = log.assign(evaluations=1, topic="food", policy="tres", web_seed=0)
    assert c07_complexity.costs(logs)["T"].tolist() == [3]


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
    row = policy.measured()
    live = [i for i in range(60) if i not in (4, 40, 59)]
    leaf = policy.tree.leaves_of(np.array(live))
    q = x[live, 2].astype(float)
    values = {node: q[leaf == node].tolist() for node in leaf}
    best = max(max(v) for v in values.values())
    home = next(k for k, v in values.items() if best in v)
    assert policy.tree.n_nonempty > 4 and len(values[home]) > 1
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
    row, nodes = policy.measured(), policy.tree.nodes()
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
    row = policy.measured()
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


@pytest.fixture
def probed() -> pd.DataFrame:
    """Two runs of 8 steps, measured at 4 and 8; in the second L* is the root."""
    none = np.zeros(0)
    rows = [
        # topic, step, height, root and leaf variance, mean, expected, chosen, best, ratios
        ("a", 4, 2, 0.16, 0.04, 0.2, 0.5, 0.6, 1.0, [0.5, 0.9], [0.25, 1.0], [0.1, 0.2]),
        ("a", 8, 3, 0.10, 0.10, 0.3, 0.6, 0.7, 1.0, [0.5, 0.9, 1.2], [2, 1, 0.5], [0.1, 0.2, 0]),
        ("b", 4, 0, 0.2, 0.2, 0.1, 0.1, 0.1, 0.5, none, none, none),
        ("b", 8, 0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1, none, none, none),
    ]
    names = ["topic", "step", "height", "root_variance", "leaf_variance", "mean_q", "expected_q"]
    names += ["chosen_q", "best_q", "reward_ratio", "q_ratio", "correlation"]
    table = pd.DataFrame(rows, columns=names)
    table["leaf_size"], table["leaves"] = [5, 2, 9, 9], [3, 4, 1, 1]
    return table.assign(web_seed=0, steps=8, least_growth=-1.0, largest_growth=5.0)


def test_splits_on_the_path(probed):
    rows = c08_bounds.splits_on_the_path(probed)
    assert rows["topic"].unique().tolist() == ["a"]
    assert rows["split"].tolist() == [1, 2, 1, 2, 3]
    assert rows["reward_ratio"].tolist() == [0.5, 0.9, 0.5, 0.9, 1.2]
    assert rows["noise"].tolist() == pytest.approx([-0.25, 0.1, 1.5, 0.1, -0.7])


def test_decay(probed):
    # (0.04 / 0.16)^(1/2), 1^(1/3), the root itself, and no variance at all
    np.testing.assert_allclose(c08_bounds.decay(probed), [0.5, 1, 1, np.nan])


def test_constants(probed):
    table = c08_bounds.run_constants(probed).set_index("topic")
    a, b = table.loc["a"], table.loc["b"]
    assert (a["T"], a["D"], a["lambda"], a["h_max"]) == (8, 5, 1, 3)
    assert a["M_s"] == 2 and b["M_s"] == 8
    assert a["above log2"] == 1 and b["above log2"] == 0
    utilities = ["J", "J by Eq. 5", "J of the choices", "J*"]
    assert a[utilities].tolist() == pytest.approx([2, 4.4, 5.2, 8])
    assert b["J*"] == pytest.approx(2.4)


def test_bounds_of_runs(probed):
    table = c08_bounds.bounds_of_runs(probed, eps=0.1, gamma=0.5)
    assert len(table) == 12
    a = table[table["topic"] == "a"].set_index("bound")
    assert a["J - J*"].tolist() == pytest.approx([-6] * 6)
    assert a["by Eq. 5"].tolist() == pytest.approx([-3.6] * 6)
    assert a["limit"].tolist() == [1, 1, 1 / 8, 1 / 32, np.inf, np.inf]
    value = a["value"]
    assert value["range of Q"] == -16
    # per step: sqrt(4 * 0.04) and sqrt(1 * 0.1)
    assert value["spread of Q in L*"] == pytest.approx(-8 * (0.4 + 0.1**0.5) / 2)
    assert value["Theorem 3.b"] == bounds.regret_bound_b(8, 5, 0.1, 0.1)
    assert value["Theorem 3.c"] == bounds.regret_bound_c(8, 5, 0.1, 0.03)
    assert value["Theorem 3.a"] == bounds.regret_bound_a(8, 5, 0.1, 0.999, 2)
    heights = [2, 2, 2, 2, 2.25, 2.5, 2.75, 3]
    lemma = c08_bounds.lemma_bound(heights, 5, 0.1, 0.999)
    assert value["Lemma 1, heights as measured"] == pytest.approx(lemma)


def test_assumptions_that_fail(probed):
    table = c08_bounds.check_assumptions(probed, eps=0.1)
    assert table["holds"].tolist() == ["no"] * 9
    assert not any(c08_bounds.premises_met(table).values())
    assert table.loc["3.b: steps with height at least log2 t", "measured"] == "0%"
    # leaves 3 at step 4, one of which was there at first
    assert table.loc["3.a: steps that split a leaf", "measured"] == "at most 50%"
    # run a: 8 / 4 over 4 / 3; run b: 8 / 1 over 4 / 1
    assert table.loc["3.a: M_s at the end over M_s halfway", "measured"] == "2.00"


def test_assumptions_that_hold(probed):
    """Heights that keep up with t, and variances of Q that fall fast; 1 fails."""
    good = probed[probed["topic"] == "a"].assign(
        height=[5, 9], root_variance=1.0, leaf_variance=[1e-9, 1e-18], leaves=[5, 9]
    )
    paths = [[0.99] * h for h in good["height"]]
    good["reward_ratio"], good["correlation"] = paths, paths
    good["q_ratio"] = [[0.01] * h for h in good["height"]]
    table = c08_bounds.check_assumptions(good, eps=0.1)
    assert table.index[table["holds"] == "no"].tolist() == [
        "1: squared correlation of reward and split",
        "1 and 2 at once: mean ratio of V_R",
    ]
    table.loc["1: squared correlation of reward and split", "holds"] = "yes"
    assert all(c08_bounds.premises_met(table).values())
    table.loc["3.c: lambda", "holds"] = "no"
    met = c08_bounds.premises_met(table)
    assert [result for result in met if not met[result]] == ["Theorem 3.c"]
