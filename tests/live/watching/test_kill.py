"""Kills at random moments: the log is that of the run that nobody disturbed."""

from __future__ import annotations

import sys

import pytest
from watching_web import run_daily, write_log, write_whole

from tres_book.chapters import c15_endurance as endurance

pytestmark = [
    pytest.mark.slow,
    pytest.mark.network,
    pytest.mark.skipif(sys.platform == "win32", reason="its processes do not fork"),
]


def test_kills_leave_the_log_as_it_would_have_been(tmp_path):
    assert endurance.kills_survived(run_daily, tmp_path, 5, 15) == 5


def test_a_log_that_is_not_the_same_is_noticed(tmp_path):
    assert endurance.kills_survived(write_log, tmp_path, 1, 0) == 0


def test_more_kills_than_fetches_are_refused(tmp_path):
    with pytest.raises(ValueError, match="kills=20: the watch has 40 looks"):
        endurance.kills_survived(write_log, tmp_path, 20, 0)


def test_a_watch_that_ends_by_itself_was_not_killed(tmp_path):
    with pytest.raises(RuntimeError, match="ended by itself, code 0, and not killed"):
        endurance.kills_survived(write_whole, tmp_path, 1, 0)
