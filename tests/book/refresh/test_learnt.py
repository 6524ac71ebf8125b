"""Signals whose quality is learnt: from outcomes by hand, and on a drawn world."""

import numpy as np
import pytest

from tres_book import refresh as schedulers


def task_of(log, bandwidth=10.0):
    """Return what a scheduler of a log is given."""
    from tres_book.refresh.schedulers import Task

    return Task(log.request_rates, bandwidth, log.horizon, np.random.default_rng(0), log)


@pytest.mark.parametrize("quality", [(0.3, 0.6), (0.6, 0.3), (0.9, 0.9)])
def test_the_quality_of_signals_is_found(quality):
    made = []

    def maker(task):
        made.append(schedulers.LearntNcis(task))
        return made[0]

    schedulers.replay(maker, schedulers.draw_changes(100, 1, 365.0, *quality), 20.0)
    assert made[0].quality == pytest.approx(quality, abs=0.05)


def test_without_signals_it_is_the_policy_that_hears_none():
    log = schedulers.draw_changes(30, 0, 60.0)
    deaf, learnt = (schedulers.replay(s, log, 6.0) for s in ("greedy", schedulers.LearntNcis))
    assert learnt.fetched.tolist() == deaf.fetched.tolist()


def test_trust_is_the_share_of_signals_that_were_right():
    log = schedulers.draw_changes(2, 0, 60.0, 0.5, 0.5)
    watch = schedulers.Trusting(task_of(log))
    assert np.exp(-watch._step) == pytest.approx(1 / 2)  # before any signal
    fresh = np.exp(-log.change_rates[0] * np.arange(1, 4))
    for page_was, changed in (("new", None), ("stale", True), ("fresh", False), ("stale", True)):
        watch.signalled(np.array([0, 0]))
        watch.observe(0, {"new": 0.0}.get(page_was, watch._last[0] + 1), changed)
    expected = 3 * fresh[0]
    assert np.exp(-watch._step) == pytest.approx(np.clip(2 / (2 + expected), 0.02, 0.99))
    assert watch._counts.tolist() == [0, 0]
