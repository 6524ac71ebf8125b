"""The cycle of the largest mean reward in a graph, by policy iteration."""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-12  # relative: a smaller gain is rounding


def best_cycle_mean(reward: np.ndarray, after: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Best mean reward a step of a deterministic decision process, whose states all communicate.

    Relative value iteration would go round its cycles for ever (they are periodic), or, if damped,
    take a time that grows with the square of their length; policy iteration ends after a few
    rounds, exactly.

    Parameters
    ----------
    reward, after : (A, S)
        Of each action in each state: what it earns, and the state that comes next.

    Returns
    -------
    mean : float
    states, actions : (L,) int
        The states of a best cycle, and what is done there.

    References
    ----------
    R. A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960.
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
    states = _cycle(after[action, every], int(root[gain.argmax()]))
    return float(gain.max()), states, action[states]


def _evaluated(reward: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean reward of the cycle each state comes to, value of the way to its root, and that root.

    All by doubling: from where 2^k steps lead follows where 2^(k + 1) lead.
    """
    n, doublings = len(after), len(after).bit_length()
    first, jump = np.arange(n), after
    for _ in range(doublings):
        first, jump = np.minimum(first, first[jump]), jump[jump]
    on_cycle = np.unique(jump)
    root = first[jump]  # the smallest state of a cycle stands for it
    total = np.bincount(root[on_cycle], reward[on_cycle], n)
    gain = total[root] / np.bincount(root[on_cycle], minlength=n)[root]
    value = np.where(root == np.arange(n), 0, reward - gain)
    jump = np.where(root == np.arange(n), root, after)
    for _ in range(doublings):
        value, jump = value + value[jump], jump[jump]
    return gain, value, root


def _cycle(after: np.ndarray, root: int) -> np.ndarray:
    states = [root]
    while (state := int(after[states[-1]])) != root:
        states.append(state)
    return np.array(states)
