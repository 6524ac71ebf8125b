"""The study of fleets as data: what is run, what a run yields, and how fleets are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters import c11_foragers as trials
from tres_book.study import results
from tres_lib import foragers


@pytest.fixture(scope="module")
def windows():
    settings = [
        {"kind": kind, "web_seed": 5, "seed": seed, "days": 0.375, "definitions": True}
        for kind in ("WL", "RL")
        for seed in (1, 2)
    ]
    labels = {"rewiring": "none", "reading": "default", "news_signal": 0.0}
    return pd.concat([trials.trial(**s).assign(**labels, **s) for s in settings])


@pytest.mark.slow
def test_a_trial_is_the_run_with_its_measures(windows):
    one = windows[(windows["kind"] == "RL") & (windows["seed"] == 1)]
    web = foragers.NewsWeb.generate(5, 0.375)
    result = foragers.run_fleet(web, "RL", 1)
    assert len(one) == 3 and one["finds"].tolist() == result.windows["relevant"].tolist()
    last = one.iloc[-1]
    assert last["sent"] == result.sent and last["found_urls"] == result.found_urls
    assert last["net_gain"] == pytest.approx(result.relevant - 0.05 * result.sent)
    assert last["age, window, last, all"] == pytest.approx(result.age_hours)
    assert last["freshness, window"] == pytest.approx(result.freshness)
    on_leaf = result.steps[web.kind == 5].sum() / result.steps.sum()
    assert last["on leaf"] == pytest.approx(on_leaf)


@pytest.mark.slow
def test_a_trial_of_a_graph():
    found = trials.graph_trial(5, days=0.25, rewiring="static")
    assert found["urls"] > 10_000 and found["in_exponent"] > 2


@pytest.mark.slow
def test_whole_runs(windows):
    runs = trials.whole_runs(windows)
    assert len(runs) == 4
    one = windows[(windows["kind"] == "WL") & (windows["seed"] == 2)]
    row = runs[(runs["kind"] == "WL") & (runs["seed"] == 2)].iloc[0]
    efficiency = one["finds"] / one["downloads"]
    assert row["variation"] == pytest.approx(efficiency.std() / efficiency.mean())
    assert row["late_over_early"] == pytest.approx(efficiency.iloc[2] / efficiency.iloc[0])
    assert row["foragers"] == one["foragers"].iloc[-1]


def runs_by_hand():
    values = {("WL", 0): (4, 9), ("RL", 0): (2, 9), ("WL", 1): (5, 5), ("RL", 1): (20, 20)}
    return pd.DataFrame(
        {"kind": kind, "web_seed": web, "seed": seed, "reading": "default", "relevant": value}
        for (kind, web), pair in values.items()
        for seed, value in enumerate(pair)
    )


def test_log_ratios_by_hand():
    table = trials.log_ratios(runs_by_hand(), "relevant")
    # Web 0: ratios 2 and 1, mean of logarithms log(2) / 2; web 1: a quarter twice.
    assert table["web_seed"].tolist() == [0, 1]
    assert np.exp(table["log_ratio"]).tolist() == pytest.approx([np.sqrt(2), 0.25])
    other = trials.log_ratios(runs_by_hand(), "relevant", "RL", "WL", by=["reading"])
    assert other["log_ratio"].tolist() == pytest.approx((-table["log_ratio"]).tolist())
    assert list(other) == ["reading", "web_seed", "log_ratio"]


def rewired_by_hand():
    """Pages of WL and RL: two webs, each as it is and with all link ends exchanged."""
    finds = {"none": {"WL": 8, "RL": 4}, "edge": {"WL": 3, "RL": 6}}
    readings = [*trials.ALGORITHM_12.values(), "16 founders"]
    usual = {"seed": 0, "news_signal": 0.0, "days": trials.DAYS, "sent_efficiency": 0.5}
    return pd.DataFrame(
        usual | {"rewiring": r, "reading": how, "kind": k, "web_seed": web, "relevant": n + web}
        for r, kinds in finds.items()
        for how in readings
        for k, n in kinds.items()
        for web in (0, 1)
    )


def test_who_wins_after_a_rewiring():
    found = trials.after_rewiring(rewired_by_hand())
    ratios = {key: np.exp(values.to_numpy()) for key, values in found.items()}
    assert ratios["as-efficient-16", ""] == pytest.approx([8 / 4, 9 / 5])
    for reading in trials.ALGORITHM_12:
        assert ratios["rewired-flips", reading] == pytest.approx([6 / 3, 7 / 4])
        assert ratios["rewired-flips-sent", reading] == pytest.approx([1, 1])
        both = ratios["small-world-favours-selection", reading]
        assert both == pytest.approx([2 * 6 / 3, 9 / 5 * 7 / 4])


def test_a_ratio_is_the_geometric_mean_over_webs():
    mean, low, high = trials.ratio(runs_by_hand(), "relevant")
    assert mean == pytest.approx((np.sqrt(2) * 0.25) ** 0.5) and low < mean < high


def test_the_paper_over_here_compares_ages_and_obsolete_shares():
    runs = pd.DataFrame({"kind": ["RL", "WL"], "age_hours": [1.79, 1.56], "freshness, day": 0.86})
    assert trials.paper_over_here(runs, "age_hours") == pytest.approx(1)
    assert trials.paper_over_here(runs, "freshness, day") == pytest.approx(2)


def calibrated(runs, scope):
    """Return the updates at which freshness, mean of webs and kinds, is the paper's."""
    found = runs.groupby("updates")[f"freshness, {scope}"].mean()
    places = np.log2(found.index.to_numpy())
    return float(2 ** np.interp(-0.72, -found.to_numpy(), places))


def test_what_was_calibrated_follows_from_the_stored_runs():
    plan = trials.studies()
    runs = results.rows(plan["updates"])
    for (links, scope), updates in trials.CALIBRATED.items():
        found = calibrated(runs[runs["links"] == links], scope)
        assert float(f"{found:.3g}") == updates
    webs = {setting["web_seed"] for setting in plan["ages"].settings}
    assert not webs & {setting["web_seed"] for setting in plan["updates"].settings}


def test_the_age_of_obsolete_finds():
    runs = pd.DataFrame({"web_seed": 0, "kind": ["RL", "WL"], "freshness, day": [0.7, 0.74]})
    runs["age, day, last, all"] = [1.79, 1.56]
    assert trials.obsolete_age(runs, "day").tolist() == pytest.approx([5.98], abs=0.01)


def test_an_age_trial_is_a_fleet_with_its_definitions():
    usual = {"kind": "WL", "web_seed": 5, "updates": 0.5, "days": 0.25}
    one, stored = (trials.age_trial(**usual, links=links) for links in ("shown", "stored"))
    result = foragers.run_fleet(foragers.NewsWeb.generate(5, 0.25), "WL", 0)
    assert one["relevant"] == result.relevant and stored["relevant"] != result.relevant
    assert one["freshness, window"] == pytest.approx(result.freshness)
    fewer = trials.age_trial(**usual, links="shown", fewer=10)
    assert one["downloaded"] / fewer["downloaded"] == pytest.approx(10, rel=0.1)
