"""Chapter 10: which ephemeral source now. Sources, checks of the lemmas, trials.

A check is a number that must be 0: the largest violation of a lemma on a source's chain of states,
relative to the largest state, or the share of states in it.
"""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tres_lib import ephemeral
from tres_lib.ephemeral import Run, Sources, simulate, source

from .. import dynamic_programming as dynamic
from ..dynamic_programming import Chain, Solution
from ..intervals import summarise
from ..orbits import cycle, lagrangian
from ..study import results
from ..study.findings import Figure, name_of, of_table
from ..study.study import Parts, Study, grid, studies_of

MEAN_UTILITY = (1.0, 0.7, 0.2, 0.08)  # Table 1
DECAY = (0.7, 0.35, 0.7, 0.21)
ARRIVAL_RATE = 250.0
RANGES = {"mean_utility": (0.05, 1.0), "decay": (0.05, 1.0), "arrival_rate": (5.0, 500.0)}
DRAWS = 40_000  # of the utility that an epoch brings at random
OUTCOMES = 1_000  # equally likely ones, into which they are sorted
REACH = 1e-5  # distance to x* up to which an orbit is followed, relative
DISCOUNTS = (0.9, 0.99)
COSTS = np.geomspace(1, 0.01, 33)  # of waiting an epoch, in u: subsidies from about 0 to x*
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
LOST, SEEN = "lost by the formula, %", "gained by seeing, %"
CRAWLS = {1: "one crawl", 2: "two crawls"}
POLICIES = ("whittle", "lagrangian", "myopic", "round-robin", "best-fixed")


def studies() -> dict[str, Study]:
    """Return the sweeps: checks of sources, indices, rewards, many sources, and successors."""
    noisy = grid(arrival_rate=ARRIVAL_RATES, decay=sorted(set(DECAY)))
    spread = {"epochs": [NOISY_EPOCHS], "seeds": [len(SEEDS)]}
    kinds = {"in step": SEEDS[:1], "out of step": SEEDS, "random": SEEDS}
    many = []
    for n, (kind, seeds) in product(NUMBERS, kinds.items()):
        many += grid(n=[n], kind=[kind], seed=seeds, epochs=[MANY_EPOCHS])
    parts: Parts = {
        "sources": (check_source, grid(seed=range(100))),
        "noisy": (check_noisy_source, noisy),
        "indices": (noisy_index, noisy),
        "rewards": (noisy_rewards, grid(arrival_rate=ARRIVAL_RATES, crawls=(1, 2), **spread)),
        "many": (many_sources, many),
        "successors": (successor_trial, grid(n=(10, 100), share=(0.1, 0.5), seed=SEEDS)),
    }
    chosen = studies_of("ephemeral", parts)
    relative = {name: replace(chosen[name], scales=VIOLATIONS) for name in ("sources", "noisy")}
    return chosen | relative


def table_1(arrival_rate: ArrayLike = ARRIVAL_RATE) -> Sources:
    """Return the paper's four sources, with its arrival rate or another one."""
    return source(MEAN_UTILITY, DECAY, arrival_rate)


def random_sources(n: int, rng: np.random.Generator | int) -> Sources:
    """Return n sources with each parameter log-uniform in its range of `RANGES`."""
    low, high = np.log(list(RANGES.values())).T
    return source(*np.exp(np.random.default_rng(rng).uniform(low, high, (n, 3))).T)


def noisy_chain(arrival_rate: float, decay: float) -> Chain:
    """Return a source of items of utility 1 that arrive at random, on an even grid of states.

    It ends six standard deviations of a source never crawled above x*.
    """
    one, many = (source(utility, decay, arrival_rate) for utility in (1.0, np.ones(DRAWS)))
    drawn = ephemeral.Arrivals(many, 0).draw()[0]
    new = np.sort(drawn * (one.u / drawn.mean())).reshape(OUTCOMES, -1).mean(axis=1)
    spread = new.std() / np.sqrt(1 - one.alpha**2)
    return dynamic.chain(np.linspace(0, one.limit + 6 * spread, 251), float(one.alpha), new)


def orbit_chain(alpha: float, u: float) -> Chain:
    """Return a deterministic source: its orbit, and states below and between that lead along it."""
    epochs = int(np.ceil(np.log(REACH) / np.log(alpha)))
    states = dynamic.orbit_states(alpha, u, [0.0, u / 3, u, u * (1 + alpha / 2)], epochs)
    return dynamic.chain(states, alpha, u)


def check_source(seed: int) -> dict[str, float]:
    """Check the lemmas and Theorem 1, on 40 states up to 0.999 x*, at a random source."""
    one = random_sources(1, seed)
    alpha, u, limit = (float(values[0]) for values in (one.alpha, one.u, one.limit))
    model = orbit_chain(alpha, u)
    at = np.linspace(0, np.flatnonzero(model.states <= 0.999 * limit)[-1], 40).astype(int)
    formula = ephemeral.whittle_index(model.states[at], alpha, u)
    error = np.abs(dynamic.numeric_index(model, at) - formula).max()
    return {"alpha": alpha, "u": u, "theorem 1": error / limit} | check_chain(model)


def check_noisy_source(arrival_rate: float, decay: float) -> dict[str, float]:
    """Check the lemmas of Section 7 on a source whose arrivals are random."""
    return check_chain(noisy_chain(arrival_rate, decay))


def check_chain(model: Chain) -> dict[str, float]:
    """Return the violations of the lemmas.

    ``lemma 1``: the discounted value rises, is convex, and nowhere steeper than 1.
    ``lemma 2``: the average-reward value rises, is convex, and its policy earns the gain.
    ``lemma 3``: other first guesses lead to the same value, and no two to the same subsidy.
    ``lemma 4``: a higher subsidy makes no passive state active.
    ``lemma 5``: no passive state is above an active one.
    """
    top = model.states[-1]
    solution = dynamic.solve(model, COSTS * (model.reset @ model.states))
    discounted = [dynamic.discounted_value(model, solution.subsidy[::8], d) for d in DISCOUNTS]
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


def _missed(model: Chain, solution: Solution) -> float:
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


def _ambiguity(model: Chain, solution: Solution) -> float:
    """Return the difference from the value that a remote first guess leads to."""
    cost = (solution.gain - solution.subsidy)[::8]
    guess = 2 * model.states[-1] * np.random.default_rng(0).random(len(model.states))
    again = dynamic.solve(model, cost, guess)
    rises = np.diff(solution.subsidy).min()
    return max(float(np.abs(again.value - solution.value[::8]).max()), -rises, 0.0)


def policy_of(name: str, sources: Sources, crawls: int) -> str | ephemeral.Policy:
    """Return what `simulate` takes as the policy of a name."""
    return lagrangian(sources, crawls) if name == "lagrangian" else name


def settled_mean(sources: Sources, crawls: int, run: Run) -> float:
    """Return the mean reward per epoch, as if the run ended in the states in which it began.

    What the states gain is added, which else hides small differences: at the relaxed problem's
    price a state's value is the reward of a crawl, or more if waiting is better.
    """
    advantage = lagrangian(sources, crawls)
    assert run.states is not None
    ends = run.states[[0, -1]]
    value = [(x - np.minimum(advantage(x, np.zeros(len(x))), 0)).sum() for x in ends]
    return float((run.reward[:-1].sum() + value[1] - value[0]) / (len(run.reward) - 1))


def long_run_mean(name: str, sources: Sources, crawls: int) -> float:
    """Return the mean reward per epoch of the cycle in which a policy's run ends."""
    policy = policy_of(name, sources, crawls)
    return cycle(simulate(sources, crawls, 2_000, policy, keep_states=True))[0]


def gap(sources: Sources, crawls: int, run: Run) -> float:
    """Return by how much a run's `settled_mean` is below the Lagrangian bound, relative to it.

    In a deterministic run that is the loss of its choices, each against the best one at the
    relaxed problem's price, so it is never negative.
    """
    return 1 - settled_mean(sources, crawls, run) / ephemeral.relaxation(sources, crawls).bound


def late_gap(
    sources: Sources, crawls: int, epochs: int, policy: str = "whittle", **options: Any
) -> float:
    """Return the relative gap of a run's second half; options are those of `simulate`."""
    chosen = policy_of(policy, sources, crawls)
    run = simulate(sources, crawls, epochs, chosen, keep_states=True, **options)
    return gap(sources, crawls, Run(*(part[epochs // 2 :] for part in vars(run).values())))


def many_sources(n: int, kind: str, seed: int, epochs: int) -> dict[str, float]:
    """Return the relative gap of the index policy in a run's second half, half the sources crawled.

    They are copies of the paper's four that all start in u ("in step") or at random ages ("out of
    step"), or random sources that start in u.
    """
    rng = np.random.default_rng(seed)
    sources = random_sources(n, rng) if kind == "random" else table_1().copies(n // 4)
    age = rng.integers(OLDEST, size=n) if kind == "out of step" else np.zeros(n)
    x0 = ephemeral.orbit(age, sources.alpha, sources.u)
    return {"gap": late_gap(sources, n // 2, epochs, x0=x0)}


def successor_trial(n: int, share: float, seed: int, epochs: int = 1_000) -> dict[str, float]:
    """Return the relative gaps of two indices in a run's second half, on random sources."""
    sources, crawls = random_sources(n, seed), round(share * n)
    return {name: late_gap(sources, crawls, epochs, name) for name in ("whittle", "lagrangian")}


def noisy_index(arrival_rate: float, decay: float, step: int = 4) -> pd.DataFrame:
    """Return both indices of a source of random arrivals by state, up to x* and two deviations."""
    model, one = noisy_chain(arrival_rate, decay), source(1.0, decay, arrival_rate)
    spread = (model.states[-1] - one.limit) / 6
    at = np.flatnonzero(model.states <= one.limit + 2 * spread)[::step]
    state = model.states[at]
    columns = {
        "state": state,
        "numeric": dynamic.numeric_index(model, at, ACCURACY),
        "formula": ephemeral.whittle_index(state, one.alpha, one.u),
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


def compared(rewards: pd.DataFrame) -> pd.DataFrame:
    """Return what ranking by the formula costs, and what seeing the states is worth, by run."""
    lost = 100 * (1 - rewards["formula"] / rewards["true index"])
    seen = 100 * (rewards["formula"] / rewards["unseen"] - 1)
    return rewards.assign(**{LOST: lost, SEEN: seen}).replace({"crawls": CRAWLS})


def successor_gaps() -> pd.DataFrame:
    """Return the gaps of two indices in %, and by how much the Lagrangian index is nearer."""
    pairs = results.rows(studies()["successors"]).rename(columns={"n": "sources"})
    pairs[["whittle", "lagrangian"]] *= 100
    nearer = pairs["whittle"] - pairs["lagrangian"]
    return pairs.assign(nearer=nearer, ratio=pairs["lagrangian"] / pairs["whittle"])


def figures() -> dict[str, Any]:
    """Return the figures of the chapter's sentences that no claim records."""
    plan, sources = studies(), table_1()
    rewards, gaps = compared(results.rows(plan["rewards"])), successor_gaps()
    rewards["case"] = rewards["crawls"] + " " + rewards["arrival_rate"].astype(str)
    gaps["case"] = gaps["sources"].astype(str) + " " + (100 * gaps["share"]).map("{:.0f}".format)
    named = {"lost": (rewards, "case", LOST), "seen": (rewards, "case", SEEN)}
    named |= {name: (gaps, "case", name) for name in ("whittle", "lagrangian", "ratio")}
    many = results.rows(plan["many"])
    optimal = (
        long_run_mean("whittle", sources, crawls) / dynamic.exact_optimum(sources, crawls)
        for crawls in (1, 2, 3)
    )
    return {
        **{name_of(k): of_table(summarise(t, [by], y), by) for k, (t, by, y) in named.items()},
        "in_step": Figure(100 * many.loc[many["kind"] == "in step", "gap"].min()),
        "best_share": min(optimal),
    }


def _tabulated(arrival_rate: float) -> ephemeral.Policy:
    """Return the numeric index of the paper's sources, interpolated, straight above the grid."""
    numeric = {decay: noisy_index(arrival_rate, decay, step=8) for decay in set(DECAY)}
    columns = [numeric[decay][["state", "numeric"]].to_numpy().T for decay in DECAY]
    tables = [u * table for u, table in zip(table_1(arrival_rate).u, columns, strict=True)]

    def priorities(x: np.ndarray, age: np.ndarray) -> np.ndarray:
        inside = [np.interp(a, *table) for a, table in zip(x, tables, strict=True)]
        above = [max(a - states[-1], 0.0) for a, (states, _) in zip(x, tables, strict=True)]
        return np.add(inside, above)

    return priorities
