"""The sweeps of chapters 03 and 07 to 12 as studies, of which `results.sweep` reads what is stored.

Arguments are the chapters' parameters; the defaults are what is stored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from tres_lib.ephemeral.adaptive import STRATEGIES
from tres_lib.foragers.newsweb import REWIRINGS
from tres_lib.refresh.policies import POLICIES

from ..chapters import (
    c03_classifier as classifier,
    c07_theory as tres_theory,
    c09_refresh as cached,
    c10_checks as whittle_checks,
    c10_whittle as whittle,
    c11_foragers as fleets,
    c12_deep_web as deepweb,
)
from ..study.results import Study

TOPICS = ("sports", "food", "computing")
COMPARED = ("uniform", "proportional-request", "greedy-doubling", "explore-commit", "epsilon-decay")
LAWS = {"looks_a_day": [0.05, 0.2, 1.0], "decades": [1.0, 3.0], "tail": [1.2, 3.0]}
FEW = ("site", "query", "coverage", "new", "returned", "expected_size")  # of a log of queries
QUERIES = {  # columns that chapter 12 draws
    "theorem": ("site", "query", "returned", "new", "df"),
    "policies": (*FEW, "pages", "acquired", "once", "estimate"),
    "changes": FEW,
    "languages": FEW,
}
Studies = dict[str, Study]


def classifiers(
    topics: Sequence[str] = TOPICS, *, folds: int = 5, epochs: int = 20, seed: int = 1
) -> Studies:
    """Return chapter 03: predictions for held-out ``folds``."""
    common = {"folds": folds, "epochs": epochs, "seed": seed}
    names = ("kwbilstm", "svm")
    settings = [
        {"classifier": name, "topic": topic, **common} for name in names for topic in topics
    ]
    return _studies("classifier", {"folds": (classifier.fold_trial, settings)})


def theory(
    topics: Sequence[str] = TOPICS,
    webs: Iterable[int] = range(10),
    *,
    budget: int = 20_000,
    every: int = 200,
    short_budget: int = 1_000,
    sites: int = 100_000,
    epochs: int = 20,
) -> Studies:
    """Return chapters 07 and 08: ``probed`` crawls by TRES, and what short crawls ``scored``."""
    common = {"sites": sites, "epochs": epochs}
    runs = [{"topic": topic, "web_seed": web} for web in webs for topic in topics]
    probed = [run | common | {"budget": budget, "every": every} for run in runs]
    ways = ("sync", "tres", "tres-async")
    short = [run | common | {"policy": way, "budget": short_budget} for run in runs for way in ways]
    trials = {"probed": (tres_theory.trial_probe, probed), "scored": (tres_theory.scored, short)}
    return _studies("theory", trials, ("topic", "web_seed"))


def refresh(
    seeds: Iterable[int] = range(20),
    *,
    pages: int = 1_000,
    looks_a_day: float = 0.2,
    horizons: Sequence[int] = (300, 1_000, 3_000, 10_000, 30_000, 100_000),
    times: Sequence[int] = (30, 100, 300, 1_000, 3_000, 10_000),
    bits: Sequence[int] = (10, 100, 1_000, 10_000),
    drawn_gaps: int = 65_536,
    longest_exploration: int = 10_000,
    change_rates: Sequence[float] = (0.05, 0.3, 2.0),
    page_counts: Sequence[int] = (10, 30, 100, 300, 1_000, 3_000, 10_000),
    run_days: int = 10_000,
) -> Studies:
    """Return chapter 09.

    Estimation ``errors``, how intervals ``cover`` the true rate, ``learning`` from growing gaps,
    ``regret``, what is ``lost`` by the time of exploring, regret by ``sizes`` of the cache and
    under ``laws`` of pages.
    """
    spacing, common = ["poisson", "uniform"], {"pages": [pages], "looks_a_day": [looks_a_day]}
    explored = np.geomspace(30, longest_exploration, 14).round().astype(int).tolist()
    numbers = list(seeds)

    def over(trial: Any, **axes: Any) -> tuple[Any, list[dict[str, Any]]]:
        return trial, [run | {"seed": seed} for seed in numbers for run in ParameterGrid(axes)]

    known = {"rate": change_rates, "spacing": spacing}
    spread = {"refresh_rate": [0.1, 0.5, 2.0], "times": [list(times)]}
    growing = {"product": [0.5, 1.0, 1.5, 3.0], "rate": [0.5], "most": [drawn_gaps]}
    commit = {"policy": ["explore-commit"], "horizon": [run_days / 3]}
    laws = {"policy": list(COMPARED), "horizon": [run_days], **common, **LAWS}
    rivals = [policy for policy in POLICIES if policy != "oracle"]
    every = {"policy": rivals, "horizon": horizons, **common}
    trials = {
        "errors": over(cached.estimator_trial, **known, **spread),
        "cover": over(cached.coverage_trial, **known, looks=bits, refresh_rate=[0.5]),
        "learning": over(cached.identifiability_trial, **growing),
        "regret": over(cached.regret_trial, **every),
        "lost": over(cached.horizon_trial, explored=[explored], **common),
        "sizes": over(cached.regret_trial, **commit, pages=page_counts),
        "laws": over(cached.regret_trial, **laws),
    }
    return _studies("refresh", trials, ("seed",))


def ephemeral(
    seed: int = 0,
    *,
    checked_sources: int = 100,
    arrival_rates: Sequence[int] = (1, 4, 16, 64, 250),
    noisy_epochs: int = 10_000,
    noisy_seeds: int = 30,
    sizes: Sequence[int] = (4, 12, 40, 100, 400, 1_000, 4_000, 10_000),
    size_seeds: int = 30,
    size_epochs: int = 1_000,
    learners: int = 20,
    learning_epochs: int = 5_000,
    learning_seeds: int = 30,
) -> Studies:
    """Return chapter 10.

    Theorem and lemmas at random ``sources``, and at ``noisy`` ones; both ``indices`` of these;
    ``rewards`` by either; the gap of ``many`` sources; ``regret`` of unknown rates.
    """
    checked = [{"seed": seed + i} for i in range(checked_sources)]
    decays = sorted(set(whittle.DECAY))
    noisy = [{"arrival_rate": r, "decay": d} for r in arrival_rates for d in decays]
    spread = {"epochs": noisy_epochs, "seeds": noisy_seeds}
    earned = [{"arrival_rate": r, "crawls": m} | spread for r in arrival_rates for m in (1, 2)]
    kinds = {"in step": 1, "out of step": size_seeds, "random": size_seeds}
    grid = [(n, kind, seed + i) for n in sizes for kind in kinds for i in range(kinds[kind])]
    many = [{"n": n, "kind": k, "seed": s, "epochs": size_epochs} for n, k, s in grid]
    ways = [{"strategy": s, "prior": p} for p in whittle.PRIORS for s in STRATEGIES]
    size = {"n": learners, "epochs": learning_epochs}
    learning = [way | size | {"seed": seed + i} for way in ways for i in range(learning_seeds)]
    trials = {
        "sources": (whittle_checks.check_source, checked),
        "noisy": (whittle_checks.check_noisy_source, noisy),
        "indices": (whittle.noisy_index, noisy),
        "rewards": (whittle.noisy_rewards, earned),
        "many": (whittle.many_sources, many),
        "regret": (whittle.regret_trial, learning),
    }
    return _studies("ephemeral", trials)


def foragers(
    webs: Sequence[int] = range(10),
    seeds: Sequence[int] = range(3),
    *,
    days: float = 18.0,
    reading_webs: int = 10,
    reading_days: float = 6.0,
) -> Studies:
    """Return chapter 11: ``windows`` of fleets that forage, and the webs' ``graphs``."""
    days, reading_days = float(days), float(reading_days)  # a setting's 18 is not its 18.0
    rewirings = ["none", *REWIRINGS]
    plan = [
        *fleets.table_2(webs, seeds, days),
        *fleets.readings(webs, days, ["default", "16 founders"], rewirings),
        *fleets.readings(webs, days, ["TD only with reward"], ["none", "edge"]),
        *fleets.readings(webs[:reading_webs], reading_days),
        *fleets.texts(webs[:reading_webs], reading_days),
        *fleets.orders(webs, [0], days),
    ]
    graphs = [{"web_seed": w, "days": days, "rewiring": r} for w in webs for r in rewirings]
    plan = sorted(fleets.distinct(plan), key=lambda setting: setting["web_seed"])
    trials = {"windows": (fleets.trial, plan), "graphs": (fleets.graph_trial, graphs)}
    return _studies("foragers", trials, ("web_seed",))


def deep_web(
    seeds: Sequence[int] = range(20, 30),
    *,
    documents: int | None = 5_000,
    queries: int = 300,
    page_size: int = 20,
    max_results: int = 100,
) -> Studies:
    """Return chapter 12: probes of Theorem 1, ``policies``, ``changes`` and ``languages``."""
    size = {"documents": documents, "queries": queries, "page_size": page_size}
    parts = {
        name: deepweb.plan(name, seeds, max_results=max_results, **size) for name in deepweb.PARTS
    }
    if max_results is not None:
        parts["theorem"] += deepweb.plan("theorem", seeds, max_results=None, **size)
    by_seed = {name: sorted(part, key=lambda s: s["seed"]) for name, part in parts.items()}
    trials = {name: (deepweb.trial, settings) for name, settings in by_seed.items()}
    studies = _studies("deep-web", trials, ("seed",))
    return {name: replace(part, columns=QUERIES[name]) for name, part in studies.items()}


def _studies(
    chapter: str, trials: dict[str, tuple[Any, Any]], together: tuple[str, ...] = ()
) -> Studies:
    return {
        name: Study(f"{chapter}-{name}", trial, list(settings), together)
        for name, (trial, settings) in trials.items()
    }
