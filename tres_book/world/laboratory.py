"""A watch of a small laboratory web, which is built at import: forked processes have it at once."""

from contextlib import suppress
from pathlib import Path

import numpy as np

import tres_webs as web
from tres_live.watching.clock import DAY, VirtualClock
from tres_live.watching.store import Store
from tres_live.watching.watch import watch

from .evolving import EvolvingWeb

LAB = web.VitalWeb(seed=0, sites=60, law="first")
START = 1_700_000_000.0  # seconds since 1970 at which it begins


def run(store: str | Path, days: float = 15.0) -> None:
    """Watch food on an `EvolvingWeb`, from where a store stands to the end of these days.

    The judge looks for a word; what is tested is the store, not the classifier.
    """
    clock = VirtualClock(START)
    if Path(store).exists():
        with suppress(ValueError):  # made, but not begun
            begun = Store(store, read_only=True)
            clock = VirtualClock(begun.meta("at") or START)
            begun.close()
    evolving = EvolvingWeb(LAB, lambda: (clock.now() - START) / DAY)
    with watch(
        evolving,
        LAB.seeds("food", 3, rng=0),
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
