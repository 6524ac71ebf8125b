"""How the live watch endures: kills at random moments, and a million known pages."""

import multiprocessing
import os
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Thread

import numpy as np

from tres_lib.topics import as_classifier
from tres_live.watching.beliefs import BINS, RATES
from tres_live.watching.judging import Judge
from tres_live.watching.links import OpenLink
from tres_live.watching.pages import PAGE, Pages
from tres_live.watching.store import State, Store
from tres_live.watching.watch import Watch
from tres_webs import Web

PAUSE = 0.01  # seconds at most from a stored look to the kill; a look takes a few thousandths
POLL = 0.005  # seconds between two counts of the looks
YEAR = 365.0
PIECE = 10_000
HOSTS = 1_000
Run = Callable[[str], object]


def kills_survived(run: Run, folder: str | Path, kills: int, rng: np.random.Generator | int) -> int:
    """Kill a watch soon after random looks; count after how many kills its log is still the same.

    `run`, a function of a module such as `laboratory.run`, goes on with the watch in the store
    whose path it gets, to its end. The count is `kills` if the whole log equals that of a watch
    that nobody disturbed. ValueError if the watch is too short for so many kills, RuntimeError if a
    process ends before it is killed.
    """
    rng, folder = np.random.default_rng(rng), Path(folder)
    context = multiprocessing.get_context("forkserver")  # a fork of this one may have threads
    context.set_forkserver_preload([__name__, run.__module__])
    with ProcessPoolExecutor(1, context) as once:
        return once.submit(_kills_survived, run, folder, kills, rng).result()


def _kills_survived(run: Run, folder: Path, kills: int, rng: np.random.Generator) -> int:
    """Do it in a process whose forks have what the undisturbed run compiled."""
    whole, store = folder / "whole.sqlite", folder / "killed.sqlite"
    run(str(whole))
    log = logged(whole)
    if len(log) // kills < 12:
        raise ValueError(f"kills={kills}: the watch has {len(log)} looks; give it more days")
    at = 0
    for survived in range(kills):
        wanted = at + int(rng.integers(1, len(log) // kills - 10))
        job = (run, store, wanted, PAUSE * rng.random())
        process = multiprocessing.get_context("fork").Process(target=_run_until_killed, args=job)
        process.start()
        process.join()
        left = logged(store)
        at = len(left)
        if process.exitcode == 0 or at < wanted:
            raise RuntimeError(f"run: it ended by itself, code {process.exitcode}, and not killed")
        if left != log[:at]:
            return survived
    run(str(store))
    return kills - (logged(store) != log)


def _run_until_killed(run: Run, store: Path, wanted: int, pause: float) -> None:
    """Go on with a watch, and kill this process soon after some look."""

    def kill() -> None:
        while len(logged(store, "look")) < wanted:
            time.sleep(POLL)
        time.sleep(pause)
        os.kill(os.getpid(), signal.SIGKILL)

    Thread(target=kill, daemon=True).start()
    run(str(store))


def logged(store: Path, columns: str = "*") -> list[tuple]:
    """Return a store's log, exact to the last bit; empty where none is yet."""
    with suppress(ValueError, sqlite3.Error):  # none is there, or another process makes it just now
        opened = Store(store, read_only=True)
        try:
            return [tuple(row) for row in opened.rows(f"SELECT {columns} FROM look ORDER BY look")]
        finally:
            opened.close()
    return []


def decisions_a_second(
    known: int,
    rng: np.random.Generator | int,
    *,
    runs: int = 3,
    each: int = 20_000,
    links: int = 100_000,
) -> list[dict[str, float]]:
    """Time how fast a watch decides that knows many pages, by CPU time, without fetches.

    A decision is to choose, take in a look and work out the next one, as a watch does. What it
    learns once a day is left out. All runs know the same pages, each has other links. Decisions a
    second of a run are ``at first``, of `each` decisions while the price is found, and ``then``.
    """
    rng = np.random.default_rng(rng)
    pages, common, timed = _random_pages(known, rng), None, []
    step = 30 / known  # days: what keeps up with all of them in a month
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder, "watch"))
            state = store.load("none", 1.5, 0.2, 1.0, 0.0)
            _prepare(state, links, rng)
            state.pages = Pages(state.common, state.hosts, None, pages.copy())
            if common is None:  # the days of their next looks are the same in all runs
                state.pages.put_all()
                pages, common = state.pages.records.copy(), state.common.copy()
            state.common[:] = common
            watch = Watch(store, state, Web(), Judge(as_classifier(len)))
            _decide(watch, YEAR, 0)  # compiles
            run = {}
            for phase, name in enumerate(("at first", "then")):
                begin = time.process_time()
                for k in range(each):
                    _decide(watch, YEAR + step * (k + phase * each), k)
                run[name] = each / (time.process_time() - begin)
            timed.append(run | {"price": float(state.common["price"][0])})
            watch.close()
    return timed


def _prepare(state: State, links: int, rng: np.random.Generator) -> None:
    """Let a watch have been at work for a year, with new links; what it learns daily is known."""
    common = state.common
    common["price"], common["page"], common["winners"], common["day"] = 0.5, 2.0, 1_000, 10 * YEAR
    for host in range(HOSTS):
        state.hosts.of(f"{host}.example")
    for n in range(links):
        born, bin = YEAR - 30 * rng.random(), int(rng.integers(BINS))
        state.links.add([OpenLink(-born, n, f"{n % HOSTS}.example", bin, n % 2 == 0)])


def _random_pages(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw pages in mid-watch: looked at in the past 30 days, with beliefs of two bits each.

    They are drawn piece by piece, so that the draw takes no memory to speak of.
    """
    pages = np.zeros(n, PAGE)
    pages["id"], pages["visits"], pages["born"] = np.arange(n), 2, np.nan
    pages["factor"], pages["watched"] = 1.0, 20.0
    for start in range(0, n, PIECE):
        part = pages[start : start + PIECE]
        size = len(part)
        part["host"] = rng.integers(0, HOSTS, size)
        part["look"] = part["rest"] = YEAR - 30 * rng.random(size)
        part["importance"] = rng.lognormal(-1, 1, size) * (rng.random(size) < 0.5)
        part["zeta"] = 0.2 * part["importance"]
        part["arrivals"] = rng.poisson(0.3, size)
        same = np.exp(-RATES * rng.exponential(30, (size, 1)))
        part["likelihood"] = np.where(rng.random((size, 1)) < 0.5, same, 1 - same).clip(1e-12)
        part["seen"] = rng.random((size, BINS))
    return pages


def _decide(watch: Watch, day: float, k: int) -> None:
    """Choose, and take in a look at what was chosen."""
    state, choice = watch.state, watch.choose(day)
    assert choice is not None
    target = choice.target
    if isinstance(target, OpenLink):
        state.links.take(target)
        state.links.see(target, state.hosts.of(target.host), k % 3 == 0)
    else:
        record = state.pages.records[target]
        state.pages.see(target, float(record["importance"]), k % 2 == 0, day)
        state.pages.put(np.array([target]))
    watch.settle_price("", choice.value, not isinstance(target, OpenLink), day)
