"""Chapter 09: when to look again with unknown change rates. Times are in days."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from tres_lib import refresh
from tres_lib.refresh.estimators import METHODS

from ..intervals import summarise
from ..refresh import benchmark, changes, learnable, learnt, schedulers, signals
from ..study import results
from ..study.findings import Figure, of_table
from ..study.study import Parts, Study, grid, studies_of

NORMAL_95 = 1.959964
SAFE = ("band", "hoeffding")  # intervals that hold the rate as often as promised
COMPARED = (
    *("uniform", "proportional-request", "greedy-doubling", "explore-commit"),
    *("explore-commit-short", "epsilon-decay"),
)
BY_BOUND = {"explore-commit-theory": 1.0, "explore-commit-short": 0.25, "explore-commit-long": 4.0}
RIVALS = (
    *("uniform", "proportional-change", "proportional-request", "explore-commit", *BY_BOUND),
    *("greedy-doubling", "epsilon", "epsilon-decay"),
)
LAWS = {"looks_a_day": [0.05, 0.2, 1.0], "decades": [1.0, 3.0], "tail": [1.2, 3.0]}  # of pages
SEEDS = range(20)  # of worlds
REGRET = ("regret", "freshness", "oracle", "explored")  # former runs count requests, too
CACHE = {"pages": [1_000], "looks_a_day": [0.2]}
HORIZONS = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
TIMES = (30, 100, 300, 1_000, 3_000, 10_000)  # of an estimate
BITS = (10, 100, 1_000, 10_000)
CHANGE_RATES = (0.05, 0.3, 2.0)
RUN_DAYS = 10_000  # by size of the cache and law of pages; and the longest exploration
PARTS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)  # of the bound's horizon
QUALITIES = (0.3, 0.6, 0.9, 1.0)  # precision and recall of signals
FETCHES_A_DAY = (0.05, 0.2, 1.0)  # fetches a page and day; in all but the benchmark:
BANDWIDTH = 0.2
WORLDS = range(12)  # of the replays
USUAL = 0.8, 0.5  # precision and recall of the signals in the benchmark


def studies() -> dict[str, Study]:
    """Return the chapter's sweeps, of estimates, of regret, of schedulers and of signals."""
    explored = np.geomspace(30, RUN_DAYS, 14).round().astype(int).tolist()
    page = {"rate": CHANGE_RATES, "spacing": ["poisson", "uniform"]}
    spread = {"refresh_rate": [0.1, 0.5, 2.0], "times": [list(TIMES)]}
    commit = {"policy": ["explore-commit"], "horizon": [RUN_DAYS / 3]}
    sizes = (10, 30, 100, 300, 1_000, 3_000, 10_000)
    compared = {"policy": list(COMPARED), "horizon": [RUN_DAYS], **CACHE, **LAWS}
    swept: dict[str, Any] = {"horizon": [RUN_DAYS], "pages": [300], **LAWS, "seed": SEEDS[:6]}
    horizons = grid(policy=["explore-commit"], part=PARTS, **swept)
    horizons += grid(policy=["explore-commit-second-order"], **swept)

    def over(**axes: Any) -> list[dict[str, Any]]:
        return grid(seed=SEEDS, **dict(sorted(axes.items())))

    parts: Parts = {
        "errors": (estimator_trial, over(**page, **spread)),
        "cover": (coverage_trial, over(**page, looks=BITS, refresh_rate=[0.5])),
        "regret": (regret_trial, over(policy=RIVALS, horizon=HORIZONS, **CACHE)),
        "lost": (horizon_trial, over(explored=[explored], **CACHE)),
        "sizes": (regret_trial, over(**commit, pages=sizes)),
        "laws": (regret_trial, over(**compared)),
        "horizons": (regret_trial, horizons),
        "benchmark": (benchmark_trial, grid(looks_a_day=FETCHES_A_DAY, seed=WORLDS)),
        "signals": (signal_trial, grid(seed=WORLDS)),
        "steady": (steady_trial, grid(seed=WORLDS)),
        "changing": (changing_trial, grid(seed=WORLDS)),
        "learnt": (learnt_trial, grid(seed=WORLDS)),
    }
    chosen = studies_of("refresh", parts, ("seed",))
    former = {part: replace(chosen[part], columns=REGRET) for part in ("regret", "sizes", "laws")}
    return chosen | former


def draw_bits(
    rate: float, refresh_rate: float, n: tuple[int, int], spacing: str, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw whether pages had changed, n each, and the gaps before, exponential or equal."""
    gaps = np.full(n, 1 / refresh_rate)
    if spacing == "poisson":
        gaps = rng.exponential(1 / refresh_rate, n)
    return rng.random(n) < -np.expm1(-rate * gaps), gaps


def estimator_trial(
    rate: float, refresh_rate: float, spacing: str, times: list[float], seed: int, pages: int = 50
) -> pd.DataFrame:
    """Return the estimators' root mean square ``error`` and, by ``theory``, their standard error.

    Both are over the true rate; theory is for the gaps of the first page.
    """
    n, rng = (pages, round(max(times) * refresh_rate)), np.random.default_rng([seed, pages])
    changed, gaps = draw_bits(rate, refresh_rate, n, spacing, rng)
    rows = []
    for time, method in product(times, METHODS):
        k = max(1, round(time * refresh_rate))
        estimates = refresh.estimate_change_rates(changed[:, :k], gaps[:, :k], method=method)
        error = float(np.sqrt(np.mean((estimates / rate - 1) ** 2)))
        theory = learnable.standard_error(rate, gaps[0, :k], method) / rate
        rows.append((time, method, error, theory))
    return pd.DataFrame(rows, columns=["time", "method", "error", "theory"])


def coverage_trial(
    rate: float, refresh_rate: float, spacing: str, looks: int, seed: int, pages: int = 50
) -> pd.DataFrame:
    """Return how often 95 % intervals hold the true rate, and their median width over it.

    The ``interval`` "wald" is the maximum likelihood estimate with its standard error.
    """
    rng = np.random.default_rng([seed, looks])
    changed, gaps = draw_bits(rate, refresh_rate, (pages, looks), spacing, rng)
    pairs = list(zip(changed, gaps, strict=True))
    ends = {m: np.array([refresh.confidence_interval(*p, 0.05, m) for p in pairs]) for m in SAFE}
    estimates = refresh.estimate_change_rates(changed, gaps)
    errors = [learnable.standard_error(x, g) for x, g in zip(estimates, gaps, strict=True)]
    half = NORMAL_95 * np.array(errors)
    ends["wald"] = np.clip(np.column_stack([estimates - half, estimates + half]), *refresh.BOUNDS)
    low, high = np.moveaxis(np.array([*ends.values()]), -1, 0)  # (intervals, pages)
    coverage = ((low <= rate) & (rate <= high)).mean(axis=1)
    width = np.median(high - low, axis=1) / rate
    return pd.DataFrame({"interval": [*ends], "coverage": coverage, "width": width})


def regret_trial(
    policy: str,
    horizon: float,
    seed: int,
    pages: int = 100,
    looks_a_day: float = 0.2,
    decades: float = 3.0,
    tail: float = 2.0,
    part: float | None = None,
) -> dict[str, float | np.ndarray]:
    """Return a policy's regret on pages drawn by the seed, in days.

    With a `part`, or a name of `BY_BOUND`, it explores that part of the bound's horizon, by the
    true rates.
    ``freshness`` and ``oracle`` are, in the long run, of the rates at the end and of the best;
    ``explored`` is days until pages were first refreshed at rates that differ.
    """
    drawing, running = np.random.default_rng([seed, pages]).spawn(2)
    xi, zeta = refresh.sample_pages(pages, drawing, decades=decades, tail=tail)
    chosen: str | refresh.Policy = policy
    part = BY_BOUND.get(policy, part)
    if part is not None:
        bound = refresh.best_horizon(xi, zeta, looks_a_day * pages, horizon)
        chosen = refresh.ExploreCommit(part * bound)
    elif policy == "explore-commit-second-order":
        chosen = learnable.SECOND_ORDER
    run = refresh.simulate(chosen, xi, zeta, looks_a_day * pages, horizon, running)
    best = refresh.optimal_rates(xi, zeta, run.bandwidth)
    uneven = run.starts[np.ptp(run.rates, axis=1) > 0]
    return {
        "regret": run.regret(),
        "freshness": refresh.freshness(run.rates[-1], xi, zeta),
        "oracle": refresh.freshness(best, xi, zeta),
        "explored": float(uneven[0]) if len(uneven) else float(horizon),
    }


def horizon_trial(
    seed: int, explored: list[float], pages: int = 100, looks_a_day: float = 0.2, runs: int = 10
) -> pd.DataFrame:
    """Return what is ``lost`` a day after exploring ``tau`` days, with `exploration_costs`."""
    drawing, *running = np.random.default_rng([seed, pages]).spawn(1 + runs)
    xi, zeta = refresh.sample_pages(pages, drawing)
    bandwidth = looks_a_day * pages
    best = refresh.freshness(refresh.optimal_rates(xi, zeta, bandwidth), xi, zeta)
    lost = np.zeros((runs, len(explored)))
    for run, rng in enumerate(running):
        for k, tau in enumerate(explored):
            seen = refresh.simulate("uniform", xi, zeta, bandwidth, tau, rng).observed
            estimates = refresh.estimate_change_rates(seen.changed, seen.gaps, seen.pages, pages)
            lost[run, k] = best - refresh.freshness(
                refresh.optimal_rates(estimates, zeta, bandwidth), xi, zeta
            )
    costs = vars(refresh.exploration_costs(xi, zeta, bandwidth))
    costs = costs | {"small_error_loss": learnable.small_error_loss(xi, zeta, bandwidth)}
    return pd.DataFrame({"tau": explored, "lost": lost.mean(axis=0)}).assign(**costs)


def drawn(seed: int, pages: int, days: float, *quality: float) -> changes.ChangeLog:
    """Return the changes in a world drawn by the seed, with signals of a precision and recall."""
    return changes.draw_changes(pages, np.random.default_rng([seed, pages]), days, *quality)


def of_qualities(
    seed: int, pages: int, days: float
) -> Iterator[tuple[float, float, changes.ChangeLog]]:
    """Yield each pair of `QUALITIES` with a log, of the same pages."""
    for quality in product(QUALITIES, QUALITIES):
        yield *quality, drawn(seed, pages, days, *quality)


def benchmark_trial(
    seed: int, looks_a_day: float, pages: int = 200, days: float = 365.0
) -> pd.DataFrame:
    """Return the `tres_book.refresh.scores` of all schedulers in a world drawn by the seed."""
    log = drawn(seed, pages, days, *USUAL)
    return benchmark.scores(list(schedulers.SCHEDULERS), log, looks_a_day * pages, seed)


def signal_trial(seed: int, pages: int = 200, days: float = 365.0) -> pd.DataFrame:
    """Return the freshness of greedy-NCIS for each pair of `QUALITIES`, on the same pages.

    Beside it stand ``deaf``, the same policy without signals, ``less``, with four fifths of the
    bandwidth, and the ``bound``, the continuous optimum.
    """
    bandwidth = BANDWIDTH * pages
    rows: list[Any] = []
    for precision, recall, log in of_qualities(seed, pages, days):
        if not rows:
            deaf = benchmark.replay("greedy", log, bandwidth).freshness
        fresh, less = (benchmark.replay("ncis", log, r * bandwidth).freshness for r in (1, 0.8))
        known = log.change_rates, log.request_rates, bandwidth, log.signals
        bound, _ = signals.continuous_optimum(*known)
        rows.append((precision, recall, fresh, less, deaf, bound))
    return pd.DataFrame(rows, columns=["precision", "recall", "freshness", "less", "deaf", "bound"])


def steady_trial(
    seed: int, pages: int = 200, days: float = 365.0, first: float = 30.0
) -> pd.DataFrame:
    """Return the freshness of greedy-NCIS after the first days, on the pages of `signal_trial`."""
    rows = []
    for precision, recall, log in of_qualities(seed, pages, days):
        whole, early = (
            benchmark.replay("ncis", replace(log, horizon=end), BANDWIDTH * pages).freshness * end
            for end in (days, first)
        )
        rows.append((precision, recall, (whole - early) / (days - first)))
    return pd.DataFrame(rows, columns=["precision", "recall", "freshness"])


def learnt_trial(seed: int, pages: int = 200, days: float = 365.0) -> pd.DataFrame:
    """Return the freshness of `LearntNcis` and `Trusting`, on the pages of `signal_trial`."""
    makers = {"learnt": learnt.LearntNcis, "trust": learnt.Trusting}
    rows = []
    for precision, recall, log in of_qualities(seed, pages, days):
        runs = {k: benchmark.replay(m, log, BANDWIDTH * pages) for k, m in makers.items()}
        fresh = {name: run.freshness for name, run in runs.items()}
        rows.append({"precision": precision, "recall": recall} | fresh)
    return pd.DataFrame(rows)


def changing_trial(seed: int, pages: int = 200, days: float = 365.0) -> dict[str, float]:
    """Return how greedy-NCIS fares when its bandwidth doubles after half of the time.

    ``late`` is its freshness over the second half, ``bound`` the continuous optimum's for twice
    the bandwidth. ``spread`` is the largest relative difference of a day's fetches from the
    bandwidth before, and ``alone`` that of pages which each fetch at the bound's price.
    """
    log = drawn(seed, pages, days, *USUAL)
    bandwidth, half = BANDWIDTH * pages, days / 2
    before = np.arange(1, half * bandwidth) / bandwidth
    after = half + np.arange(2 * half * bandwidth) / (2 * bandwidth)
    whole = benchmark.replay("ncis", log, np.concatenate([before, after])).freshness
    first = benchmark.replay("ncis", replace(log, horizon=half), before)
    known = log.change_rates, log.request_rates
    bound, _ = signals.continuous_optimum(*known, 2 * bandwidth, log.signals)
    _, price = signals.continuous_optimum(*known, bandwidth, log.signals)
    fine = np.arange(1, half * bandwidth * 4) / (4 * bandwidth)
    alone = benchmark.replay(lambda task: schedulers.GreedyNcis(task, price=price), log, fine)
    days_of = (run.slots[run.fetched >= 0] for run in (first, alone))
    edges = np.arange(5, int(half))  # without the first days, in which all pages are new
    spread, by_price = (np.abs(np.histogram(t, edges)[0] / bandwidth - 1).max() for t in days_of)
    late = (whole * days - first.freshness * half) / (days - half)
    return {"late": late, "bound": bound, "spread": spread, "alone": by_price}


def shares(runs: pd.DataFrame, by: str = "policy") -> pd.DataFrame:
    """Return the share of the oracle's freshness over whole runs, as `summarise`, by law, too."""
    lost = runs["regret"] / (runs["oracle"] * runs["horizon"])
    return summarise(runs.assign(share=1 - lost), [by, *LAWS], "share")


def only_exploring(bench: pd.DataFrame) -> pd.DataFrame:
    """Return in how many worlds a policy's freshness is, to the last bit, that of uniform."""
    fresh = bench.pivot(index=["looks_a_day", "seed"], columns="policy", values="freshness")
    same = fresh.drop(columns="uniform").eq(fresh["uniform"], axis=0)
    worlds = same.groupby("looks_a_day").sum()
    return worlds.loc[:, worlds.any()]


def figures() -> dict[str, Any]:
    """Return the figures of the chapter's sentences that no claim records."""
    plan = studies()
    bench, means = results.rows(plan["benchmark"]), shares(results.rows(plan["laws"]))
    table = benchmark.ranking(bench, ["looks_a_day", "policy"]).reset_index()
    commit = means[means["policy"] == "explore-commit"]
    few = commit["looks_a_day"] < BANDWIDTH
    alike, n = only_exploring(bench)["explore-commit"], len(WORLDS)
    return {
        "few": of_table(table[table["looks_a_day"] == min(FETCHES_A_DAY)], "policy", "share"),
        "usual": of_table(table[table["looks_a_day"] == BANDWIDTH], "policy", "share"),
        "only_exploring": int(alike[:BANDWIDTH].min() == n and alike[1.0] < n),
        **{f"{end}_few": Figure(commit.loc[few, "mean"].agg(end)) for end in ("min", "max")},
        **{f"{end}_more": Figure(commit.loc[~few, "mean"].agg(end)) for end in ("min", "max")},
    }


def power_laws(table: pd.DataFrame, x: str, y: str, by: list[str]) -> pd.DataFrame:
    """Return the exponent of y as a power of x in each group, the ``slope`` in log-log axes."""
    groups = table.groupby(by, sort=False)[[x, y]]
    slopes = groups.apply(lambda group: np.polyfit(np.log(group[x]), np.log(group[y]), 1)[0])
    return slopes.rename("slope").reset_index()
