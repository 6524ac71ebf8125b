"""The chapter's experiments, small: deterministic, and right where the answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tres_book import refresh as schedulers
from tres_book.chapters import c09_refresh as trials


def test_errors_are_near_the_theorys():
    table = trials.estimator_trial(0.5, 1.0, "uniform", [500.0, 2000.0], 0, pages=400)
    assert table["error"].to_numpy() == pytest.approx(table["theory"].to_numpy(), rel=0.15)
    for _, same in table.groupby("time"):  # equal gaps: both methods are one
        assert np.ptp(same["error"]) < 1e-9


def test_bands_cover_and_wald_intervals_are_shorter():
    table = trials.coverage_trial(0.5, 1.0, "poisson", 100, 0).set_index("interval")
    assert table.loc["band", "coverage"] >= 0.95 and table.loc["hoeffding", "coverage"] >= 0.95
    widths = table.loc[["wald", "band", "hoeffding"], "width"]
    assert widths.is_monotonic_increasing


def test_longer_exploring_loses_less():
    table = trials.horizon_trial(0, [50.0, 800.0], pages=20, runs=4)
    assert table["lost"].iloc[1] < table["lost"].iloc[0] / 2 and table["exploring"].nunique() == 1
    assert (table["estimation_loss"] > table["small_error_loss"]).all()


def test_variants_explore_a_part_of_the_bounds_horizon():
    theory = trials.regret_trial("explore-commit-theory", 3_000.0, 2, pages=20)["explored"]
    short = trials.regret_trial("explore-commit-short", 3_000.0, 2, pages=20)["explored"]
    assert 0 < theory == pytest.approx(4 * short)


def test_the_oracle_is_the_measure():
    found = trials.regret_trial("oracle", 300.0, 0, pages=10)
    assert found["regret"] == pytest.approx(0, abs=1e-9)
    assert found["freshness"] == pytest.approx(found["oracle"])
    uniform = trials.regret_trial("uniform", 300.0, 0, pages=10)
    assert uniform["regret"] > 1 and uniform["freshness"] < uniform["oracle"]


def test_steady_freshness_is_counted_from_the_fetches_after_the_first_days():
    days, first, pages = 60.0, 20.0, 10
    found = trials.steady_trial(0, pages, days, first).set_index(["precision", "recall"])
    log = trials.drawn(0, pages, days, 0.6, 0.9)
    run = schedulers.replay("ncis", log, trials.BANDWIDTH * pages)
    fresh = np.zeros(pages)
    for page in range(pages):
        fetches = run.slots[run.fetched == page]
        changes = np.append(log.times[log.first[page] : log.first[page + 1]], days)
        for since, until in zip(fetches, np.append(fetches, days)[1:], strict=True):
            stale = min(until, changes[changes > since].min(initial=days))
            fresh[page] += max(stale - max(since, first), 0)
    expected = np.average(fresh, weights=log.request_rates) / (days - first)
    assert found.loc[(0.6, 0.9), "freshness"] == pytest.approx(expected, rel=1e-9)


def test_shares_are_of_what_the_oracle_serves_in_a_run():
    law = {"policy": "mine", "looks_a_day": 0.2, "decades": 1.0, "tail": 3.0}
    runs = pd.DataFrame([law | {"regret": r, "oracle": 0.5, "horizon": 100.0} for r in (5.0, 15.0)])
    row = trials.shares(runs).iloc[0]  # of 50 days 45 and 35
    assert row["mean"] == pytest.approx(0.8) and row["n"] == 2


def test_who_is_as_fresh_as_uniform_to_the_last_bit_only_explores():
    fresh = {"uniform": [0.5, 0.6], "explorer": [0.5, 0.6], "half": [0.5, 0.6 + 2e-16], "no": 0.7}
    rows = pd.DataFrame({"looks_a_day": 0.2, "seed": [0, 1]} | fresh)
    found = trials.only_exploring(rows.melt(["looks_a_day", "seed"], None, "policy", "freshness"))
    assert found.loc[0.2].to_dict() == {"explorer": 2, "half": 1}


def test_power_laws_are_found_group_by_group():
    x = np.array([1.0, 10, 100, 1, 10, 100])
    table = pd.DataFrame({"x": x, "y": [2, 20, 200, 5, 0.5, 0.05], "who": list("aaabbb")})
    found = trials.power_laws(table, "x", "y", ["who"]).set_index("who")["slope"]
    assert found.to_dict() == pytest.approx({"a": 1, "b": -1})
