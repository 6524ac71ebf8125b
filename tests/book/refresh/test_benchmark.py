"""The benchmark: replays by hand, schedulers' rules, and the bounds that none may pass."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tres_book
from tres_book import refresh as schedulers
from tres_book.refresh.schedulers import Paced, harmonic_rates
from tres_lib import refresh

BY_HAND = schedulers.ChangeLog(
    request_rates=np.array([1.0, 3.0]),
    change_rates=np.array([0.5, 0.25]),
    horizon=8.0,
    times=np.array([1.5, 3.5, 3.75, 6.5]),
    first=np.array([0, 3, 4]),
)
LOG = schedulers.draw_changes(60, 5, days=200, precision=0.8, recall=0.6)
BANDWIDTH = 15.0


class Turns:
    """Pages in turns; what was observed is kept."""

    def __init__(self, task):
        self.page, self.seen = 1, []

    def choose(self, now):
        self.page = 1 - self.page
        return self.page

    def observe(self, page, now, changed):
        self.seen.append((page, now, changed))


def test_a_replay_by_hand():
    """Page 0 is fetched on odd days, fresh in [1, 1.5], [3, 3.5], [5, 8]; page 1 on even days."""
    made = []

    def turns(task):
        made.append(Turns(task))
        return made[-1]

    done = schedulers.replay(turns, BY_HAND, 1.0)
    assert done.fresh * 8 == pytest.approx([0.5 + 0.5 + 2 + 1, 2 + 2 + 0.5 + 0])
    assert done.freshness == pytest.approx((4 + 3 * 4.5) / 4 / 8)
    assert [page for page, _, _ in made[0].seen] == [0, 1] * 4
    bits = [None, None, True, False, True, False, False, True]
    assert [changed for _, _, changed in made[0].seen] == bits


def test_slots_may_be_given_and_a_shorter_log_ends_sooner():
    slots = np.array([1.0, 3.0])
    done = schedulers.replay(Turns, replace(BY_HAND, horizon=4.0), slots)
    assert done.fresh * 4 == pytest.approx([0.5, 1]) and done.fetched.tolist() == [0, 1]


def task(log=BY_HAND, bandwidth=1.0):
    rng = np.random.default_rng(0)
    return schedulers.Task(log.request_rates, bandwidth, log.horizon, rng, log)


def test_intervals_halve_and_grow_and_pages_wait_until_they_are_due():
    rule = schedulers.HalveAndDouble(
        task(), first=4.0, grow=1.0, shrink=0.5, shortest=1.0, longest=10
    )
    assert rule.choose(0.5) == 0
    rule.observe(0, 0.5, None)
    rule.observe(1, 0.5, None)
    assert rule.choose(4.0) == schedulers.NO_PAGE and rule.choose(4.5) == 0
    rule.observe(0, 5.0, True)  # 4 -> 2.5
    rule.observe(1, 5.0, False)  # 4 -> 8
    assert rule.choose(7.4) == schedulers.NO_PAGE and rule.choose(7.5) == 0
    rule.observe(0, 12.9, False)  # 5
    assert rule.choose(13.0) == 1
    rule.observe(1, 13.0, False)  # 10, not 16
    assert rule.choose(17.9) == 0
    rule.observe(0, 50.0, True)
    assert rule.choose(23.0) == 1


def test_nutch_waits_as_long_as_a_page_has_been_the_same():
    rule = schedulers.HalveAndDouble(task(), 1.0, 0.5, 0.5, 0.1, 50.0, sync=0.25)
    rule.observe(0, 0.0, None)
    rule.observe(0, 8.0, False)  # the interval is 8, due 2 earlier
    rule.observe(1, 8.0, None)
    rule.observe(1, 100.0, None)
    assert rule.choose(13.9) == schedulers.NO_PAGE and rule.choose(14.0) == 0


def test_paced_rates_become_even_intervals():
    fixed = refresh.Fixed(np.array([3.0, 1.0]))
    done = schedulers.replay(lambda t: Paced(fixed, t), replace(BY_HAND, horizon=400.0), 1.0)
    for page, gap in ((0, 4 / 3), (1, 4)):
        gaps = np.diff(done.slots[done.fetched == page])
        assert gaps.mean() == pytest.approx(gap, rel=0.01) and np.ptp(gaps) <= 2


def test_paced_at_random_draws_in_proportion():
    fixed = refresh.Fixed(np.array([3.0, 1.0]))
    log = replace(BY_HAND, horizon=8_000.0)
    done = schedulers.replay(lambda t: Paced(fixed, t, at_random=True), log, 1.0)
    assert done.fetched.mean() == pytest.approx(0.25, abs=0.02)
    assert np.diff(done.slots[done.fetched == 1]).std() == pytest.approx(math.sqrt(12), rel=0.1)


@pytest.fixture(scope="module")
def scored():
    return schedulers.scores(list(schedulers.SCHEDULERS), LOG, BANDWIDTH).set_index("policy")


def test_no_scheduler_beats_the_bound_of_its_kind(scored):
    known = LOG.change_rates, LOG.request_rates
    heard, _ = schedulers.continuous_optimum(*known, BANDWIDTH, LOG.signals)
    deaf = refresh.freshness(refresh.optimal_rates(*known, BANDWIDTH, "uniform"), *known, "uniform")
    assert scored["freshness"].drop("ncis").max() < deaf + 0.02
    assert deaf < scored.loc["ncis", "freshness"] < heard + 0.02
    assert scored.loc["ncis", "freshness"] > 0.97 * heard
    assert scored.loc["greedy", "freshness"] == pytest.approx(deaf, abs=0.02)
    assert scored.loc["optimum", "share"] == 1 and scored["spent"].max() == 1


def test_learners_come_below_the_optimum_and_only_the_crawlers_rule_leaves_fetches(scored):
    assert scored["share"].iloc[5:].between(0.3, 1.01).all()
    assert set(scored.index[scored["spent"] < 0.999]) <= {"nutch", "stormcrawler"}


def test_a_price_keeps_the_rate_only_on_average():
    log = schedulers.draw_changes(50, 1, 200, precision=0.8, recall=0.6)
    _, price = schedulers.continuous_optimum(log.change_rates, log.request_rates, 10.0, log.signals)
    fine = np.arange(1, 200 * 200) / 200
    done = schedulers.replay(lambda given: schedulers.GreedyNcis(given, price=price), log, fine)
    assert (done.fetched >= 0).sum() == pytest.approx(10 * 200, rel=0.05)


def test_the_table_counts_histories():
    logs = [schedulers.draw_changes(30, seed, 60) for seed in range(6)]
    table = tres_book.compare_refresh(["uniform", Turns], logs, 6.0)
    assert table.index.tolist() == ["uniform", "Turns"] and (table["n"] == 6).all()
    assert (table["low"] <= table["share"]).all() and (table["share"] <= table["high"]).all()
    assert math.isnan(tres_book.compare_refresh(["uniform"], logs[0], 6.0)["low"].iloc[0])


def test_drawn_signals_are_as_good_as_said():
    log = schedulers.draw_changes(200, 2, 100, precision=0.8, recall=0.5)
    true = np.isin(log.signal_times, log.times)
    assert true.mean() == pytest.approx(0.8, abs=0.02)
    assert true.sum() / len(log.times) == pytest.approx(0.5, abs=0.02)
    assert (np.diff(log.signal_times) >= 0).all()


def test_harmonic_rates_meet_their_condition_and_give_no_page_up():
    change, request = refresh.sample_pages(30, 4)
    rates = harmonic_rates(change, request, 5.0)
    assert rates.sum() == pytest.approx(5) and (rates > 0).all()
    marginal = request * change / (rates * (rates + change))
    assert marginal == pytest.approx(np.full(30, marginal[0]))


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="policies='best'.*ncis"):
        tres_book.compare_refresh(["best"], BY_HAND, 1.0)
    with pytest.raises(ValueError, match="policies.*choose"):
        tres_book.compare_refresh([lambda task: 3], BY_HAND, 1.0)
    with pytest.raises(ValueError, match="bandwidth=-1"):
        tres_book.compare_refresh(["uniform"], BY_HAND, -1.0)
    with pytest.raises(ValueError, match="precision=3"):
        schedulers.draw_changes(3, 0, precision=3)


FILES = {
    "urlid_imp.txt": "5\t120\n7\t3\n9\t0.5\n",
    "urlid_offset_history.txt": "5\t5.5\t[[1.5, 0], [0.25, 1]]\n9\t0\t[[1.0, 1]]\n7\t2.25\t[]\n",
    "urlid_chrate_compl_obs_hist.txt": "9\t0.125\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_all_three_files_come_together_by_page(folder):
    log = schedulers.load_histories(folder)
    alone = refresh.estimate_change_rate([0, 1], [1.5, 0.25])
    assert log.request_rates.tolist() == [120, 0.5, 3] and log.horizon == 1.75
    assert log.change_rates == pytest.approx([alone, 0.125, refresh.BOUNDS[0]])
    first = schedulers.load_histories(folder, limit=2)
    assert first.request_rates.tolist() == [120, 0.5]
    assert tres_book.compare_refresh(["uniform"], log, 4.0)["share"].iloc[0] > 0


def test_visits_become_changes_that_they_would_have_seen(folder):
    rng = np.random.default_rng(3)
    visits = [np.c_[rng.uniform(0.5, 1.5, n), rng.random(n) < 0.3] for n in (60, 60, 20)]
    text = "".join(f"{page}\t0\t{v.tolist()}\n" for page, v in zip((5, 9, 7), visits, strict=True))
    (folder / "urlid_offset_history.txt").write_text(text)
    log = schedulers.load_histories(folder)
    for row, (gaps, changed) in enumerate(v.T for v in visits):
        times = log.times[log.first[row] : log.first[row + 1]]
        ends = np.concatenate([[0], gaps.cumsum()])
        assert ((np.histogram(times, ends)[0] > 0) == changed).all()
        assert (np.diff(times) > 0).all() and times.max() < log.horizon
    assert times.max() > 1.5 * gaps.sum()  # the shorter one began anew
