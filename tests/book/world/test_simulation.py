"""Runs: the same world for all, what is counted, policies by name and as objects, learning."""

import numpy as np
import pandas as pd
import pytest

import tres_book.world.bound
from tres_book.chapters import c15_one_crawler as runs
from tres_book.world import rules
from tres_book.world.events import DONE, fetch, look, settle
from tres_book.world.levels import HAZARDS, LEVELS, expected_rate, find_pace, see_arrivals
from tres_book.world.simulation import field, realised_bound, simulate
from tres_book.world.world import World
from tres_lib import ours
from tres_live.watching import beliefs
from tres_live.watching.pages import new_page

SHORT = {"horizon": 60.0, "warm_up": 20.0}
pytestmark = pytest.mark.slow  # compiling takes a while


class Fifo:
    """Whatever was found or looked at longest ago; links before pages before hubs."""

    def __init__(self):
        self.since = {}

    def add(self, links):
        for link in links:
            arm = 2 if link.hub == link.id else 0
            self.since[link.id] = (0.0 if arm == 2 else self.now, arm, link.host)

    now = 0.0

    def choose(self, time, free):
        self.now = time
        able = ((k, v) for k, v in self.since.items() if free(v[2]))
        return min(able, key=lambda kv: (*kv[1][:2], kv[0]), default=(None,))[0]

    def learn(self, look):
        known = self.since.pop(look.id, None)
        if look.ended or (look.arm == "link" and not (look.relevant and look.gap >= 0)):
            return
        if look.arm == "link" and look.modified is None:
            return  # an item; its interest is had at once
        arm = 2 if look.arm == "hub" else 1
        self.since[look.id] = (look.time, arm, known[2])


@pytest.fixture(scope="module")
def world():
    return World.sample(0)


def test_runs_repeat_and_spend_the_bandwidth(world):
    runs = [simulate(world, name, **SHORT) for name in ("one-index", "one-index")]
    assert runs[0].served == runs[1].served
    for name in rules.POLICIES:
        run = simulate(world, name, **SHORT)
        assert 0 < run.served == pytest.approx(run.of_items + run.of_pages)
        idle = name == "nutch"  # nothing is due in the first month
        assert sum(run.fetches) == pytest.approx(100, abs=0.1 + 30 * idle)
    assert run.table.shape == (61, 5)  # each day's beginning, and the horizon


def test_an_object_gives_what_the_compiled_policy_gives(world):
    compiled = simulate(world, "fifo", horizon=12.0, warm_up=2.0)
    run = simulate(world, Fifo(), horizon=12.0, warm_up=2.0)
    assert run.fetches == compiled.fetches
    assert run.served == pytest.approx(compiled.served, rel=1e-9)


def test_an_object_must_return_what_can_be_fetched(world):
    class Wrong(Fifo):
        def choose(self, time, free):
            return 10**9

    with pytest.raises(ValueError, match="choose"):
        simulate(world, Wrong(), horizon=2.0, warm_up=0.0)


def test_index_is_near_the_bound_and_above_thirds():
    worlds = [World.sample(seed) for seed in (0, 1)]
    for world in worlds:
        solved = tres_book.world.bound.relaxation(world, 100.0)
        bound = realised_bound(world, 100.0, solved, 120.0, 40.0)
        known = simulate(world, "one-index-known", horizon=120.0, warm_up=40.0)
        thirds = simulate(world, "thirds", horizon=120.0, warm_up=40.0)
        assert 0.96 < known.served / bound < 1.005
        assert known.served > 1.05 * thirds.served


def test_tracked_price_comes_near_the_solved_one(world):
    run = simulate(world, "one-index-tracked", horizon=120.0, warm_up=40.0)
    assert run.price == pytest.approx(tres_book.world.bound.relaxation(world, 100.0).price, rel=0.2)


def test_a_delay_is_kept(world):
    """Forty hosts with a day of rest each: at most forty fetches a day."""
    free = simulate(world, "one-index-known", **SHORT)
    polite = simulate(world, "one-index-known", delay=0.1, **SHORT)
    assert polite.served < free.served
    slow = simulate(world, "one-index-known", delay=1.0, **SHORT)
    assert sum(slow.fetches) <= 40 + 1


def known_field(world):
    return field(world, rules.POLICIES["one-index-known"], 100.0, (0.0, 50.0))


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


def test_a_hub_that_bursts_is_found_out():
    """A rate of 2 a day that becomes 20: the belief follows within a day."""
    hazards, levels = len(HAZARDS), len(LEVELS)
    level = np.full((hazards, levels), 1 / hazards / levels)
    rates = np.full(levels, 0.5 / levels)
    pace = np.zeros(1 + 2 * hazards)
    for begin, rate in [*((day, 2) for day in range(40)), (40, 20)]:
        births = begin + (np.arange(rate) + 0.5) / rate
        see_arrivals(level, rates, births, 0, rate, begin, begin + 1.0)
        find_pace(level, rates, pace)
        if begin == 39:
            assert expected_rate(pace, 0.5) == pytest.approx(2, rel=0.25)
    assert expected_rate(pace, 0.1) > 12


def test_best_split_is_no_worse_than_where_it_began(world):
    rule, run = runs.best_split(world, 100.0, **SHORT)
    solved = tres_book.world.bound.relaxation(world, 100.0).split
    began = rules.split(*(np.array(solved) / sum(solved)))
    assert run.served >= simulate(world, began, **SHORT).served
    assert sum(rule.shares) == pytest.approx(1)


def test_a_trial_is_a_row():
    row = runs.trial(1, "one-index", horizon=30.0, warm_up=10.0, changes={"modified": True})
    assert row["served"] < row["bound"] * 1.05
    assert row["shares"] is None


def test_every_planned_run_has_its_row():
    length = {"horizon": 12.0, "warm_up": 4.0}
    settings = runs.plan([200], **length)
    kinds = ("steady", "bursts", "power law")
    assert len(settings) == sum(len(runs.GROUNDS[kind][2]) for kind in kinds)
    some = [s for s in settings if s["name"] in ("one index", "thirds", "taken for exponential")]
    rows = {(s["grounds"], s["name"]): runs.named_trial(**s) for s in some}
    assert len(rows) == 5
    assert all(row["served"] > 0 and row["bound"] > 0 for row in rows.values())
    assert rows["steady", "one index"]["served"] != rows["bursts", "one index"]["served"]
    with pytest.raises(ValueError, match="name='fifo'"):
        runs.named_trial(200, "steady", "fifo")


def test_a_world_ten_times_as_large_has_ten_times_the_hubs_and_bandwidth():
    settings = runs.plan([200], 9.0, 4.0, names=["one index", "best split"], grounds=["x 10"])
    assert [s["bandwidth"] for s in settings] == [1000.0, 1000.0]
    one, split = (runs.named_trial(**setting) for setting in settings)
    assert one["links"] + one["pages"] + one["hubs"] == pytest.approx(1000, rel=0.01)
    assert one["bound"] == split["bound"]
    assert 0.5 < split["served"] / one["served"] < 1.1


def test_the_sizes_are_run_in_the_same_number_of_worlds():
    settings = runs.studies()["one-crawler-sizes"].settings
    counts = pd.DataFrame(settings).groupby("grounds")["bandwidth"]
    assert dict(counts.unique().str[0]) == {"steady": 100.0, "x 10": 1e3, "x 100": 1e4}
    assert counts.size().nunique() == 1
