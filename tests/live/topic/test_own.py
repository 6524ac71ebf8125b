"""Whatever there is of a topic gives a classifier, and the summary says what it learns from."""

import numpy as np
import pytest

import tres_live
from tres_lib import topics
from tres_lib.topics import SvmClassifier
from tres_live import FewTexts, Labels, OwnTopic
from tres_live.topic import few
from tres_webs import Topic

SENTENCE = "A guitar, a trumpet and a drum: the band plays jazz for the king of swing"
RIVER = "The river flows to the sea with a lot of water and of mud, and to the delta"
GERMAN = "Die Sängerin singt in der Oper, und das Orchester spielt dazu eine Ouvertüre von Rossini."
JAZZ = Topic("jazz", ("jazz", "guitar"), examples=(SENTENCE,))


@pytest.fixture(autouse=True)
def build(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path_factory.mktemp("build")))


@pytest.fixture
def labels(tmp_path):
    return Labels(tmp_path / "labels.jsonl")


def corpus_of(own):
    return few.own_corpus(own.topic, own.labels.answers())


AWKWARD = {
    "one keyword": Topic("x", ("Schokolade",)),
    "a German example": Topic("x", ("Oper", "Arie"), examples=(GERMAN,)),
    "Chinese": Topic("x", ("爵士乐", "音乐"), examples=("爵士乐是一种音乐", "他喜欢爵士乐")),
    "Greek": Topic("x", ("ΜΟΥΣΙΚΗ",), examples=("Η μουσική είναι τέχνη",)),
    "signs": Topic("x", ("?!", "--")),
    "no article": Topic("x", ("zzyzx", "qwrty"), rules=("no such title",)),
    "one English example": Topic("x", ("zzyzx",), examples=(SENTENCE,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AWKWARD)
def test_few_data_never_raise_and_take_what_they_are_given(name, caplog):
    topic = AWKWARD[name]
    classifier = tres_live.own_classifier(topic)
    assert isinstance(classifier, FewTexts)
    assert ("keywords decide, because" in caplog.text) == topic.has_rules
    p = classifier.proba([*topic.examples, "", " ".join(topic.keywords * 3)])
    assert ((p >= 0) & (p <= 1)).all()
    assert (p[:-2] >= 0.5).all() or len(topic.examples) == 1
    assert p[-1] > p[-2] or name == "signs"
    again = tres_live.own_classifier(topic)
    np.testing.assert_array_equal(again.proba([SENTENCE]), classifier.proba([SENTENCE]))


@pytest.mark.slow
def test_examples_join_the_rules():
    topic = Topic("jazz", ("jazz",), rules=("jazz",), examples=(SENTENCE,))
    for corpus in (topics.training_corpus(topic), corpus_of(OwnTopic(topic))):
        assert corpus.labels[[text == SENTENCE for text in corpus.texts]].tolist() == [True]


@pytest.mark.slow
def test_labels_join_the_corpus_with_their_weight_and_skipped_ones_do_not(labels):
    labels.add("http://a.example/", SENTENCE + " twice", True)
    labels.add("http://b.example/", RIVER, False)
    labels.add("http://c.example/", "skipped", None)
    corpus = corpus_of(OwnTopic(JAZZ, labels=labels))
    for text, relevant in ((SENTENCE + " twice", True), (RIVER, False)):
        rows = [i for i, found in enumerate(corpus.texts) if found == text]
        assert corpus.labels[rows].tolist() == [relevant] * few.LABEL_TIMES
        assert len(set(corpus.groups[rows])) == 1
    assert "skipped" not in corpus.texts


@pytest.mark.parametrize(("good", "bad", "learns"), [(0, 1, 0), (1, 20, 0), (1, 19, 1), (2, 20, 1)])
def test_a_yes_among_twenty_no_is_nothing_to_learn_from(good, bad, learns, caplog):
    own = OwnTopic(Topic("jazz", ("jazz", "guitar")))
    texts = [f"{text} {'x' * i}" for text, n in ((GERMAN, good), (RIVER, bad)) for i in range(n)]
    for i, text in enumerate(texts):
        own.answer(f"http://a.example/{i}", text, i < good)
    by_keywords = FewTexts(own.topic.keywords).fit([], []).proba(texts)
    assert (own.classifier().proba(texts) != by_keywords).any() == learns
    told = f"keywords decide, because relevant are only {good} of {good + bad} examples"
    assert (told in caplog.text) != learns


@pytest.mark.slow
def test_a_topic_is_trained_once_and_comes_back_from_its_folder(
    tmp_path, labels, monkeypatch, caplog
):
    caplog.set_level("INFO", "tres_live")
    rules = Topic("x", ("jazz",), rules=("jazz",), include=("Miles Davis",), examples=(SENTENCE,))
    labels.add("http://a.example/", RIVER, False)
    first = OwnTopic(rules, ["http://a.example/"], labels, seed=3)
    first.save(tmp_path / "topic")
    (told,) = caplog.records
    assert told.getMessage().startswith("training an SVM on ") and told.at_once
    monkeypatch.setattr(few, "train", None)
    again = OwnTopic.load(tmp_path / "topic", labels)
    assert (again.topic, again.seeds, again.seed) == (rules, first.seeds, 3)
    texts = ["A jazz guitar plays the blues", "Rivers of Siberia flow to the north", SENTENCE]
    p = first.classifier().proba(texts)
    assert isinstance(first.classifier(), SvmClassifier) and p[0] > 0.5 > p[1]
    for other in (again.classifier(), tres_live.own_classifier(rules, 3, labels=labels)):
        np.testing.assert_array_equal(other.proba(texts), p)
    assert caplog.records == [told]
    with pytest.raises(ValueError, match="save a fitted classifier there"):
        OwnTopic.load(tmp_path / "nowhere")


def test_examples_that_would_take_most_of_a_site_are_left_out(caplog):
    """Any page of this manual reads like the example, and names one keyword once."""
    prose = "Jazz\nThe reader of this manual learns which settings the program reads from its files"
    around = [f"{prose}, in chapter {i}" for i in range(10)]
    topic = Topic("jazz", ("jazz", "trumpet"), examples=around[:1])
    by_keywords = FewTexts(topic.keywords).fit([], []).proba(around)
    assert (by_keywords < 0.5).all()
    assert (few.trained(topic, 0, [], around[1:]).proba(around) > 0.5).all()
    left = few.trained(topic, 0, [], around)
    assert "over 80% of the pages around the seeds" in caplog.text
    assert (left.proba(around) == by_keywords).all()


def test_the_summary_says_which_rule_decides():
    table = OwnTopic("sports").report()
    assert table.index[0] == "articles by rules" and table["relevant"].iloc[0] > 50
