"""What the sweeps of chapter 10 run: plain functions of numbers and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ephemeral.adaptive import regret
from ..ephemeral.bound import relaxation
from ..ephemeral.index import orbit, whittle_index
from ..ephemeral.policies import Policy, lagrangian
from ..ephemeral.simulate import Run, simulate
from ..ephemeral.sources import Sources, source
from ..ephemeral.dynamic_programming import numeric_index
from .whittle_checks import noisy_chain
from .whittle_paper import DECAY, random_sources, table_1

if TYPE_CHECKING:
    import pandas as pd

ACCURACY = 1e-7  # of a numeric index, relative to the largest state
LONGEST = 12  # age, in epochs, of sources that start out of step


def settled_mean(sources: Sources, crawls: int, run: Run) -> float:
    """Mean reward an epoch, as if the run ended in the states in which it began.

    A run of T epochs may have collected, or left behind, some epochs' worth of the average, which
    hides small differences. At the relaxed problem's price each state has a value: what a
    crawl brings, or more if waiting is better. What the states have gained is added.

    Parameters
    ----------
    sources : Sources of N sources
    crawls : int
    run : Run with states, of two epochs or more
        The last epoch's crawls are left out.
    """
    advantage = lagrangian(sources, crawls, np.ones(len(sources)))
    ends = run.states[[0, -1]]
    value = [(x - np.minimum(advantage(x, np.zeros(len(x))), 0)).sum() for x in ends]
    return float((run.reward[:-1].sum() + value[1] - value[0]) / (len(run.reward) - 1))


def gap(sources: Sources, crawls: int, run: Run) -> float:
    """How far a run's `settled_mean` is below the Lagrangian bound, relative to the bound.

    In a deterministic run that is what its choices lose, each against the best one at the
    relaxed problem's price, so it is never negative.
    """
    return 1 - settled_mean(sources, crawls, run) / relaxation(sources, crawls).bound


def many_sources(n: int, kind: str, seed: int, epochs: int) -> dict[str, float]:
    """Relative gap of the index policy with n sources, half of them crawled, once it has settled.

    Parameters
    ----------
    n : int
        A multiple of 4.
    kind : "in step", "out of step" or "random"
        Copies of the paper's sources that all start in u; the same, at random ages; or random
        sources that start in u.
    seed, epochs : int
    """
    rng = np.random.default_rng(seed)
    sources = random_sources(n, rng) if kind == "random" else table_1().copies(n // 4)
    age = rng.integers(LONGEST, size=n) if kind == "out of step" else np.zeros(n)
    x0 = orbit(age, sources.alpha, sources.u)
    run = simulate(sources, n // 2, epochs, x0=x0, keep_states=True)
    late = Run(run.crawled[epochs // 2 :], run.reward[epochs // 2 :], run.states[epochs // 2 :])
    return {"gap": gap(sources, n // 2, late)}


def noisy_index(arrival_rate: float, decay: float, step: int = 4) -> pd.DataFrame:
    """Both indices of a source of items of utility 1 that arrive at random.

    Parameters
    ----------
    arrival_rate, decay : an epoch
    step : int
        Every so many states of the grid are taken, up to x* and two standard deviations.

    Returns
    -------
    DataFrame
        ``state``, ``numeric`` (by dynamic programming) and ``formula`` (Theorem 1), all in u;
        ``usual``, whether the state lies between u and 0.95 x*.
    """
    import pandas as pd

    model, one = noisy_chain(arrival_rate, decay), source(1.0, decay, arrival_rate)
    spread = (model.states[-1] - one.limit) / 6
    at = np.flatnonzero(model.states <= one.limit + 2 * spread)[::step]
    state = model.states[at]
    columns = {
        "state": state,
        "numeric": numeric_index(model, at, ACCURACY),
        "formula": whittle_index(state, one.alpha, one.u),
    }
    usual = (state >= one.u) & (state <= 0.95 * one.limit)
    return pd.DataFrame(columns).div(float(one.u)).assign(usual=usual)


def noisy_rewards(
    arrival_rate: float, crawls: int, epochs: int, seeds: int, utility: str = "constant"
) -> pd.DataFrame:
    """`settled_mean` of the paper's sources with random arrivals, by what the policy knows.

    Returns
    -------
    DataFrame
        One row a seed. ``true index``, ``formula``: the states are seen, and ranked by the index
        of the random process or by Theorem 1's; ``unseen``: Theorem 1 by age only. All meet the
        same arrivals.
    """
    import pandas as pd

    sources = table_1(arrival_rate)
    ways = {
        "true index": {"policy": _tabulated(arrival_rate)},
        "formula": {"policy": "whittle"},
        "unseen": {"policy": "whittle", "observed": False},
    }
    common = {"stochastic": True, "utility": utility, "keep_states": True}
    return pd.DataFrame(
        {"seed": seed}
        | {
            name: settled_mean(
                sources, crawls, simulate(sources, crawls, epochs, rng=seed, **common, **way)
            )
            for name, way in ways.items()
        }
        for seed in range(seeds)
    )


def _tabulated(arrival_rate: float) -> Policy:
    """The numeric index of each of the paper's sources, interpolated; it goes on straight above."""
    found = {decay: noisy_index(arrival_rate, decay, step=8) for decay in set(DECAY)}
    columns = [found[decay][["state", "numeric"]].to_numpy().T for decay in DECAY]
    tables = [u * table for u, table in zip(table_1(arrival_rate).u, columns, strict=True)]

    def priorities(x: np.ndarray, age: np.ndarray) -> np.ndarray:
        inside = [np.interp(a, *table) for a, table in zip(x, tables, strict=True)]
        above = [max(a - states[-1], 0.0) for a, (states, _) in zip(x, tables, strict=True)]
        return np.add(inside, above)

    return priorities


def regret_trial(
    strategy: str, prior: float, seed: int, n: int, epochs: int, points: int = 50
) -> pd.DataFrame:
    """Regret of learning the rates of n random sources, a fifth of them crawled.

    Parameters
    ----------
    strategy : str
        See `Adaptive`.
    prior : float
        Its mean, as a multiple of the mean of the true rates; it weighs as much as one epoch.
    seed, n, epochs : int
    points : int
        How many epochs are reported.

    Returns
    -------
    DataFrame
        ``epoch`` and ``regret``, in what the relaxed problem earns in an epoch.
    """
    import pandas as pd

    sources, crawls = random_sources(n, seed), max(n // 5, 1)
    mean = prior * sources.arrivals.mean()
    lost = regret(sources, crawls, epochs, strategy, (mean, 1.0), seed)
    at = np.unique(np.geomspace(1, epochs, points).astype(int))
    return pd.DataFrame({"epoch": at, "regret": lost[at - 1] / relaxation(sources, crawls).bound})
