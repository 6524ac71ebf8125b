"""How the live watch endures: kills at random moments."""

import multiprocessing
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np

from tres_live.watching.clock import DAY, VirtualClock
from tres_live.watching.store import Store
from tres_live.watching.watch import watch
from tres_webs import Page, VitalWeb, Wrapper

PAUSE = 0.01  # seconds at most from a stored look to the kill; a look takes a few thousandths
POLL = 0.005  # seconds between two counts of the looks
START = 1_700_000_000.0  # seconds since 1970 at which it begins
Run = Callable[[str], object]


def kills_survived(
    watched: Run, folder: str | Path, kills: int, rng: np.random.Generator | int
) -> int:
    """Kill a watch soon after random looks; count after how many kills its log is still the same.

    The function goes on with the watch in the store whose path it gets, to its end, as `run` does.
    The count is `kills` if the whole log equals that of a watch that nobody disturbed. ValueError
    if the watch is too short for so many kills, RuntimeError if one ends before it is killed.
    """
    rng, folder = np.random.default_rng(rng), Path(folder)
    context = multiprocessing.get_context("forkserver")  # a fork of this one may have threads
    context.set_forkserver_preload([__name__, watched.__module__])
    with ProcessPoolExecutor(1, context) as once:
        return once.submit(_kills_survived, watched, folder, kills, rng).result()


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
        process = multiprocessing.get_context("fork").Process(target=run, args=(str(store),))
        process.start()
        while process.is_alive() and len(logged(store, "look")) < wanted:
            time.sleep(POLL)
        time.sleep(PAUSE * rng.random())
        process.kill()
        process.join()
        left = logged(store)
        at = len(left)
        if process.exitcode == 0 or at < wanted:
            raise RuntimeError(f"run: it ended by itself, code {process.exitcode}, and not killed")
        if left != log[:at]:
            return survived
    run(str(store))
    return kills - (logged(store) != log)


def logged(store: Path, columns: str = "*") -> list[tuple]:
    """Return a store's log, exact to the last bit; empty where none is yet."""
    file = f"file:{store}?mode=ro"
    # There may be none, or another process makes it just now.
    with suppress(sqlite3.Error), closing(sqlite3.connect(file, uri=True)) as opened:
        return opened.execute(f"SELECT {columns} FROM look ORDER BY look").fetchall()
    return []


class Growing(Wrapper):
    """A web whose pages change and list more links up to once a day, each at a pace of its own."""

    def __init__(self, web: VitalWeb, clock: VirtualClock):
        super().__init__(web)
        self.clock = clock

    def fetch(self, url: str) -> Page:
        page = super().fetch(url)
        times = int((self.clock.now() - START) / DAY * crc32(url.encode()) / 2**32)
        text = f"{page.text}\nSo often has its author written this page anew: {times}."
        return replace(page, text=text, links=page.links[: 3 + times])


@cache
def _lab() -> VitalWeb:
    """Return a small laboratory web; forked processes have it at once."""
    return VitalWeb(seed=0, sites=60, law="first")


def run(store: str | Path, days: float = 15.0) -> None:
    """Watch food on a `Growing` web, from where a store stands to the end of these days.

    The judge looks for a word; what is tested is the store, not the classifier.
    """
    clock = VirtualClock(START)
    if Path(store).exists():
        with suppress(ValueError):  # made, but not begun
            begun = Store(store, read_only=True)
            clock = VirtualClock(begun.meta("at") or START)
            begun.close()
    with watch(
        Growing(_lab(), clock),
        _lab().seeds("food", 3, rng=0),
        "food",
        store=store,
        clock=clock,
        bandwidth=40,
        until=days,
        classifier=_says_food,
    ) as watched:
        watched.run()


def _says_food(texts: list[str]) -> np.ndarray:
    return np.array([0.9 if "food" in text.lower() else 0.1 for text in texts])
