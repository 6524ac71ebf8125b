"""Checks of the lemmas on a source's chain of states, as numbers that must be 0.

A number is the largest violation, relative to the largest state, or the share of states in it.
"""

import numpy as np

from tres_lib import ephemeral

from .sources import noisy_chain, random_sources

REACH = 1e-5  # distance to x* up to which an orbit is followed, relative
DISCOUNTS = (0.9, 0.99)
COSTS = np.geomspace(1, 0.01, 33)  # of waiting an epoch, in u: subsidies from about 0 to x*


def orbit_chain(alpha: float, u: float) -> ephemeral.Chain:
    """Return a deterministic source: its orbit, and states below and between that lead along it."""
    epochs = int(np.ceil(np.log(REACH) / np.log(alpha)))
    return ephemeral.chain(
        ephemeral.orbit_states(alpha, u, [0.0, u / 3, u, u * (1 + alpha / 2)], epochs), alpha, u
    )


def check_source(seed: int) -> dict[str, float]:
    """Check the lemmas and Theorem 1, on 40 states up to 0.999 x*, at a random source."""
    one = random_sources(1, seed)
    alpha, u, limit = (float(values[0]) for values in (one.alpha, one.u, one.limit))
    model = orbit_chain(alpha, u)
    at = np.linspace(0, np.flatnonzero(model.states <= 0.999 * limit)[-1], 40).astype(int)
    error = np.abs(
        ephemeral.numeric_index(model, at) - ephemeral.whittle_index(model.states[at], alpha, u)
    ).max()
    return {"alpha": alpha, "u": u, "theorem 1": error / limit} | check_chain(model)


def check_noisy_source(arrival_rate: float, decay: float) -> dict[str, float]:
    """Check the lemmas of Section 7 on a source whose arrivals are random."""
    return check_chain(noisy_chain(arrival_rate, decay))


def check_chain(model: ephemeral.Chain) -> dict[str, float]:
    """Return the violations of the lemmas.

    ``lemma 1``: the discounted value rises, is convex, and nowhere steeper than 1.
    ``lemma 2``: the average-reward value rises, is convex, and its policy earns the gain.
    ``lemma 3``: other first guesses lead to the same value, and no two to the same subsidy.
    ``lemma 4``: a higher subsidy makes no passive state active.
    ``lemma 5``: no passive state is above an active one.
    """
    top = model.states[-1]
    solution = ephemeral.solve(model, COSTS * (model.reset @ model.states))
    discounted = [ephemeral.discounted_value(model, solution.subsidy[::8], d) for d in DISCOUNTS]
    steeper = [(np.diff(value) - np.diff(model.states)).max() for value in discounted]
    return {
        "lemma 1": max(*(_bent(model.states, value) for value in discounted), *steeper) / top,
        "lemma 2": max(_bent(model.states, solution.value), _missed(model, solution)) / top,
        "lemma 3": _ambiguity(model, solution) / top,
        "lemma 4": float((solution.passive[:-1] & ~solution.passive[1:]).mean()),
        "lemma 5": float((solution.passive[:, 1:] & ~solution.passive[:, :-1]).mean()),
    }


def _bent(states: np.ndarray, value: np.ndarray) -> float:
    """Return by how much values (L, G) fall, or lie above a chord of their neighbours, at most."""
    share = np.diff(states)[:-1] / (states[2:] - states[:-2])
    chord = (1 - share) * value[:, :-2] + share * value[:, 2:]
    return max(float((value[:, 1:-1] - chord).max()), float(-np.diff(value).min()), 0.0)


def _missed(model: ephemeral.Chain, solution: ephemeral.Solution) -> float:
    """Return the largest difference between a gain and the long-run reward of its policy."""
    worst = 0.0
    for subsidy, gain, passive in zip(
        solution.subsidy, solution.gain, solution.passive, strict=True
    ):
        moves = np.where(passive[:, None], model.passive, model.reset)
        reward = np.where(passive, subsidy, model.states)
        # h + gain = reward + moves h, with mean 0 after a crawl
        system = np.eye(len(reward)) - moves + model.reset
        worst = max(worst, abs(float(model.reset @ np.linalg.solve(system, reward)) - gain))
    return worst


def _ambiguity(model: ephemeral.Chain, solution: ephemeral.Solution) -> float:
    """Return the difference from the value that a remote first guess leads to."""
    cost = (solution.gain - solution.subsidy)[::8]
    guess = 2 * model.states[-1] * np.random.default_rng(0).random(len(model.states))
    again = ephemeral.solve(model, cost, guess)
    rises = np.diff(solution.subsidy).min()
    return max(float(np.abs(again.value - solution.value[::8]).max()), -rises, 0.0)
