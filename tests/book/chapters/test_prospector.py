"""The test of Prospector: its plan, and the tables of its results by hand."""

import pandas as pd
import pytest
from scipy import stats

from tres_book.chapters import c14_prospector as test
from tres_book.crawls.variants import RIVALS, WITHOUT, policy_of
from tres_lib.focused import POLICIES
from tres_lib.ours.prospector.prospector import ProspectorSettings


def runs(**found):
    """True harvest rates of policies, each a list over two topics of two webs."""
    rows = [
        {"policy": p.replace("_", "-"), "topic": topic, "web_seed": web, "budget": 600, "true": v}
        for p, values in found.items()
        for (topic, web), v in zip(
            [("food", 1), ("sports", 1), ("food", 2), ("sports", 2)], values, strict=True
        )
    ]
    return pd.DataFrame(rows)


TABLE = runs(prospector=[90, 80, 70, 60], tres=[80, 80, 60, 50], best_first=[95, 50, 60, 40])


def test_every_part_has_a_plan_of_known_policies_on_webs_of_its_own():
    for part in test.PARTS:
        plan = test.plan(part)
        assert len({tuple(sorted(setting.items())) for setting in plan}) == len(plan)
        names = {setting["policy"] for setting in plan}
        assert names <= {*POLICIES, *RIVALS, *WITHOUT}
        seeds = {setting["web_seed"] for setting in plan}
        assert not seeds & set(range(100, 120))  # those of development
    assert len(test.plan("second-short")) == 11 * 3 * 10 * 2


def test_what_is_left_out_is_one_thing():
    for name in WITHOUT:
        settings = policy_of(name).keywords["settings"]
        plain = ProspectorSettings()
        changed = [k for k in vars(plain) if getattr(plain, k) != getattr(settings, k)]
        assert len(changed) == 1, name


def test_the_lead_is_over_the_best_by_the_mean():
    best, ahead = test.lead(TABLE)
    assert best == "tres"
    assert ahead.tolist() == [5.0, 10.0]
    assert test.lead(TABLE[TABLE["policy"] != "tres"])[0] == "best-first"


def test_duels_by_hand():
    table = test.duels(TABLE)
    assert table["crawls ahead"].to_dict() == {"tres": "3 of 4", "best-first": "3 of 4"}
    assert table.loc["tres", "lead"].startswith("+7.5 [")


def test_cells_name_the_best_other():
    limited = TABLE.assign(limit="5", true=TABLE["true"] / 2)
    cells = test.cells(TABLE, limited).set_index(["topic", "limit"])
    cell = cells.loc[("food", "none")]
    assert cell[["muted", "budget", "n"]].tolist() == [0, 600, 2]
    assert cell[["prospector", "other", "best other"]].tolist() == [80, "best-first", 77.5]
    assert cell["lead"] == 2.5  # of -5 and 10
    assert cell["high"] - 2.5 == pytest.approx(7.5 * stats.t.ppf(0.975, 1))
    sports = cells.loc[("sports", "5")]
    assert sports["lead"] == 2.5 and sports["other"] == "tres"


def test_webs_without_prospector_say_nothing_of_its_lead():
    alone = TABLE[TABLE["policy"] == "tres"].assign(web_seed=77, true=100.0)
    table = test.cells(pd.concat([TABLE, alone]))
    pd.testing.assert_frame_equal(table, test.cells(TABLE))


def test_what_a_part_is_worth_by_web():
    no_fits = runs(prospector_no_fits=[60, 80, 70, 50])
    told = pd.concat([TABLE, no_fits]).assign(muted=1.0, links="links without text")
    table = test.losses(told)
    assert table["without"].tolist() == ["fits", "fits"]
    assert table["loss"].tolist() == [15.0, 5.0]


def test_shares_of_a_topic_are_of_what_the_best_crawl_found():
    curves = pd.DataFrame({"policy": ["a", "a", "b", "b"], "topic": "food", "step": [10, 40] * 2})
    curves["true harvest rate"] = [0.5, 0.25, 0.8, 0.5]
    assert test.shares(curves, 10)["true"].tolist() == [25.0, 40.0]


def test_the_nearest_other_by_topic():
    told = runs(oracle=[99, 99, 99, 99])
    table = test.least_leads(pd.concat([TABLE, told]))
    assert table["policy"].to_dict() == {"food": "best-first", "sports": "tres"}
    assert table["mean"].to_dict() == {"food": 2.5, "sports": 5.0}
    assert (table["n"] == 2).all() and (table["low"] < table["mean"]).all()
