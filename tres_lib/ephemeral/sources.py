"""Sources of ephemeral content: what waits there is worth less by the hour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arguments import numbers


@dataclass(frozen=True, eq=False)
class Sources:
    """N sources by what the index needs to know of them.

    Attributes
    ----------
    alpha : (N,) or scalar
        Share of its utility that content keeps over an epoch, in [0, 1).
    u : (N,) or scalar
        Expected utility at an epoch's end of what arrived in it (Eq. 1).
    arrivals : (N,) or scalar, optional
        Items that arrive in an epoch, on average. Only stochastic simulation needs them.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or hold other numbers.
    """

    alpha: np.ndarray
    u: np.ndarray
    arrivals: np.ndarray | None = None

    def __post_init__(self) -> None:
        names = ("alpha", "u") if self.arrivals is None else ("alpha", "u", "arrivals")
        values = fitted(**{name: numbers(name, getattr(self, name)) for name in names})
        if values[0].ndim > 1 or not values[0].size:
            raise ValueError(f"alpha: shape {values[0].shape}; give a number, or one a source")
        if (values[0] >= 1).any():
            raise ValueError(
                f"alpha={values[0].max()}: must lie below 1; give a larger decay or a longer period"
            )
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Number of sources; a scalar source is one."""
        return self.alpha.size

    @property
    def limit(self) -> np.ndarray:
        """x*, the state that a source never crawled tends to."""
        return self.u / (1 - self.alpha)

    def listed(self) -> Sources:
        """The same as arrays of shape (N,), where a scalar source is a list of one."""
        arrivals = None if self.arrivals is None else np.atleast_1d(self.arrivals)
        return Sources(np.atleast_1d(self.alpha), np.atleast_1d(self.u), arrivals)

    def copies(self, n: int) -> Sources:
        """Each source n times, in turns."""
        arrivals = None if self.arrivals is None else np.tile(self.arrivals, n)
        return Sources(np.tile(self.alpha, n), np.tile(self.u, n), arrivals)


def source(
    mean_utility: ArrayLike, decay: ArrayLike, arrival_rate: ArrayLike, period: float = 1.0
) -> Sources:
    """Sources by the paper's parameters; the arrays broadcast.

    Parameters
    ----------
    mean_utility : xi, mean utility of an item when it is published, at least 0
    decay : mu, rate at which interest falls, per unit of time, above 0
    arrival_rate : Lambda, items per unit of time, at least 0
    period : T, time between two epochs, above 0

    Returns
    -------
    Sources
        alpha = exp(-mu T) and u = xi Lambda (1 - alpha) / mu (Eq. 1).

    Raises
    ------
    ValueError
    """
    xi, mu, rate = fitted(
        mean_utility=numbers("mean_utility", mean_utility),
        decay=numbers("decay", decay, above=True),
        arrival_rate=numbers("arrival_rate", arrival_rate),
    )
    T = numbers("period", period, above=True)
    if T.ndim:
        raise ValueError(f"period: shape {T.shape}; give one number, the same for all sources")
    return Sources(np.exp(-mu * T), -xi * rate * np.expm1(-mu * T) / mu, rate * T)


def fitted(**arrays: np.ndarray) -> list[np.ndarray]:
    """The arrays broadcast against one another."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError as error:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{', '.join(arrays)}: shapes do not fit: {shapes}") from error
