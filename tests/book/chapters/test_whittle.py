"""Chapter 10: its trials, the gap to the bound, the checks of the lemmas, a picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from tres_book import dynamic_programming as dynamic, orbits
from tres_book.chapters import c10_whittle as whittle
from tres_lib import ephemeral

PAPER = whittle.table_1()


@pytest.mark.parametrize("policy", ["whittle", "lagrangian"])
@pytest.mark.parametrize("seed", range(2))
def test_the_index_policies_are_close_to_the_bound(policy, seed):
    sources = whittle.random_sources(40, seed)
    policy = whittle.policy_of(policy, sources, 10)
    run = ephemeral.simulate(sources, 10, 600, policy, keep_states=True)
    assert -1e-12 < whittle.gap(sources, 10, run) < 0.02


@pytest.mark.parametrize("epochs", [71, 78])
def test_the_gap_is_what_a_cycle_misses(epochs):
    run = ephemeral.simulate(PAPER, 2, 700, keep_states=True)
    missed = 1 - orbits.cycle(run)[0] / ephemeral.lagrangian_bound(PAPER, 2)
    late = ephemeral.Run(run.crawled[-epochs:], run.reward[-epochs:], run.states[-epochs:])
    assert whittle.gap(PAPER, 2, late) == pytest.approx(missed, rel=1e-9)


@pytest.mark.slow
@given(st.integers(0, 1_000), st.integers(2, 40))
@settings(max_examples=25, deadline=None)
def test_a_gap_is_never_negative_however_short_the_run(seed, epochs):
    """Epochs that are no whole number of cycles, which would put a plain mean above the bound."""
    rng = np.random.default_rng(seed)
    how = {"x0": rng.random(4) * PAPER.limit, "keep_states": True}
    run = ephemeral.simulate(PAPER, 2, epochs, lambda x, age: rng.random(4), **how)
    assert whittle.gap(PAPER, 2, run) > -1e-12


@pytest.mark.slow
def test_trials_repeat_and_tell_apart():
    kinds = ("in step", "out of step", "random")
    gaps = {kind: whittle.many_sources(400, kind, 1, 100)["gap"] for kind in kinds}
    assert gaps["in step"] > 2 * gaps["out of step"] > 0
    assert gaps["random"] == whittle.many_sources(400, "random", 1, 100)["gap"]
    rewards = whittle.noisy_rewards(3.0, 1, 300, 2).mean()
    assert rewards["formula"] > rewards["unseen"] * 1.02
    assert rewards["true index"] > rewards["formula"] * 0.99


def test_what_the_formula_costs_and_what_seeing_is_worth_by_hand():
    row = {"arrival_rate": 1, "crawls": 2, "true index": 50.0, "formula": 49.0, "unseen": 40.0}
    found = whittle.compared(pd.DataFrame([row])).iloc[0]
    assert found["crawls"] == "two crawls"
    assert found[whittle.LOST] == pytest.approx(2) and found[whittle.SEEN] == pytest.approx(22.5)


@pytest.mark.parametrize("seed", [1, 5])
def test_lemmas_hold_on_deterministic_sources(seed):
    found = whittle.check_source(seed)
    assert all(found[f"lemma {k}"] < 1e-10 for k in range(1, 6)) and found["theorem 1"] < 1e-10


@pytest.mark.slow
def test_lemmas_hold_with_random_arrivals():
    found = whittle.check_noisy_source(30.0, 0.7)
    assert all(value < 1e-9 for value in found.values())


def test_checks_can_fail():
    """Waiting helps in one state only, in the middle: passive there, active below."""
    states, passive = np.linspace(0, 1, 8), np.eye(8)
    passive[3] = passive[7]
    odd = dynamic.Chain(states, passive, np.eye(8)[5])
    found = whittle.check_chain(odd)
    assert found["lemma 2"] > 1e-3 and found["lemma 5"] > 0.01


def test_a_noisy_chain_keeps_the_mean_and_the_spread():
    model = whittle.noisy_chain(30.0, 0.7)
    one = ephemeral.source(1.0, 0.7, 30.0)
    assert model.reset @ model.states == pytest.approx(float(one.u))
    variance = model.reset @ model.states**2 - float(one.u) ** 2
    assert variance == pytest.approx(30 * (1 - one.alpha**2) / 1.4, rel=0.05)
    np.testing.assert_allclose(model.passive.sum(axis=1), 1)
    np.testing.assert_allclose(model.passive @ model.states, one.alpha * model.states + one.u)
