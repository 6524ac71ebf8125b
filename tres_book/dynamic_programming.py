"""Dynamic programming: one source under a subsidy, and cycles of the largest mean reward.

Nothing here uses Theorem 1, nor that it is best to crawl from some state on: the closed form is
checked against it, and sources with random arrivals get their index from it. Equation (7) is
V(x) + beta = max{lam + E V(alpha x + U), x + E V(U)}, with V such that E V(U) = 0. For Y = V + beta
it reads Y(x) = max{x, E Y(alpha x + U) - c} with c = beta - lam and beta = E Y(U). That is solved
for a given cost c of waiting an epoch. The subsidy is then lam = beta - c, and falls as c rises.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.ephemeral.sources import Sources, listed, orbit
from tres_webs.checks import count

MOST_SOURCES = 4  # for the exact optimum, as are the next two
FIRST_CAP = 8
MOST_STATES = 4_000_000
CLOSE = 1e-13  # change of a value at which iteration ends, relative to the largest state
TOLERANCE = 1e-12  # of policy iteration, relative: a smaller gain is rounding


@dataclass(frozen=True, eq=False)
class Chain:
    """A source with finitely many states."""

    states: np.ndarray  # (G,) reward of a crawl in each state, ascending
    # (G, G) probabilities of the next state without a crawl, a row per state; negative, too, where
    # it may lie beyond the grid.
    passive: np.ndarray
    reset: np.ndarray  # (G,) probabilities of the next state after a crawl


@dataclass(frozen=True, eq=False)
class Solution:
    """The average-reward problem solved for L subsidies."""

    subsidy: np.ndarray  # (L,) lam, per epoch
    gain: np.ndarray  # (L,) beta, per epoch
    value: np.ndarray  # (L, G) V, with mean 0 after a crawl
    passive: np.ndarray  # (L, G) bool: states in which not crawling is better


def chain(states: ArrayLike, alpha: float, new: ArrayLike) -> Chain:
    """Return the source x' = alpha x + U on a grid of states, (G,), at least two and ascending.

    Values are interpolated between states of the grid, and extrapolated above the last one. `new`
    is U, the equally likely utilities that an epoch brings; one number if it is certain.
    """
    states, new = np.asarray(states, float), np.atleast_1d(np.asarray(new, float))
    passive = np.array([_shares(alpha * x + new, states) for x in states])
    return Chain(states, passive, _shares(new, states))


def orbit_states(alpha: float, u: float, starts: ArrayLike, epochs: int) -> np.ndarray:
    """Return the first `epochs` states from each start in [0, x*), each once, and x*; (G,)."""
    limit = u / (1 - alpha)
    left = np.multiply.outer(alpha ** np.arange(epochs), 1 - np.asarray(starts) / limit)
    return np.unique(np.append(limit * (1 - left.ravel()), limit))


def solve(source: Chain, waiting_cost: ArrayLike, first: ArrayLike = 0.0) -> Solution:
    """Solve the average-reward problem by value iteration for each cost of waiting an epoch.

    The costs, (L,), are beta - lam, above 0: at 0 and below a source is never crawled. The
    iteration starts at the value `first`, (G,) or a scalar.
    """
    cost = np.atleast_1d(np.asarray(waiting_cost, float))
    start = np.tile(np.broadcast_to(first, source.states.shape), (len(cost), 1))
    value, waited = _iterated(source, cost, start, CLOSE)
    gain = value @ source.reset
    return Solution(gain - cost, gain, value - gain[:, None], waited > source.states)


def numeric_index(
    source: Chain, at: ArrayLike | None = None, accuracy: float = CLOSE
) -> np.ndarray:
    """Return the index of states, (n,): halving finds the subsidy that makes them indifferent.

    `at` has the states' numbers, (n,); default all. States far above x* take long. The accuracy is
    relative to the largest state.
    """
    at = np.arange(len(source.states)) if at is None else np.asarray(at)
    low = np.zeros(len(at))
    high = np.full(len(at), source.states[-1])
    below = np.tile(source.states, (len(at), 1))  # Y at the higher cost, to start from
    while (high - low).max() > accuracy * source.states[-1]:
        cost = (low + high) / 2
        value, waited = _iterated(source, cost, below, accuracy)
        waits = waited[np.arange(len(at)), at] > source.states[at]
        low = np.where(waits, cost, low)
        high = np.where(waits, high, cost)
        below[~waits] = value[~waits]
    return below @ source.reset - high


def discounted_value(source: Chain, subsidy: ArrayLike, discount: float) -> np.ndarray:
    """Return the value function (L, G) of the discounted problem (Eq. 8), by value iteration.

    Subsidies, (L,), are from minus the largest state on: below, every state is crawled all the
    same. The discount is between 0 and 1.
    """
    subsidy = np.atleast_1d(np.asarray(subsidy, float))[:, None]
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
    """Return Y (L, G), from a first value, and the value of waiting for an epoch."""
    step = source.passive.T.copy()
    while True:
        waited = value @ step - cost[:, None]
        better = np.maximum(waited, source.states)
        if np.abs(better - value).max() <= accuracy * source.states[-1]:
            return better, waited
        value = better


def _shares(targets: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Return the weights (G,) of the states in the mean over linearly interpolated targets."""
    targets = np.maximum(targets, states[0])
    left = np.clip(np.searchsorted(states, targets, side="right") - 1, 0, len(states) - 2)
    right = (targets - states[left]) / (states[left + 1] - states[left])
    total = np.bincount(left, 1 - right, len(states)) + np.bincount(left + 1, right, len(states))
    return total / len(targets)


def best_cycle_mean(reward: np.ndarray, after: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the best mean reward per step, and the states and actions (L,) of a best cycle.

    Action a in state s earns reward[a, s] and leads to after[a, s]; the states communicate.
    Relative value iteration would go round its cycles for ever; policy iteration ends exactly
    (R. A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960).
    """
    every = np.arange(reward.shape[1])
    close = TOLERANCE * max(np.abs(reward).max(), np.finfo(float).tiny)
    action = reward.argmax(axis=0)
    while True:
        gain, value, root = _evaluated(reward[action, every], after[action, every])
        wider = gain[after]
        better = wider.max(axis=0) > gain + close
        q = np.where(wider >= gain - close, reward - gain + value[after], -np.inf)
        best = np.where(better, wider.argmax(axis=0), q.argmax(axis=0))
        change = better | (q.max(axis=0) > value + close * len(every))
        if not change.any():
            break
        action = np.where(change, best, action)
    states = [int(root[gain.argmax()])]
    while (state := int(after[action[states[-1]], states[-1]])) != states[0]:
        states.append(state)
    return float(gain.max()), np.array(states), action[states]


def _evaluated(reward: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each state's cycle's mean, the value of the way to its root, and that root."""
    n = len(after)
    doublings = n.bit_length()  # from where 2^k steps lead follows where 2^(k + 1) lead
    first = np.arange(n)
    jump = after
    for _ in range(doublings):
        first = np.minimum(first, first[jump])
        jump = jump[jump]
    on_cycle = np.unique(jump)
    root = first[jump]  # the smallest state of a cycle stands for it
    total = np.bincount(root[on_cycle], reward[on_cycle], n)
    gain = total[root] / np.bincount(root[on_cycle], minlength=n)[root]
    value = np.where(root == np.arange(n), 0, reward - gain)
    jump = np.where(root == np.arange(n), root, after)
    for _ in range(doublings):
        value = value + value[jump]
        jump = jump[jump]
    return gain, value, root


def exact_optimum(sources: Sources, crawls_per_epoch: int) -> float:
    """Return the largest long-run reward per epoch with M of up to four sources crawled.

    Crawling fewer is never better: one more crawl takes less from that source's next crawl than it
    brings. By dynamic programming over joint states, the sources' ages: 0 for those just crawled.
    At a cap an age stays as it is and the state counts as x*, a little more than it is. So the
    optimum of the capped problem is an upper bound, and the true optimum as soon as the best cycle
    crawls no source at its cap; until then the caps that it uses are doubled.

    ValueError if interest falls so slowly that the joint states are too many.

    Examples
    --------
    >>> exact_optimum(Sources(alpha=[0.5, 0.5, 0.5], u=[4.0, 3.0, 1.0]), crawls_per_epoch=1)
    5.25
    """
    sources = listed(sources)
    n = len(sources)
    if n > MOST_SOURCES:
        raise ValueError(f"sources: {n} given; at most {MOST_SOURCES}, or use lagrangian_bound")
    M = count("crawls_per_epoch", crawls_per_epoch, 1, n)
    caps = np.full(n, FIRST_CAP)
    while True:
        ages, reward, after = _joint(sources, M, caps)
        mean, states, actions = best_cycle_mean(reward, after)
        crawled = np.array(list(combinations(range(n), M)))[actions]
        capped = np.take_along_axis(ages[states] == caps, crawled, axis=1)
        used = np.unique(crawled[capped])
        if np.all(sources.alpha[used] ** caps[used] < CLOSE):
            return mean
        caps[used] *= 2


def _joint(sources: Sources, M: int, caps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ages (S, N) of joint states, and reward and next state (A, S) of each action."""
    n = len(caps)
    sets = list(combinations(range(n), M))
    blocks = [np.where(np.isin(range(n), crawled), 1, caps) for crawled in sets]
    sizes = [int(np.prod(block)) for block in blocks]
    if sum(sizes) > MOST_STATES:
        remedy = "interest falls too slowly for the exact optimum, use lagrangian_bound"
        raise ValueError(f"sources: {sum(sizes):,} joint states, above {MOST_STATES:,}; {remedy}")
    starts = np.cumsum([0, *sizes[:-1]])
    # States come in blocks, one per set of M crawled sources. These are at age 0; the others' ages
    # count up from 1 to their caps like the digits of a number.
    ages = np.concatenate([np.indices(b.tolist()).reshape(n, -1).T + (b > 1) for b in blocks])
    states = np.where(ages < caps, orbit(ages, sources.alpha, sources.u), sources.limit)
    reward = np.array([states[:, crawled].sum(axis=1) for crawled in sets])
    older = np.minimum(ages, caps - 1)  # the digit of age + 1, for ages from 1 on
    digits = [np.where(block > 1, older, 0).T for block in blocks]
    places = [np.ravel_multi_index(d, block) for d, block in zip(digits, blocks, strict=True)]
    return ages, reward, starts[:, None] + places
