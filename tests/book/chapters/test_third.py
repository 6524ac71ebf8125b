"""The plan of the third law's runs, and its tables, on numbers small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest
import yaml
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_book.chapters import c01_third as c01, c05_third as third
from tres_book.crawls.as_coded import AsCoded, Halved, coded, settings_at
from tres_book.crawls.best_known import LookAhead
from tres_book.crawls.comparison import crawler
from tres_book.study.claims import Claim
from tres_lib import focused
from tres_webs import ReplayWeb
from tres_webs.files import DATA

RULES = yaml.safe_load((DATA / "third_law_rules.yaml").read_text(encoding="utf-8"))


def test_rules_are_claims_of_the_ledger_to_be():
    for name, rule in RULES.items():
        assert name.endswith("-third-law") and rule["known"]
        Claim(name, **rule)


def test_levels_by_hand():
    rows = [("tres", 36.2, 40.0), ("tres", 36.2, 40.0), ("linear", 20.0, 80.0)]
    ends = pd.DataFrame(rows, columns=["policy", "by the classifier", "by the truth"])
    ends = ends.assign(topic="sports", limit="5_2", web_seed=[30, 31, 30])
    assert third.of_papers_level(ends)["mean"][0] == pytest.approx(36.2 / 72.4, abs=0.001)
    of_best = third.of_best_known(ends).set_index("policy")["mean"]
    assert of_best["tres"] == 0.5 and of_best["linear"] == 1.0


def test_each_rule_of_table_3_has_its_value():
    rows = [
        {"topic": topic, "policy": policy, "limit": limit, "web_seed": web}
        for topic in c01.TOPICS
        for policy, limits in third.TABLE_3.items()
        for limit in limits
        for web in (30, 31)
    ]
    ends = pd.DataFrame(rows).assign(domains=5, budget=100, complete=True)
    ends["by the classifier"] = np.where(ends["policy"] == "tres", 60.0, 40.0) + ends["web_seed"]
    ends["by the truth"] = np.where(ends["policy"] == "oracle-ahead", 80.0, 20.0)
    ends["crawler"] = list(map(crawler, ends["policy"], ends["limit"]))
    found = third.findings(ends)
    swept = {"tres-level-by-hand-third-law"}
    of_05 = {name for name, rule in RULES.items() if rule["notebook"].startswith("05")}
    assert found.keys() >= of_05 - swept  # others have no rule on this law, and no verdict
    assert found["tres-harvest-best-at-limits-third-law"].value == 20
    assert found["tres-of-best-known-third-law"].value == 0.25
    assert found["tres-settings-as-coded-third-law"].value == -20


def test_the_papers_level_between_shares_by_hand():
    rows = [(30, np.nan, 50.0), (30, 0.5, 80.0), (31, np.nan, 40.0), (31, 0.5, 70.0)]
    rows.append((32, np.nan, 99.0))  # not at both shares
    ends = pd.DataFrame(rows, columns=["web_seed", "handmade", "by the classifier"])
    ends = ends.assign(topic="sports", policy="tres", limit="5_2")
    row = third.by_hand(ends).loc["sports"]
    assert (row[0.0], row[0.5], row["paper"], row["between"]) == (45, 75, 72.43, True)


def test_the_authors_5_2_and_settings():
    assert [Halved((5, 2), 9).at(step) for step in range(1, 10)] == [5, 5, 5, *[2] * 6]
    assert Halved(100, 9).at(1) == Halved(100, 9).at(9) == 100 and Halved(None, 9).at(9) == np.inf
    few, many, free = (settings_at(cap) for cap in (5, 100, np.inf))
    assert few.train_every == 1 and few.agent.batch == 128 and few.explore_at_most == 300
    assert many.train_every == 3 and many.agent.batch == 60 and many.explore_at_most == 500
    assert free.explore_at_most == 300 and free.max_depth == 18 and free.agent.gamma == 0.99
    x = np.array([[1, 1 / 3, 0.3, 1, 0, 0.37, 0, 1], [0, 0, 1, 0, 0, 0.1, 0.5, 0.5]], np.float32)
    expected = [[1, 0.3, 0.3, 1, 0, 0.37, 0, 0], [0, 0, 1, 0, 0, 0.1, 0.5, 1]]
    assert coded(x) == pytest.approx(np.array(expected), abs=1e-6)


def test_tres_as_coded_crawls_by_its_features_and_does_not_train_while_exploring():
    web, made = orchard(), []

    def policy(context):
        made.append(AsCoded(context, 5))
        return made[0]

    options = {"classifier": CountingClassifier(), "budget": 60, "progress": False}
    result = focused.crawl(
        web, seed_of(web, 2), TOPIC, policy=policy, max_per_domain=Halved((5, 2), 60), **options
    )
    assert len(result.log) == 62 and made[0].agent.settings.hidden == (30, 15)
    assert set(np.unique(made[0].tree._x[:, 7])) <= {0.0, 1.0}
    assert 0 < made[0].agent.trained <= 60 - settings_at(5).exploration(60)


def test_look_ahead_prefers_what_leads_on():
    """Of two relevant pages it takes first the one that links to a relevant page elsewhere."""
    pages = {
        "http://a.example/": '<a href="/one">x</a><a href="/two">x</a><a href="/cold">x</a>',
        "http://a.example/one": "",
        "http://a.example/two": '<a href="http://b.example/">x</a>',
        "http://a.example/cold": '<a href="http://c.example/">x</a>',
        "http://b.example/": "",
        "http://c.example/": "",
    }
    good = {url for url in pages if "cold" not in url and "c.example" not in url}
    web = ReplayWeb.from_pages(pages, labels=dict.fromkeys(good, TOPIC.name))

    def policy(context):
        return LookAhead(context, web)

    options = {"classifier": CountingClassifier(), "budget": 5, "progress": False}
    log = focused.crawl(web, ["http://a.example/"], TOPIC, policy=policy, **options).log
    paths = ["/two", "/one", "b.example/", "/cold", "c.example/"]  # b leads nowhere
    assert [u.removeprefix("http://").removeprefix("a.example") for u in log["url"]][1:] == paths


def test_counts_of_a_site_and_debian_beside():
    pages = [(3, {"http://a/", "http://b/x"}), (2, {"http://a/"}), (5, set()), (2, {"http://a/y"})]
    found = c01.counts_of(pages)
    assert found["template pairs"] == 3 and found["with own"] == 1 and found["links"] == 12
    assert found["own"] == found["own deep"] == 1
    assert found["template"] == 2 and found["template deep"] == 1
    known = c01.debian()
    rows = [found | {"least": low, "n": 2, "sites": 12.0} for low, _ in known["classes"]]
    table = c01.beside_debian(pd.DataFrame(rows))
    pooled = table.set_index("measure")["here"]["pairs that are of the template"]
    assert pooled == pytest.approx(3 / 4) and list(table["within"][:3]) == ["yes", "no", "no"]


def test_median_interval_and_the_factor_of_five():
    many = {"topic": "food", "random": np.arange(60) / 100, "random_domains": np.arange(60)}
    rows = c01.random_medians(pd.DataFrame(many)).set_index("measure")
    assert rows.loc["domains", ["median", "low", "high"]].tolist() == [29.5, 21, 38]  # of ranks
    row = {"random": 0.5, "random_domains": 20}
    rows = [row | {"topic": topic} for topic in c01.TOPICS for _ in range(6)]
    beyond = c01.random_medians(pd.DataFrame(rows)).set_index(["topic", "measure"])["beyond"]
    assert beyond["sports", "harvest rate %"] and not beyond["sports", "domains"]
    assert beyond["computing", "harvest rate %"] and not beyond["food", "domains"]
