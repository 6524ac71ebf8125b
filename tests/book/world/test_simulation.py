"""Runs: the same world for all, what is counted, learning, and the search for the best split."""

from dataclasses import replace

import numpy as np
import pytest

from tres_book.chapters import c15_one_crawler as runs
from tres_book.world import KNOWN, Rule, World, realised_bound, relaxation, simulate
from tres_book.world.events import DONE, fetch, look, settle
from tres_book.world.policy import expected_rate, see_hub
from tres_book.world.simulation import field
from tres_book.world.world import Parameters
from tres_lib import ours
from tres_live.watching import beliefs
from tres_live.watching.pages import new_page

SHORT = {"horizon": 36.0, "warm_up": 12.0}
pytestmark = pytest.mark.slow  # compiling takes a while


@pytest.fixture(scope="module")
def world():
    return World.sample(0)


@pytest.fixture(scope="module")
def small():
    """A world for 25 fetches a day."""
    return World.sample(0, Parameters(hubs=10, stock=20))


def test_runs_repeat_and_spend_the_bandwidth(small):
    for name, rule in runs.RUNS.items():
        run, again = (simulate(small, rule, 25.0, **SHORT) for _ in range(2))
        assert run.served == again.served, name
        assert 0 < run.served == pytest.approx(run.of_items + run.of_pages)
        assert sum(run.fetches) == pytest.approx(25, abs=0.1), name


def test_a_fixed_split_is_kept(world):
    run = simulate(world, replace(KNOWN, shares=(0.5, 0.3, 0.2)), **SHORT)
    assert run.fetches == pytest.approx((50, 30, 20), abs=0.1)


def test_index_is_near_the_bound_and_above_thirds():
    for world in map(World.sample, (0, 1)):
        bound = realised_bound(world, 100.0, 120.0, 40.0)
        known = simulate(world, KNOWN, horizon=120.0, warm_up=40.0)
        rule = replace(KNOWN, shares=(1 / 3, 1 / 3, 1 / 3))
        thirds = simulate(world, rule, horizon=120.0, warm_up=40.0)
        assert 0.96 < known.served / bound < 1.005
        assert known.served > 1.05 * thirds.served


def test_the_learnt_price_comes_near_the_solved_one(world):
    run = simulate(world, Rule(), horizon=60.0, warm_up=40.0)
    assert run.price == pytest.approx(relaxation(world, 100.0).price, rel=0.2)


def known_field(world):
    return field(world, KNOWN, 100.0, (0.0, 50.0), price=1.0)


def test_a_page_serves_until_it_changes(world):
    run = known_field(world)
    nodes, state, common = run.nodes, run.state, run.common
    change = float(state.change[0])
    settle(run, 0, 50.0)
    assert common.of_pages == pytest.approx(nodes.value[0] * min(change, state.end[0], 50.0))
    assert look(run, 0, change + 1e-6)
    assert not look(run, 0, change + 2e-6)
    item = int(np.flatnonzero(nodes.fades & nodes.relevant)[0])
    state.born[item] = 1.0
    fetch(run, item, 3.0)
    decay = world.decay[nodes.host[item]]
    assert common.of_items == pytest.approx(nodes.value[item] * np.exp(-2 * decay))
    assert state.status[item] == DONE


def test_changes_come_at_their_rate(world):
    run = known_field(world)
    run = run._replace(nodes=run.nodes.copy())
    run.nodes.rate[:1_600] = 0.7
    run.state.drawn[:1_600] = 1
    gaps = []
    for i in range(1_600):
        before = float(run.state.change[i])
        look(run, i, before)
        gaps.append(float(run.state.change[i]) - before)
    assert np.mean(gaps) == pytest.approx(1 / 0.7, rel=0.1)
    assert np.var(gaps) == pytest.approx(1 / 0.49, rel=0.25)


def test_belief_of_a_change_rate():
    """Ten looks a day apart, seven of them with a change: by hand on the grid."""
    likelihood = np.ones(24)
    for changed in [True] * 7 + [False] * 3:
        beliefs.see_bit(likelihood, 1.0, changed)
    by_hand = (1 - np.exp(-beliefs.RATES)) ** 7 * np.exp(-3 * beliefs.RATES)
    np.testing.assert_allclose(likelihood, by_hand / by_hand.max(), rtol=1e-9, atol=1e-12)
    index = beliefs.mean_index(2.0, likelihood / likelihood.sum(), 0.01)
    each = ours.refresh_index(2.0, 1.0, beliefs.RATES, 0.01)
    assert index == pytest.approx((likelihood / likelihood.sum()) @ each, rel=1e-5)


def test_a_plan_lies_between_ignorance_and_knowledge():
    """Where the rate is certain the plan is the known page's."""
    fresh, same = np.zeros((2, len(beliefs.AGES), 24))
    alive = np.zeros(len(beliefs.AGES))
    beliefs.outlook(0.0119, fresh, same, alive)
    sure = np.zeros(24)
    sure[11] = 1.0
    when, value = beliefs.plan(sure, 0.5, 1.0, 0.0119, fresh, same, alive)
    rate = beliefs.RATES[11]
    assert value == pytest.approx(ours.page_value(0.5, rate, 0.0119, 1.0), rel=0.01)
    assert when == pytest.approx(ours.crossing_age(1.0, 0.5, rate, 0.0119), rel=0.2)
    flat = np.full(24, 1 / 24)
    value = beliefs.plan(flat, 0.5, 1.0, 0.0119, fresh, same, alive)[1]
    known = ours.page_value(0.5, beliefs.RATES, 0.0119, 1.0).mean()
    dull = ((0.5 * fresh @ flat - alive) / (1 - alive)).max()  # looks at even intervals
    assert dull < value < known  # what a bit teaches is worth something, but not all
    page = new_page(1, 0, 0.0)
    beliefs.settle(page[0], flat, 0.3, 1.3, 0.0119, fresh, same, alive)
    assert page["factor"][0] >= 1


def test_a_hub_that_bursts_is_found_out(world):
    """A rate of 2 a day that becomes 20: the belief follows within a day."""
    run = field(world, Rule(), 100.0, (0.0, 50.0), price=1.0)
    for begin, rate in [*((day, 2) for day in range(40)), (40, 20)]:
        run.state.born[:rate] = begin + (np.arange(rate) + 0.5) / rate
        see_hub(run, 0, 0, rate, begin, begin + 1.0)
        if begin == 39:
            assert expected_rate(run.hubs.pace[0], 0.5) == pytest.approx(2, rel=0.25)
    assert expected_rate(run.hubs.pace[0], 0.1) > 12


def test_best_split_is_no_worse_than_where_it_began(small):
    rule, run = runs.best_split(small, 25.0, **SHORT)
    split = np.array(relaxation(small, 25.0).split)
    began = replace(KNOWN, shares=tuple(split / sum(split)))
    assert run.served >= simulate(small, began, 25.0, **SHORT).served
    assert sum(rule.shares) == pytest.approx(1)


def test_a_trial_is_a_row_for_what_has_not_left():
    one = {"world": 200, "grounds": "steady", "bandwidth": 100.0, "horizon": 12.0, "warm_up": 4.0}
    rows = [runs.trial(**one, name=name) for name in ("one index", "best split")]
    assert rows[0]["bound"] == rows[1]["bound"] > 0 and rows[0]["shares"] is None
    assert 0.5 < rows[1]["served"] / rows[0]["served"] < 1.1
    for column, left in (("grounds", "bursts"), ("name", "FIFO")):
        with pytest.raises(ValueError, match=f"{column}="):
            runs.trial(**one | {"name": "one index", column: left})


def test_the_stored_runs_that_can_be_made_again_are_those_of_the_rules():
    study = runs.studies()["one-crawler"]
    again = [setting for setting in study.settings if study.repeats(setting)]
    assert len(study.settings) == 840 and len(again) == 30 * len(runs.RUNS)
