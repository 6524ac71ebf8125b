"""Logs of all changes of pages, and of their signals, on which schedulers are replayed."""

from dataclasses import dataclass

import numpy as np

from tres_lib.refresh.simulate import sample_pages
from tres_webs.checks import count, generator, number, positive

from .signals import Signals


@dataclass(frozen=True, eq=False)
class ChangeLog:
    """The changes of m pages from time 0 to the horizon."""

    request_rates: np.ndarray  # (m,)
    change_rates: np.ndarray  # (m,) the truth, or an estimate from the whole log
    horizon: float
    times: np.ndarray  # (n,) of all changes, by page, and a page's in order
    first: np.ndarray  # (m + 1,) where a page's begin, and the last ends
    signals: Signals
    signal_times: np.ndarray  # (k,) of all signals, in order
    signal_pages: np.ndarray  # (k,)


def draw_changes(
    n: int,
    rng: np.random.Generator | int,
    days: float = 365.0,
    precision: float = 1.0,
    recall: float = 0.0,
    *,
    signalling: float = 1.0,
) -> ChangeLog:
    """Draw the changes and signals of n pages by `sample_pages`, both Poisson processes.

    A share of the pages, `signalling`, has signals of this precision and recall.

    Examples
    --------
    >>> log = draw_changes(100, rng=0, days=30, precision=0.8, recall=0.5)
    >>> len(log.first), bool(log.times.max() < 30)
    (101, True)
    """
    positive("days", days)
    number("precision", positive("precision", precision), 0, 1)
    number("recall", recall, 0, 1)
    law, drawing = generator("rng", rng).spawn(2)
    change_rates, request_rates = sample_pages(count("n", n), law)
    pages, times = _poisson(change_rates * days, days, drawing)
    heard = recall * (drawing.random(n) < number("signalling", signalling, 0, 1))
    true = drawing.random(len(times)) < heard[pages]
    false = _poisson(heard * change_rates * (1 / precision - 1) * days, days, drawing)
    signal_times = np.concatenate([times[true], false[1]])
    order = np.argsort(signal_times)
    signal_pages = np.concatenate([pages[true], false[0]])[order]
    first = np.searchsorted(pages, np.arange(n + 1))
    quality = Signals(np.full(n, precision), heard)
    known = request_rates, change_rates, days, times, first, quality
    return ChangeLog(*known, signal_times[order], signal_pages)


def _poisson(
    expected: np.ndarray, days: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return pages and times of events, by page and time."""
    pages = np.repeat(np.arange(len(expected)), rng.poisson(expected))
    return pages, days * (np.sort(pages + rng.random(len(pages))) - pages)
