"""A crawl of a study: settings as plain values in, a log by the KwBiLSTM out; the ablations."""

from __future__ import annotations

import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_book.crawls import record as stored, trial as trials
from tres_book.crawls.trial import LIMITS, trial
from tres_book.crawls.variants import AS_CODED, VARIANTS, policy_of
from tres_lib.focused import crawl
from tres_lib.topics import CachedScorer


class Ball(CountingClassifier):
    """Finds relevant what speaks of sport; the stand-in for the trained classifiers."""

    def __init__(self, word: str):
        super().__init__()
        self.word = word

    def proba(self, texts):
        return super().proba([text.replace(self.word, "apple") for text in texts])


@pytest.fixture(autouse=True)
def quick_classifiers(monkeypatch):
    def classifier(topic, epochs, amount):
        return CachedScorer(Ball("sport")), ("sport", "football")

    monkeypatch.setattr(trials, "classifier_of", classifier)
    monkeypatch.setattr(trials.topics, "classifier", lambda topic, kind, amount: Ball("the"))


def small(policy: str, **options):
    return trial(policy, "sports", budget=30, sites=200, **options)


@pytest.mark.slow
def test_equal_settings_give_equal_logs():
    first, second = (small("tres", web_seed=1, limit="10") for _ in range(2))
    assert first.drop(columns="seconds").equals(second.drop(columns="seconds"))
    assert set(first["limit"]) == {"10"} and first["domain"].value_counts().max() <= 11


@pytest.mark.slow
def test_crawls_rewarded_by_the_svm_are_judged_by_the_kwbilstm():
    log = small("tres-svm")
    had = log["reason"] == ""
    assert set(log.loc[had, "p"]) <= {0.9, 0.1} and log.loc[~had, "p"].isna().all()
    steps = log[log["step"] > 0]
    assert (steps["reward"] == (steps["p"] >= 0.5)).all()
    # The word "the" is on nearly all pages, "sport" is not: the SVM's own verdicts are gone.
    assert steps["reward"].mean() < 0.9


def test_classifiers_for_new_laws_learn_the_paper_s_amount_of_text_and_limits_are_table_3_s():
    amounts = {web: trials.amount_of(web) for web in trials.LAW_OF}
    assert amounts == {"vital": "leads", "second": "paper", "third": "paper"}
    assert LIMITS == {"none": None, "100": 100, "10": 10, "5": 5, "5_2": (5, 2)}


@pytest.mark.parametrize("wrong", [{"limit": "7"}, {"web": "www"}, {"muted": 2}])
def test_wrong_settings_are_named(wrong):
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        small("bfs", **wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_crawls(name):
    web, how = orchard(), {"classifier": CountingClassifier(), "progress": False}
    log = crawl(web, seed_of(web), TOPIC, policy=policy_of(name), budget=40, **how).log
    assert len(log) == 41 and log["evaluations"].iloc[-1] > 0


def test_variants_change_what_they_are_named_after():
    assert not policy_of("tres-nh").keywords["settings"].domain_features
    assert policy_of("tres-gamma-0.99").keywords["settings"].agent.gamma == 0.99
    assert policy_of("tres-best-of-3").keywords["settings"].per_leaf == 3
    assert policy_of(AS_CODED, cap=5).keywords == {"cap": 5} and policy_of("bfs") == "bfs"


@pytest.mark.slow
def test_a_record_is_the_end_of_its_crawl():
    setting = {"web_seed": 1, "limit": "10", "budget": 30, "sites": 200}
    kept = stored.record("best-first", "sports", **setting)
    log = small("best-first", web_seed=1, limit="10")
    steps = log[log["step"] > 0]
    assert kept["by the classifier"] == pytest.approx(100 * steps["reward"].sum() / 30)
    assert kept["by the truth"] == pytest.approx(100 * steps["relevant_true"].sum() / 30)
    assert kept["found"][-1] == steps["reward"].sum() and len(kept["found"]) == stored.POINTS
    assert kept["both"] == ((steps["reward"] > 0) & steps["relevant_true"]).sum()
    half = steps[steps["step"] <= 15]
    assert kept["truly found"][stored.POINTS // 2 - 1] == half["relevant_true"].sum()
    assert kept["crawler"] == "Best-First_10" and kept["cpu"] > 0 and len(kept["log"]) == 16


@pytest.mark.slow
@pytest.mark.parametrize("muted", [0.0, 1.0])
def test_errors_are_no_steps_in_a_record_of_the_second_law(muted):
    setting = {"budget": 40, "sites": 2_000, "web": "second", "errors": "skip", "muted": muted}
    kept = stored.record("bfs", "sports", **setting)
    log = trial("bfs", "sports", **setting)
    assert log.loc[0, "p"] >= 0.5  # the seed is one that the classifier accepts
    assert log["url"].str.contains("/~").all() == bool(muted)
    assert kept["pages"] == 40 == (~log["error"] & (log["step"] > 0)).sum()
