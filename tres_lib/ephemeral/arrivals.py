"""What an epoch brings when content arrives at random (Section 7)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .sources import Sources

Law = Callable[[np.random.Generator, int], np.ndarray]
LAWS: dict[str, Law] = {
    "constant": lambda rng, n: np.ones(n),
    "exponential": lambda rng, n: rng.exponential(size=n),
}


class Arrivals:
    """Poisson arrivals, each of a random utility that has decayed until the epoch's end.

    Parameters
    ----------
    sources : Sources with arrivals
    law : str or function
        Of an item's utility, as a multiple of its source's mean: "constant", "exponential", or a
        function of a generator and a number that returns so many multiples with mean 1.
    rng : numpy.random.Generator or int, optional

    Raises
    ------
    ValueError
        If the sources have no arrivals, or the law has no such name.
    """

    def __init__(self, sources: Sources, law: str | Law, rng: np.random.Generator | int | None):
        if sources.arrivals is None:
            raise ValueError(
                "sources: arrivals=None; make them with source(), or give Sources the arrivals"
            )
        if not callable(law) and law not in LAWS:
            raise ValueError(f"utility={law!r}: use {', '.join(LAWS)} or a function")
        self._law = law if callable(law) else LAWS[law]
        self._rng = np.random.default_rng(rng)
        self._mean = sources.arrivals
        self._n = np.arange(len(sources))
        with np.errstate(divide="ignore", invalid="ignore"):
            self._decay = -np.log(sources.alpha)
            left = np.where(self._decay > 0, -np.expm1(-self._decay) / self._decay, 1)
            self._worth = np.where(self._mean > 0, sources.u / (self._mean * left), 0)

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """Utility at the end of an epoch (N,), and number of items (N,) int."""
        counts = self._rng.poisson(self._mean)
        at = np.repeat(self._n, counts)
        age = self._rng.random(len(at))  # uniform, given the number: a Poisson process
        items = self._law(self._rng, len(at)) * np.exp(-self._decay[at] * age)
        return self._worth * np.bincount(at, items, minlength=len(counts)), counts
