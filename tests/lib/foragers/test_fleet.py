"""Fleets: the agent's Algorithms 8 and 9, Table 1's quantities, and compiled code against plain."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib.foragers import KINDS, FleetSettings, NewsSite, NewsWeb, agent, run_fleet
from tres_lib.foragers.agent import ReinforcingAgent
from tres_lib.foragers.algorithms import forage
from tres_lib.foragers.settings import ARTICLE, rules_of

SITE = NewsSite(sections=3, subhubs=4, archive=10, articles_a_day=80)


@pytest.fixture(scope="module")
def web():
    return NewsWeb.generate(5, days=0.5, site=SITE)


def plain(web, kind, rng):
    """Run a fleet by the functions as they are, not compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent, "forage", forage.py_func)
        return run_fleet(web, kind, rng)


def agent_of(web, n=3, kind="WL", **readings):
    rules = rules_of(kind, FleetSettings(founders=n, **readings))
    made = ReinforcingAgent(web, [rules])
    made.add_founders([0, 1, 2, 3], np.random.default_rng(0))
    return made


def scores(agent):
    return [float(forager.status["score"]) for forager in agent.foragers]


def test_multiplication_conserves_the_score(web):
    agent = agent_of(web)
    agent.foragers[1].status["score"] = 200
    assert agent.manage_forager(1, np.random.default_rng(0)) == 2
    assert scores(agent) == [100, 100, 100, 100]


def test_no_more_than_the_most_foragers(web):
    agent = agent_of(web, max_foragers=3)
    agent.foragers[0].status["score"] = 300
    assert agent.manage_forager(0, np.random.default_rng(0)) == 1
    assert scores(agent) == [300, 100, 100]


def test_a_forager_without_score_is_deleted_down_to_the_least(web):
    agent = agent_of(web)
    first, _, third = agent.foragers
    agent.foragers[1].status["score"] = 0
    assert agent.manage_forager(1, np.random.default_rng(0)) == 1
    assert agent.foragers == [first, third]
    third.status["score"] = -5
    assert agent.manage_forager(1, np.random.default_rng(0)) == 0
    assert agent.foragers == [first, third]


def test_seeds_are_the_front_page_and_nine_more(web):
    seeds = [agent_of(web, kind=kind).seed_urls(np.random.default_rng(4)) for kind in KINDS]
    assert seeds[0][0] == 0 and len(set(seeds[0])) == 10
    assert all(other == seeds[0] for other in seeds)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS))
def test_compiled_and_plain_agree(web, kind):
    one, two = run_fleet(web, kind, 1), plain(web, kind, 1)
    np.testing.assert_array_equal(one.found_at, two.found_at)
    assert one.windows.equals(two.windows) and one.found_urls == two.found_urls
    np.testing.assert_allclose(one.scores, two.scores)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(KINDS))
def test_the_quantities_of_table_1(web, kind):
    result = run_fleet(web, kind, 0)
    found = np.isfinite(result.found_at)
    assert result.relevant == found.sum() <= result.sent <= result.downloaded
    assert (web.kind[web.url[found]] == ARTICLE).all()
    ages = result.found_at[found] - web.born[found]
    assert ages.min() >= 0 and ages.max() <= 24 * 3600
    assert result.downloaded == pytest.approx(0.5 * 86_400 / 2.592, rel=0.01)
    assert result.download_efficiency == result.relevant / result.downloaded
    assert result.sent_efficiency == result.relevant / result.sent
    assert result.relative_found_url == result.found_urls / result.downloaded
    assert 0 <= result.freshness <= 1 and 0 <= result.age_hours <= 3
    assert result.delay_hours == pytest.approx(ages.mean() / 3600)


@pytest.mark.parametrize("kind", ["WL", "RL"])
@pytest.mark.slow
def test_score_comes_from_finds_alone(web, kind):
    """Scores at the end: what founders had and what was earned, less what multiplying drops."""
    result = run_fleet(web, kind, 0)
    earned = result.relevant - 0.05 * result.sent
    assert result.scores.sum() == pytest.approx(result.windows["total_score"].iloc[-1])
    assert result.scores.sum() <= 200 + earned + 1e-6
    assert len(result.scores) == result.windows["foragers"].iloc[-1]
    assert earned >= 100 * (len(result.scores) - 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("by_url", True, "WL"),
        ("dated_hubs", True, "WL"),
        ("redated", False, "RL"),
        ("penalties", False, "WL"),
        ("inclusive", False, "WL"),
        ("discount", 0.5, "WL"),
        ("split_fixed", True, "RL"),
        ("inherit_marked", True, "RL"),
        ("weight_scale", 50.0, "RL"),
        ("update_without_reward", False, "RL"),
        ("update_across_restarts", True, "RL"),
        ("founders", 16, "RL"),
        ("stored_links", True, "WL"),
    ],
)
def test_every_reading_changes_something(web, name, value, kind):
    quick = {"max_score": 110.0}  # so that foragers multiply within half a day
    settings = FleetSettings(**quick), FleetSettings(**quick, **{name: value})
    usual, other = (run_fleet(web, kind, 0, each) for each in settings)
    assert not np.array_equal(usual.found_at, other.found_at)


def test_founders_of_two_kinds_take_turns(web):
    rules = [rules_of(kind, FleetSettings(founders=4)) for kind in ("WLRL", "WL")]
    fleet = ReinforcingAgent(web, rules)
    fleet.add_founders([0], np.random.default_rng(0))
    assert [each.rules.learning for each in fleet.foragers] == [True, True, False, False]
    assert run_fleet(web, ["WLRL", "WL"]).kind == "WLRL and WL"
