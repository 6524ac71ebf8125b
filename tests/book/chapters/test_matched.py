"""The matched laboratory, its conditions and the map's supply, on numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import yaml

from tres_book import figures
from tres_book.chapters import c06_supply as supply, c17_matched as chapter
from tres_book.crawls import conditions, matched
from tres_book.crawls.real_sites import ReachedOnly
from tres_book.crawls.record import points
from tres_book.study import results, summarise
from tres_book.study.claims import Claim
from tres_lib.focused.baselines.seedfinder import SearchEngine
from tres_webs import FetchError, Page, VitalWeb
from tres_webs.files import DATA

RULES = yaml.safe_load((DATA / "matched_rules.yaml").read_text(encoding="utf-8"))


class Fixed:
    """A judge that is sure of all texts with a word."""

    def __init__(self, word):
        self.word = word

    def proba(self, texts):
        return np.array([0.9 if self.word in text else 0.2 for text in texts])


def test_a_cut_that_is_moved_keeps_the_order_and_the_ends():
    class Given:
        def proba(self, texts):
            return [0.0, 0.125, 0.25, 0.625, 1.0]

    assert conditions.Cut(Given(), 0.25).proba([]).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert conditions.Cut(Given(), 0.5).proba([]).tolist() == Given().proba([])


def test_quality_counts_all_pages_of_which_some_are_tested():
    class Pages:
        def fetch(self, url):
            if url == "gone":
                raise FetchError(url, "gone")
            return type("Page", (), {"title": "", "text": url, "url": url, "links": ()})()

    tested = [(10, ["good", "bad", "good", "good"]), (100, ["bad", "bad", "bad", "good"])]
    precision, recall = conditions.quality(Pages(), tested, Fixed("good"), [0.1, 0.5, 0.95])
    assert recall.tolist() == [1.0, 0.75, 0.0]
    assert precision.tolist() == pytest.approx([10 / 110, 7.5 / 32.5, 0.0])


def test_links_reach_the_articles_that_a_search_by_hand_finds():
    lab = VitalWeb(seed=1, sites=20)
    seeds = lab.seeds("food", 1, rng=0)
    met, new = set(seeds), list(seeds)
    while new:
        try:
            page = lab.fetch(new.pop())
        except FetchError:
            continue
        if lab.kind(page.url) in conditions.FOLLOWED:
            fresh = {link.url for link in page.links} - met
            met |= fresh
            new += fresh
    found = conditions.articles_reached(lab, seeds)
    assert found == {url for url in found if lab.kind(url) == "article"}
    standing = {url for url in met if lab.kind(url) == "article"}
    assert standing <= found  # moved pages are met by another address
    there = conditions.survey(lab, "food", Fixed("bread"), seeds)
    assert there["sites in all"] == 20 and 0 < there["reachable"] < there["relevant"] + 1
    assert 0 <= there["precision"] <= 1 and 0 <= there["recall"] <= 1


def test_stored_webs_have_the_pages_that_they_say():
    table = pd.read_csv(matched.WEBS, comment="#")
    off = table["relevant"] / table["like"].map(matched.real_topics())
    assert off.between(1 / 1.25, 1.25).all()
    study = table[(table["use"] == "study") & (table["pages"] == matched.PAGES)]
    assert study.groupby(["topic", "like"]).size().eq(3).all() and len(study) == 72
    assert study["web_seed"].min() >= 200
    for row in study.iloc[[0, 30, 60]].itertuples():
        web = matched.web_with(row.share, row.topic, row.web_seed, matched.n_sites(row.pages))
        assert matched.relevant_pages(web, row.topic) == row.relevant
        assert web.table.sizes.sum() == pytest.approx(matched.PAGES, rel=1e-3)


def test_a_crawl_is_stored_by_its_arm(monkeypatch):
    small = matched.Arm(pages=2_000, seeds=2, budget=20, own_shares=True)
    monkeypatch.setitem(matched.ARMS, "small", small)
    monkeypatch.setattr(matched, "judge_of", lambda topic: Fixed("bread"))
    kept = matched.record("small", "best-first", "food", 5)
    again = matched.record("small", "best-first", "food", 5)
    assert kept["pages"] == 20 and len(kept["found"]) == 200 and kept["log"] == again["log"]
    assert kept["both"] <= min(kept["found"][-1], kept["truly found"][-1])


def test_ranks_of_equal_harvests_are_shared():
    assert chapter.ranked(np.array([5.0, 7.0, 5.0]), "mean rank").tolist() == [-2.5, -1.0, -2.5]
    assert chapter.ranked(np.array([5.0, 7.0]), "mean harvest").tolist() == [5.0, 7.0]


def test_agreement_of_one_order_is_1_and_of_its_reverse_minus_1(monkeypatch):
    values = np.arange(11.0)
    index = pd.MultiIndex.from_product([list("ab"), range(3)], names=["topic", "seed"])
    sites = pd.DataFrame(np.tile(values, (6, 1)), index, list(chapter.POLICIES))
    monkeypatch.setattr(chapter, "by_policy", lambda crawls, fetches: sites)
    monkeypatch.setattr(
        chapter, "harvests", lambda arm, fetches: sites * (-1) ** (arm == "third law")
    )
    for order in chapter.ORDERS:
        found = chapter.agreement(sites, "matched", 400, order)
        assert found.value == 1 and found.interval == (1, 1) and found.n == 6
        assert chapter.agreement(sites, "third law", 400, order).value == -1
        assert chapter.halves(sites, 400, order).tolist() == [1.0]
    moved = chapter.moved(sites)["400 fetches"]
    assert moved["third law"] == "-2.00 [-2.00, -2.00]"
    assert moved["one seed"] == "+0.00 [+0.00, +0.00]"


@pytest.mark.parametrize("name", RULES)
def test_rules_are_claims_of_the_ledger_to_be(name):
    claim = Claim(name, **RULES[name])
    assert claim.known and name.removeprefix("real-matched-") in ("400", "1000", "4000")


def some_ends():
    rows = [("0.1", "tres", 0, 2.0), ("0.1", "oracle", 0, 4.0), ("0.1", "ache", 0, 1.0)]
    rows += [("0.1", "tres", 1, 3.0), ("0.1", "oracle", 1, 3.0), ("0.1", "ache", 1, 3.0)]
    rows += [("plenty", "tres", 0, 9.0), ("plenty", "oracle", 0, 10.0), ("plenty", "ache", 0, 5.0)]
    ends = pd.DataFrame(rows, columns=["supply", "policy", "web_seed", "by the truth"])
    ends["by the classifier"] = ends["by the truth"]
    return ends.assign(topic="food", at=ends["supply"].map({"0.1": 0.12, "plenty": 40.0}))


def test_a_share_of_the_best_known_is_of_the_best_crawl_of_a_web_and_topic():
    table = supply.of_best_known(some_ends()).set_index(["supply", "policy"])
    assert table.loc[("0.1", "tres"), "share"].tolist() == [50, 100]
    assert table.loc[("plenty", "tres"), "share"] == 90
    assert list(dict.fromkeys(table.index.get_level_values(0))) == ["0.1", "plenty"]


def test_a_lead_by_supply_is_paired_by_web_and_drawn_at_its_supply():
    table = supply.leads(some_ends()).set_index(["supply", "judge"])
    first = table.loc[("0.1", "by the truth")]
    assert first["mean"] == pytest.approx(0.5) and first["rival"] == "ache" and first["at"] == 0.12
    assert table.loc[("plenty", "by the truth"), "mean"] == pytest.approx(4)
    known = supply.of_best_known(some_ends())
    shares = summarise(known, ["supply", "at", "policy"], "share")
    drawn = figures.supplies(shares, supply.leads(some_ends()), [0.06, 0.3], supply.OF_PAPER)
    assert len(drawn.axes) == 2 and drawn.axes[0].get_xlim()[0] < 0.06


def test_supply_is_pages_over_the_budget(monkeypatch):
    monkeypatch.setattr(supply, "NEAR", np.geomspace(0.5, 2.0, 12))
    web, relevant = supply._web("0.3", "food", 25, 200, 800)
    assert relevant == matched.relevant_pages(web, "food")
    assert relevant == pytest.approx(60, rel=0.4)


def test_an_engine_without_what_links_do_not_reach():
    pages = [
        Page(f"http://{name}.example/", 200, "", "tea " * n, ()) for n, name in enumerate("abcd", 1)
    ]
    engine = SearchEngine(pages)
    best = engine.query(["tea"])
    limited = ReachedOnly(engine, best[1:])
    assert (
        limited.query(["tea"], n=2) == best[1:3] and limited.query(["tea"], n=2, skip=2) == best[3:]
    )
    assert not limited.query(["coffee"])


def test_two_explanations_by_hand(monkeypatch):
    draws = [(topic, seed) for topic in ("a", "b") for seed in (0, 1)]
    wide = pd.DataFrame(
        {name: 10.0 for name in chapter.POLICIES},
        pd.MultiIndex.from_tuples(draws, names=["topic", "seed"]),
    )
    there = wide.assign(**{"seedfinder": 16.0, "linear": 12.0, "ache-global": 11.0})
    monkeypatch.setattr(chapter, "by_policy", lambda real, fetches: there)
    monkeypatch.setattr(chapter, "harvests", lambda arm, fetches: wide)
    found = (0.13 * points(matched.BUDGET)).tolist()
    how = {"policy": chapter.REACHED, "judge": "classifier", "truly found": found}
    runs = pd.DataFrame([how | {"topic": topic, "seed": seed} for topic, seed in draws])
    monkeypatch.setattr(results, "stored", lambda name: runs)
    table = chapter.why(pd.DataFrame())["4,000 fetches"]
    assert table.tolist() == [f"{x:.1f} [{x:.1f}, {x:.1f}]" for x in (4.0, 1.0, 3.0, 1.0, 0.0)]


def test_behind_counts_cells_in_which_another_is_surely_ahead(monkeypatch):
    draws = pd.MultiIndex.from_product([["a", "b"], [0, 1]], names=["topic", "seed"])
    level = pd.DataFrame({name: 10.0 for name in chapter.BY_LINKS}, draws)
    cells = [
        level,
        level.assign(linear=[11.0, 12.0, 11.0, 12.0]),
        level.assign(tres=[9, 13, 9, 13]),
    ]
    monkeypatch.setattr(chapter, "by_supply", lambda real: (("", 400, "", part) for part in cells))
    assert chapter.behind(level) == (1, 3) and chapter.behind(level, "linear") == (0, 3)
