"""The test of Prospector: its plan, and its claims by tables made by hand."""

import pandas as pd
import pytest
from scipy import stats

from tres_book.chapters import c14_prospector as test
from tres_book.crawls.variants import RIVALS, WITHOUT, policy_of
from tres_book.study.findings import Figure
from tres_book.study.results import all_studies
from tres_lib.focused import POLICIES
from tres_lib.ours.prospector.prospector import ProspectorSettings

RATES = {"prospector": 90, "best-first": 80, "tres": 70}
HALF = 0.5 * stats.t.ppf(0.975, 1)  # of an interval of two numbers one apart


def crawls(rates, muted=0.0, limit="none", budget=600, webs=(0, 1), domains=5):
    """Crawls on two topics; the rate in each web is one higher than in the last."""
    rows = [
        {"policy": policy, "topic": topic, "web_seed": web, "by the truth": rate + web}
        for policy, rate in rates.items()
        for topic in ("food", "sports")
        for web in webs
    ]
    of_all = {"muted": muted, "links": test.LINKS[muted], "limit": limit, "budget": budget}
    return pd.DataFrame(rows).assign(**{"true domains": domains}, **of_all)


SHORT = pd.concat([crawls(RATES), crawls({"prospector": 75, "best-first": 5, "tres": 40}, 1.0)])


def runs(**found):
    """True harvest rates of policies, each a list over two topics of two webs."""
    table = crawls({policy.replace("_", "-"): 0 for policy in found})
    table["by the truth"] = [v for a, b, c, d in found.values() for v in (a, c, b, d)]
    return table


TABLE = runs(prospector=[90, 80, 70, 60], tres=[80, 80, 60, 50], best_first=[95, 50, 60, 40])


def test_every_part_has_a_plan_of_known_policies_on_webs_of_its_own():
    for study in test.studies().values():
        plan = study.settings
        assert len({tuple(sorted(setting.items())) for setting in plan}) == len(plan)
        assert {setting["policy"] for setting in plan} <= {*POLICIES, *RIVALS, *WITHOUT}
        # those of development
        assert not {setting["web_seed"] for setting in plan} & set(range(100, 120))
    assert len(test.studies()[test.SHORT].settings) == 11 * 3 * 10 * 2


def test_what_is_left_out_is_one_thing():
    for name in WITHOUT:
        settings = policy_of(name).keywords["settings"]
        plain = ProspectorSettings()
        changed = [k for k in vars(plain) if getattr(plain, k) != getattr(settings, k)]
        assert len(changed) == 1, name


def test_the_lead_is_over_the_best_by_the_mean():
    best, ahead = test.best_other(TABLE)
    assert best == "tres" and ahead.tolist() == [5.0, 10.0]
    assert test.best_other(TABLE[TABLE["policy"] != "tres"])[0] == "best-first"


def test_cells_name_the_best_other():
    limited = TABLE.assign(limit="5", **{"by the truth": TABLE["by the truth"] / 2})
    cells = test.cells(pd.concat([TABLE, limited])).set_index(["topic", "limit"])
    cell = cells.loc[("food", "none")]
    assert cell[["muted", "budget", "n"]].tolist() == [0, 600, 2]
    assert cell[["prospector", "other", "best other"]].tolist() == [80, "best-first", 77.5]
    assert cell["lead"] == 2.5  # of -5 and 10
    assert cell["high"] - 2.5 == pytest.approx(15 * HALF)
    sports = cells.loc[("sports", "5")]
    assert sports["lead"] == 2.5 and sports["other"] == "tres"


def test_what_a_part_is_worth_by_web():
    both = pd.concat([TABLE, runs(prospector_no_fits=[60, 80, 70, 50])])
    table = test.losses(both.assign(muted=1.0, links="links without text"))
    assert table["without"].tolist() == ["fits", "fits"]
    assert table["loss"].tolist() == [15.0, 5.0]


def test_shares_of_a_topic_are_of_what_the_best_crawl_found():
    counts = [[5 * n for n in range(1, 201)], [8 * n for n in range(1, 201)]]
    table = pd.DataFrame({"policy": ["a", "b"], "topic": "food", "truly found": counts})
    found = test.shares(table.assign(budget=2_000))
    assert found["by the truth"].tolist() == [31.25, 50.0]


def test_the_nearest_other_by_topic():
    table = test.least_leads(pd.concat([TABLE, runs(oracle=[99, 99, 99, 99])]))
    assert table["policy"].to_dict() == {"food": "best-first", "sports": "tres"}
    assert table["mean"].to_dict() == {"food": 2.5, "sports": 5.0}
    assert (table["n"] == 2).all() and (table["low"] < table["mean"]).all()


def test_leads_by_links_with_text_and_without():
    assert test.lead(SHORT) == (10, (10, 10), 2, "600 fetches", ())
    assert test.lead(SHORT, muted=1.0) == (35, (35, 35), 2, "600 fetches", ())
    assert test.least(SHORT, muted=1.0).value == 35
    assert test.least(SHORT, of=("prospector", "tres")).value == 20


def test_the_level_counts_from_both_goals():
    found = test.level(SHORT)
    assert found.value == 90.5 - 95 and found.interval == pytest.approx((-4.5 - HALF, -4.5 + HALF))
    assert sorted(one[0] for one in found.among) == [-4.5, -4.5]  # without text: 75.5 of 80


@pytest.mark.parametrize("apart", test.APART)
def test_the_twin_without_a_start_and_the_oracle_are_no_competitors(apart):
    more = pd.concat([SHORT, crawls({apart: 95}), crawls({apart: 95}, 1.0)])
    for claim in (test.lead, test.least, test.never_behind):
        assert claim(more) == claim(SHORT)
    assert test.lead(pd.concat([SHORT, crawls({"tres-pretrained": 95})])).value == -5


def test_what_learning_gains():
    without = crawls({"prospector-no-fits": 60, "prospector-no-guard": 75}, 1.0)
    found = test.learns(pd.concat([SHORT, without]))
    assert found == (15, (15, 15), 2, "600 fetches", ())


def test_cells_of_limits_and_lengths():
    limits = crawls(RATES | {"tres": 88}, limit="5", webs=(0,))
    limits.loc[limits["policy"] == "tres", "true domains"] = 9
    long = crawls({"prospector": 85, "tres": 86, "oracle": 99}, budget=20_000)
    found = test.never_behind(pd.concat([SHORT, limits, long]))
    assert (found.value, found.interval, found.n) == (1, (1, 1), 2)
    assert len(found.among) == 8 and sum(one[0] == -2 for one in found.among) == 2  # the limits
    assert found.stored == "600 and 20,000 fetches, limits none, 5"
    # links without text do not count
    assert test.domains(pd.concat([SHORT, limits])).value == 0.5


def test_each_claim_reads_stored_studies():
    assert {name for _, names in test.CLAIMS.values() for name in names} <= {*all_studies()}


def test_leads_where_sites_are_small_pair_topic_and_web(monkeypatch):
    runs = pd.concat([crawls(RATES).assign(point=point) for point in (*test.SMALL, "pure")])
    monkeypatch.setattr(test.results, "stored", lambda name: runs)
    table = test.where_small("best-first", "by the truth")
    assert table["point"].tolist() == list(test.SMALL)
    assert set(table["mean"]) == {10} and set(table["n"]) == {4}


def test_what_is_decided_by_hand():
    table = pd.DataFrame({"lead": [2.0, -3, 1], "low": [1.0, -4, -1], "high": [3.0, -2, 3], "n": 5})
    found = test.decided(table)
    assert (found.cells, found.ahead, found.behind) == (3, 1, 1)
    assert found.least == Figure(-3, -4, -2, 5) and found.most == Figure(2, 1, 3, 5)
