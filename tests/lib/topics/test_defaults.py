"""The classifiers that come with the repository are those that every run uses."""

import numpy as np
import pytest

from tres_lib import topics
from tres_lib.topics import defaults
from tres_webs import Topic
from tres_webs.recorded.label_rules import read_rules

SPORTS = [0.9284663826322187, 0.00044417286088638296, 0.4467625986256282]
TEXTS = ["The team won the match by two goals.", "Simmer the onions in butter.", ""]


@pytest.fixture(autouse=True)
def no_training(monkeypatch, tmp_path):
    def refuse(topic, amount):
        raise AssertionError(f"{topic.name} is trained")

    monkeypatch.setattr(defaults, "training_corpus", refuse)
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["sports", "food", "computing"])
def test_the_stored_classifiers_are_loaded(topic):
    for amount in ("leads", "paper"):
        for kind in ("kwbilstm", "svm"):
            assert topics.classifier(topic, kind, amount=amount).proba(TEXTS).shape == (3,)
    assert topics.classifier(topic, "cosine").cosine(TEXTS).shape == (3,)


def test_another_setting_is_another_classifier():
    with pytest.raises(AssertionError, match="sports is trained"):
        topics.classifier("sports", settings=topics.KwBiLstmSettings(max_epochs=19))
    for more in ({"seed": 1}, {"seed": 1, "amount": "paper"}):
        with pytest.raises(AssertionError, match="sports is trained"):
            topics.classifier("sports", **more)


@pytest.mark.parametrize("rule", read_rules("debian-docs"), ids=lambda rule: rule.topic.name)
def test_topics_of_pinned_webs_have_a_stored_classifier(rule):
    on, off = topics.classifier(rule.topic).proba([" ".join(rule.words), "a cheese"])
    assert on > 0.5 > off


@pytest.mark.slow
def test_a_stored_score_by_its_digits():
    """Equal on every x86-64 and arm64 processor; an edit of the scoring shows here."""
    p = topics.classifier("sports").proba(TEXTS)
    np.testing.assert_array_equal(p, SPORTS)


@pytest.mark.parametrize(
    "name", ["../../x", "/x", "a/../../x", "x\0", "\ud800", "x" * 5_000, "..", "c:x"]
)
@pytest.mark.parametrize("kind", defaults.KINDS)
def test_a_topic_s_name_is_no_path(tmp_path, monkeypatch, name, kind):
    """Whatever a topic is called, its classifier is kept in the folder of classifiers."""
    folders = []

    def keep(folder, load, train):
        folders.append(folder)
        folder.mkdir(parents=True)

    monkeypatch.setattr(defaults, "load_or_make", keep)
    topics.classifier(Topic(name, ("jazz", "blues"), rules=("jazz",)), kind)
    assert folders[0].resolve().parent == tmp_path / "classifiers"
