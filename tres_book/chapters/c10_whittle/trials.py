"""Chapter 10: which ephemeral source now. Trials."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.ephemeral.adaptive import STRATEGIES, regret
from tres_lib.ephemeral.bound import relaxation
from tres_lib.ephemeral.dynamic_programming import numeric_index
from tres_lib.ephemeral.index import orbit, whittle_index
from tres_lib.ephemeral.policies import Policy, lagrangian
from tres_lib.ephemeral.simulate import Run, simulate
from tres_lib.ephemeral.sources import Sources, source

from ...study.plan import Parts, Study, grid, studies_of
from .checks import check_noisy_source, check_source
from .sources import DECAY, noisy_chain, random_sources, table_1

ACCURACY = 1e-7  # of a numeric index, relative to the largest state
PRIORS = {1.0: "right mean", 0.01: "a hundred times too low"}  # over the true mean of the rates
# Violations are relative to the largest state, so 1 is what they compare.
VIOLATIONS = dict.fromkeys(("theorem 1", *(f"lemma {n}" for n in range(1, 6))), 1.0)
OLDEST = 12  # age, in epochs, of sources that start out of step
ARRIVAL_RATES = (1, 4, 16, 64, 250)
NUMBERS = (4, 12, 40, 100, 400, 1_000, 4_000, 10_000)  # of sources
SEEDS = range(30)
NOISY_EPOCHS = 10_000
MANY_EPOCHS = 1_000


def studies() -> dict[str, Study]:
    """Return the sweeps.

    Checks of random and ``noisy`` sources, their indices, rewards and regret; ``many`` sources, and
    the index's ``successors``.
    """
    noisy = grid(arrival_rate=ARRIVAL_RATES, decay=sorted(set(DECAY)))
    spread = {"epochs": [NOISY_EPOCHS], "seeds": [len(SEEDS)]}
    late = {"n": [20], "epochs": [5_000], "seed": SEEDS}
    kinds = {"in step": SEEDS[:1], "out of step": SEEDS, "random": SEEDS}
    many = [
        {"n": n, "kind": kind, "seed": seed, "epochs": MANY_EPOCHS}
        for n in NUMBERS
        for kind, seeds in kinds.items()
        for seed in seeds
    ]
    parts: Parts = {
        "sources": (check_source, grid(seed=range(100))),
        "noisy": (check_noisy_source, noisy),
        "indices": (noisy_index, noisy),
        "rewards": (noisy_rewards, grid(arrival_rate=ARRIVAL_RATES, crawls=(1, 2), **spread)),
        "many": (many_sources, many),
        "successors": (successor_trial, grid(n=(10, 100), share=(0.1, 0.5), seed=SEEDS)),
        "regret": (regret_trial, grid(prior=PRIORS, strategy=STRATEGIES, **late)),
    }
    chosen = studies_of("ephemeral", parts)
    relative = {name: replace(chosen[name], scales=VIOLATIONS) for name in ("sources", "noisy")}
    return chosen | relative


def settled_mean(sources: Sources, crawls: int, run: Run) -> float:
    """Return the mean reward per epoch, as if the run ended in the states in which it began.

    What the states gain is added, which else hides small differences: at the relaxed problem's
    price a state's value is the reward of a crawl, or more if waiting is better.
    """
    advantage = lagrangian(sources, crawls, np.ones(len(sources)))
    assert run.states is not None
    ends = run.states[[0, -1]]
    value = [(x - np.minimum(advantage(x, np.zeros(len(x))), 0)).sum() for x in ends]
    return float((run.reward[:-1].sum() + value[1] - value[0]) / (len(run.reward) - 1))


def gap(sources: Sources, crawls: int, run: Run) -> float:
    """Return by how much a run's `settled_mean` is below the Lagrangian bound, relative to it.

    In a deterministic run that is the loss of its choices, each against the best one at the
    relaxed problem's price, so it is never negative.
    """
    return 1 - settled_mean(sources, crawls, run) / relaxation(sources, crawls).bound


def late_gap(sources: Sources, crawls: int, epochs: int, **options: Any) -> float:
    """Return the relative gap of a run's second half; options are those of `simulate`."""
    run = simulate(sources, crawls, epochs, keep_states=True, **options)
    return gap(sources, crawls, Run(*(part[epochs // 2 :] for part in vars(run).values())))


def many_sources(n: int, kind: str, seed: int, epochs: int) -> dict[str, float]:
    """Return the relative gap of the index policy in a run's second half, half the sources crawled.

    They are copies of the paper's four that all start in u ("in step") or at random ages ("out of
    step"), or random sources that start in u.
    """
    rng = np.random.default_rng(seed)
    sources = random_sources(n, rng) if kind == "random" else table_1().copies(n // 4)
    age = rng.integers(OLDEST, size=n) if kind == "out of step" else np.zeros(n)
    x0 = orbit(age, sources.alpha, sources.u)
    return {"gap": late_gap(sources, n // 2, epochs, x0=x0)}


def successor_trial(n: int, share: float, seed: int, epochs: int = 1_000) -> dict[str, float]:
    """Return the relative gaps of two indices in a run's second half, on random sources."""
    given = random_sources(n, seed), round(share * n), epochs
    return {policy: late_gap(*given, policy=policy) for policy in ("whittle", "lagrangian")}


def noisy_index(arrival_rate: float, decay: float, step: int = 4) -> pd.DataFrame:
    """Return both indices of a source of random arrivals by state, up to x* and two deviations."""
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


def noisy_rewards(arrival_rate: float, crawls: int, epochs: int, seeds: int) -> pd.DataFrame:
    """Return `settled_mean` of the paper's sources with random arrivals, one row per seed.

    ``true index`` and ``formula``: the states are seen, and ranked by the index of the random
    process or by Theorem 1's; ``unseen``: Theorem 1 by age only. All meet the same arrivals.
    """
    sources = table_1(arrival_rate)
    ways: dict[str, Any] = {
        "true index": {"policy": _tabulated(arrival_rate)},
        "formula": {"policy": "whittle"},
        "unseen": {"policy": "whittle", "observed": False},
    }
    common: Any = {"stochastic": True, "keep_states": True}
    rows = []
    for seed in range(seeds):
        runs = {k: simulate(sources, crawls, epochs, rng=seed, **common, **ways[k]) for k in ways}
        rows.append({k: settled_mean(sources, crawls, run) for k, run in runs.items()})
    return pd.DataFrame(rows).rename_axis("seed").reset_index()


def _tabulated(arrival_rate: float) -> Policy:
    """Return the numeric index of the paper's sources, interpolated, straight above the grid."""
    numeric = {decay: noisy_index(arrival_rate, decay, step=8) for decay in set(DECAY)}
    columns = [numeric[decay][["state", "numeric"]].to_numpy().T for decay in DECAY]
    tables = [u * table for u, table in zip(table_1(arrival_rate).u, columns, strict=True)]

    def priorities(x: np.ndarray, age: np.ndarray) -> np.ndarray:
        inside = [np.interp(a, *table) for a, table in zip(x, tables, strict=True)]
        above = [max(a - states[-1], 0.0) for a, (states, _) in zip(x, tables, strict=True)]
        return np.add(inside, above)

    return priorities


def regret_trial(
    strategy: str, prior: float, seed: int, n: int, epochs: int, points: int = 50
) -> pd.DataFrame:
    """Return the regret of learning the rates of n random sources, a fifth of them crawled.

    It is in rewards of the relaxed problem. The prior's mean is a multiple of the mean of the true
    rates; it weighs as much as one epoch.
    """
    sources, crawls = random_sources(n, seed), max(n // 5, 1)
    assert sources.arrivals is not None
    mean = prior * sources.arrivals.mean()
    lost = regret(sources, crawls, epochs, strategy, (mean, 1.0), seed)
    at = np.unique(np.geomspace(1, epochs, points).astype(int))
    return pd.DataFrame({"epoch": at, "regret": lost[at - 1] / relaxation(sources, crawls).bound})
