"""One source by dynamic programming: paid a subsidy for each epoch in which it is not crawled.

Nothing here knows Theorem 1, nor that it is best to crawl from some state on: the closed form is
checked against it, and sources whose arrivals are random get their index from it. The equation
is (7), V(x) + beta = max{lam + E V(alpha x + U), x + E V(U)}, with V such that E V(U) = 0. For
Y = V + beta it reads

    Y(x) = max{x, E Y(alpha x + U) - c},   c = beta - lam,   beta = E Y(U),

which is solved for a given cost c of waiting an epoch; the subsidy is then lam = beta - c, and
falls as c rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arguments import numbers

CLOSE = 1e-13  # change of a value at which iteration ends, relative to the largest state


@dataclass(frozen=True, eq=False)
class Chain:
    """A source with finitely many states.

    Attributes
    ----------
    states : (G,) array
        What a crawl there brings, ascending.
    passive : (G, G) array
        Probabilities of the next state without a crawl, a row a state. Rows sum to 1; where the
        next state may be beyond the grid they hold negative numbers, too.
    reset : (G,) array
        Probabilities of the next state after a crawl.
    """

    states: np.ndarray
    passive: np.ndarray
    reset: np.ndarray


@dataclass(frozen=True, eq=False)
class Solution:
    """The average-reward problem solved for L subsidies.

    Attributes
    ----------
    subsidy, gain : (L,) arrays
        lam and beta.
    value : (L, G) array
        V, with mean 0 after a crawl.
    passive : (L, G) array of bool
        States in which not crawling is better.
    """

    subsidy: np.ndarray
    gain: np.ndarray
    value: np.ndarray
    passive: np.ndarray


def chain(states: ArrayLike, alpha: float, new: ArrayLike) -> Chain:
    """The source x' = alpha x + U on a grid of states.

    Between two states of the grid a value is interpolated, above the last one it goes on straight.

    Parameters
    ----------
    states : (G,), ascending, from 2 on
    alpha : share of utility kept over an epoch, in [0, 1)
    new : U, equally likely outcomes of what an epoch brings; one number, u, if it is certain

    Raises
    ------
    ValueError
    """
    states, new = numbers("states", states), np.atleast_1d(numbers("new", new))
    if states.ndim != 1 or len(states) < 2 or (np.diff(states) <= 0).any():
        raise ValueError(f"states: shape {states.shape}; give two or more, ascending")
    passive = np.array([_shares(alpha * x + new, states) for x in states])
    return Chain(states, passive, _shares(new, states))


def orbit_states(alpha: float, u: float, starts: ArrayLike, epochs: int) -> np.ndarray:
    """States that a source passes through from each of the starts in [0, x*), x* included."""
    limit = u / (1 - alpha)
    left = np.multiply.outer(alpha ** np.arange(epochs), 1 - np.asarray(starts) / limit)
    return np.unique(np.append(limit * (1 - left.ravel()), limit))


def solve(source: Chain, waiting_cost: ArrayLike, first: ArrayLike = 0.0) -> Solution:
    """Value iteration for each cost of waiting an epoch.

    Parameters
    ----------
    source : Chain
    waiting_cost : (L,), above 0
        beta - lam. At 0 and below a source is never crawled.
    first : (G,) or scalar
        Where the iteration starts.

    Raises
    ------
    ValueError
    """
    cost = np.atleast_1d(numbers("waiting_cost", waiting_cost, above=True))
    start = np.tile(np.broadcast_to(first, source.states.shape), (len(cost), 1))
    value, waited = _iterated(source, cost, start, CLOSE)
    gain = value @ source.reset
    return Solution(gain - cost, gain, value - gain[:, None], waited > source.states)


def numeric_index(
    source: Chain, at: ArrayLike | None = None, accuracy: float = CLOSE
) -> np.ndarray:
    """Index of states: halving finds the subsidy that makes them indifferent.

    Parameters
    ----------
    source : Chain
    at : (n,) int, optional
        Numbers of the states; default all. Those far above what a source reaches by itself
        take long.
    accuracy : float
        Relative to the largest state.

    Returns
    -------
    (n,) array
    """
    at = np.arange(len(source.states)) if at is None else np.asarray(at)
    low, high = np.zeros(len(at)), np.full(len(at), source.states[-1])
    below = np.tile(source.states, (len(at), 1))  # Y at the higher cost, to start from
    while (high - low).max() > accuracy * source.states[-1]:
        cost = (low + high) / 2
        value, waited = _iterated(source, cost, below, accuracy)
        waits = waited[np.arange(len(at)), at] > source.states[at]
        low, high = np.where(waits, cost, low), np.where(waits, high, cost)
        below[~waits] = value[~waits]
    return below @ source.reset - high


def discounted_value(source: Chain, subsidy: ArrayLike, discount: float) -> np.ndarray:
    """Value function of the discounted problem (Eq. 8), by value iteration.

    Parameters
    ----------
    source : Chain
    subsidy : (L,)
        From minus the largest state on: below that every state is crawled all the same.
    discount : in (0, 1)

    Returns
    -------
    (L, G) array

    Raises
    ------
    ValueError
    """
    if not 0 < discount < 1:
        raise ValueError(f"discount={discount!r}: must lie between 0 and 1, both excluded")
    subsidy = np.atleast_1d(numbers("subsidy", subsidy, least=-source.states[-1]))[:, None]
    value = np.zeros((len(subsidy), len(source.states)))
    close = CLOSE * max(source.states[-1], subsidy.max())
    while True:
        crawl = source.states + discount * (value @ source.reset)[:, None]
        better = np.maximum(subsidy + discount * value @ source.passive.T, crawl)
        if np.abs(better - value).max() <= close:
            return better
        value = better


def _iterated(
    source: Chain, cost: np.ndarray, value: np.ndarray, accuracy: float
) -> tuple[np.ndarray, np.ndarray]:
    """Y (L, G), from a first value, and what waiting for an epoch makes of it."""
    step = source.passive.T.copy()
    while True:
        waited = value @ step - cost[:, None]
        better = np.maximum(waited, source.states)
        if np.abs(better - value).max() <= accuracy * source.states[-1]:
            return better, waited
        value = better


def _shares(targets: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Shares (G,) that the targets, equally likely, give to the states on both sides of them."""
    targets = np.maximum(targets, states[0])
    left = np.clip(np.searchsorted(states, targets, side="right") - 1, 0, len(states) - 2)
    right = (targets - states[left]) / (states[left + 1] - states[left])
    total = np.bincount(left, 1 - right, len(states)) + np.bincount(left + 1, right, len(states))
    return total / len(targets)
