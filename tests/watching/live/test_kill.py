"""Twenty kills at random moments: the log is that of the run that nobody disturbed."""

from __future__ import annotations

import multiprocessing
import random
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from watching_web import run_daily

from tres_lib.watching.live.store import Store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.network,
    pytest.mark.skipif(sys.platform == "win32", reason="its processes do not fork"),
]
KILLS = 20


def looks(path: Path) -> list[tuple]:
    """The log, exact to the last bit."""
    store = Store(path, read_only=True)
    try:
        return [tuple(row) for row in store.rows("SELECT * FROM look ORDER BY look")]
    finally:
        store.close()


def count(path: Path) -> int:
    """How many looks a store has, to which another process may write."""
    with suppress(ValueError, sqlite3.Error):  # it is being made
        return len(looks(path))
    return 0


def killed(path: Path, wanted: int, pause: float) -> int:
    """Go on in a process of its own, kill it soon after some look; return the looks."""
    process = multiprocessing.get_context("fork").Process(target=run_daily, args=[str(path)])
    process.start()
    while process.is_alive() and count(path) < wanted:
        time.sleep(0.001)
    time.sleep(pause)  # it takes about 2 ms a look
    process.kill()
    process.join()
    return count(path)


def test_twenty_kills_leave_the_log_as_it_would_have_been(tmp_path):
    run_daily(str(tmp_path / "whole.sqlite"))
    whole = looks(tmp_path / "whole.sqlite")
    path, rng, at = tmp_path / "killed.sqlite", random.Random(15), [0]
    while len(at) <= KILLS:
        wanted = at[-1] + rng.randrange(1, len(whole) // KILLS - 10)
        at.append(killed(path, wanted, 0.01 * rng.random()))
        assert at[-1] < len(whole), "it ended before it was killed"
    run_daily(str(path))
    assert looks(path) == whole
