"""The claims of chapter 14, by tables made by hand."""

import pandas as pd
import pytest
from scipy import stats

from tres_book.chapters import c14_prospector as test, c14_verdicts as verdicts
from tres_book.study.findings import Figure
from tres_book.study.results import all_studies

RATES = {"prospector": 90, "best-first": 80, "tres": 70}


def crawls(rates, muted=0.0, limit="none", budget=600, webs=(0, 1), domains=5):
    """Crawls on two topics; the rate in each web is one higher than in the last."""
    rows = [
        {"policy": policy, "topic": topic, "web_seed": web, "true": rate + web}
        for policy, rate in rates.items()
        for topic in ("food", "sports")
        for web in webs
    ]
    of_all = {"muted": muted, "links": test.LINKS[muted], "limit": limit, "budget": budget}
    return pd.DataFrame(rows).assign(domains=domains, **of_all)


SHORT = pd.concat([crawls(RATES), crawls({"prospector": 75, "best-first": 5, "tres": 40}, 1.0)])


def test_leads_by_links_with_text_and_without():
    assert verdicts.lead(SHORT) == (10, (10, 10), 2, "600 fetches", ())
    assert verdicts.lead(SHORT, muted=1.0) == (35, (35, 35), 2, "600 fetches", ())
    assert verdicts.least(SHORT, muted=1.0).value == 35
    assert verdicts.least(SHORT, of=("prospector", "tres")).value == 20


def test_the_level_counts_from_both_goals():
    found = verdicts.level(SHORT)
    half = 0.5 * stats.t.ppf(0.975, 1)  # of 90 and 91
    assert found.value == 90.5 - 95 and found.interval == pytest.approx((-4.5 - half, -4.5 + half))
    assert sorted(one[0] for one in found.among) == [-4.5, -4.5]  # without text: 75.5 of 80


@pytest.mark.parametrize("apart", test.APART)
def test_the_twin_without_a_start_and_the_oracle_are_no_competitors(apart):
    more = pd.concat([SHORT, crawls({apart: 95}), crawls({apart: 95}, 1.0)])
    for claim in (verdicts.lead, verdicts.least, verdicts.never_behind):
        assert claim(more) == claim(SHORT)
    assert verdicts.lead(pd.concat([SHORT, crawls({"tres-pretrained": 95})])).value == -5


def test_what_learning_gains():
    without = crawls({"prospector-no-fits": 60, "prospector-no-guard": 75}, 1.0)
    assert verdicts.learns(SHORT, without) == (15, (15, 15), 2, "600 fetches", ())


def test_cells_of_limits_and_lengths():
    limits = crawls(RATES | {"tres": 88}, limit="5", webs=(0,))
    limits.loc[limits["policy"] == "tres", "domains"] = 9
    long = crawls({"prospector": 85, "tres": 86, "oracle": 99}, budget=20_000)
    found = verdicts.never_behind(SHORT, limits, long)
    assert (found.value, found.interval, found.n) == (1, (1, 1), 2)
    assert len(found.among) == 8 and sum(one[0] == -2 for one in found.among) == 2  # the limits
    assert found.stored == "600 and 20,000 fetches, limits none, 5"
    assert verdicts.domains(SHORT, limits).value == 0.5  # links without text do not count


def test_each_claim_reads_its_studies(monkeypatch):
    assert {name for _, names in verdicts.CLAIMS.values() for name in names} <= {*all_studies()}
    two = {name: verdicts.CLAIMS[name] for name in ("prospector-short", "prospector-domains")}
    monkeypatch.setattr(verdicts, "CLAIMS", two)
    monkeypatch.setattr(test, "crawls", lambda *names: SHORT.assign(limit=names[0]))
    monkeypatch.setattr(verdicts, "curves", lambda name: pd.DataFrame())
    monkeypatch.setattr(test, "shares", lambda curves: SHORT)
    found = verdicts.findings()
    assert found["prospector-short"].value == found["prospector-real-long"].value == 10
    assert found["prospector-domains"].n == 2


def test_leads_where_sites_are_small_pair_topic_and_web(monkeypatch):
    runs = pd.concat([crawls(RATES).assign(point=point) for point in (*verdicts.SMALL, "pure")])
    runs = runs.rename(columns={"true": "by the truth"})
    monkeypatch.setattr(verdicts.results, "stored", lambda name: runs)
    table = verdicts.where_small("best-first", "by the truth")
    assert table["point"].tolist() == list(verdicts.SMALL)
    assert set(table["mean"]) == {10} and set(table["n"]) == {4}


def test_what_is_decided_by_hand():
    table = pd.DataFrame({"lead": [2.0, -3, 1], "low": [1.0, -4, -1], "high": [3.0, -2, 3], "n": 5})
    found = verdicts._decided(table)
    assert (found.cells, found.ahead, found.behind) == (3, 1, 1)
    assert found.least == Figure(-3, -4, -2, 5) and found.most == Figure(2, 1, 3, 5)
