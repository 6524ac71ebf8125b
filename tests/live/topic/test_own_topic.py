"""From what a person types to the topic, classifier and first table of a crawl."""

import json

import numpy as np
import pytest
from fakes import CountingClassifier, DictWeb, page

import tres_live
from tres_lib import topics
from tres_lib.store import folder_name
from tres_lib.web import Link, Page, Topic
from tres_live.topic import first_look as own_topic
from tres_live.topic import own

A, B, C = (f"http://{name}.example/" for name in "abc")
SENTENCE = "A guitar, a trumpet and a drum: the band plays jazz"


@pytest.mark.parametrize(
    ("typed", "items"),
    [
        ("jazz, New Orleans ,trumpet,", ["jazz", "New Orleans", "trumpet"]),
        (["jazz", " ", " opera "], ["jazz", "opera"]),
        (f"{A}?q=1,2\n{B}\n", [f"{A}?q=1,2", B]),
        ("jazz, opera\n", ["jazz", "opera"]),
        ("爵士乐，歌剧、音乐", ["爵士乐", "歌剧", "音乐"]),
        ((), []),
        ("", []),
    ],
)
def test_lists_are_typed_with_commas_or_on_lines(typed, items):
    assert own_topic.as_list(typed) == items


def test_a_request_is_read():
    request = tres_live.read_request("jazz", "jazz, blues", f"{A}, {B}", [SENTENCE, C])
    assert request == tres_live.Request("jazz", ("jazz", "blues"), (A, B), (SENTENCE, C))
    assert request.named


def test_an_example_without_blanks_is_a_text():
    assert tres_live.read_request("x", ["爵士乐", "音乐"], A, ["他喜欢爵士乐"]).examples == (
        "他喜欢爵士乐",
    )


def test_without_examples_the_seeds_serve():
    request = tres_live.read_request("jazz", "jazz, blues", A)
    assert request.examples == (A,) and not request.named


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"keywords": ""}, "keywords=.*two words or more"),
        ({"keywords": "jazz"}, "keywords=.*'jazz'"),
        ({"seeds": ""}, "seeds=.*at least one URL"),
        ({"seeds": "ftp://a.example/"}, "seeds=.*ftp"),
        ({"examples": SENTENCE}, "examples: 'A guitar'.*commas.*list"),
    ],
)
def test_what_lacks_or_is_wrong_is_named(typed, message):
    good = {"keywords": "jazz, blues", "seeds": A, "examples": ""}
    with pytest.raises(ValueError, match=message):
        tres_live.read_request("jazz", **(good | typed))


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("Early Jazz", "early-jazz"),
        ("../../etc/passwd", "etc-passwd"),
        ("музыка 1920", "музыка-1920"),
        ("?", "topic"),
        ("x" * 500, "x" * 60),
        ("\U00020000" * 500, "\U00020000" * 15),
        ("\0\ud800/..", "topic"),
    ],
)
def test_a_folder_s_name_leads_nowhere_else(topic, name):
    assert folder_name(topic) == name


def request(*examples):
    return tres_live.Request("jazz", ("jazz", "blues"), (A,), examples)


def test_examples_are_fetched_once(tmp_path):
    web, kept_in = DictWeb({A: page(A, text="jazz here")}), tmp_path / "deep" / "examples.json"
    topic = tres_live.learn_topic(request(A, SENTENCE), web, kept_in)
    assert topic == Topic("jazz", ("jazz", "blues"), examples=("jazz here", SENTENCE))
    assert json.loads(kept_in.read_text()) == {A: "jazz here"}
    gone = DictWeb({})
    assert tres_live.learn_topic(request(A, SENTENCE), gone, kept_in) == topic
    assert gone.fetched == []
    assert [path.name for path in kept_in.parent.iterdir()] == ["examples.json"]


def test_an_example_that_is_gone_is_left_out_and_tried_again(tmp_path, caplog):
    web = DictWeb({A: page(A, text="jazz here")})
    assert len(tres_live.learn_topic(request(A, B), web, tmp_path / "e.json").examples) == 1
    assert f"example {B} is left out" in caplog.text
    web.pages[B] = page(B, text="more jazz")
    assert len(tres_live.learn_topic(request(A, B), web, tmp_path / "e.json").examples) == 2


def test_a_seed_without_keywords_is_no_example(tmp_path, caplog):
    pages = {A: page(A, text="Jazzy tunes"), B: page(B, text="Page not found, or so")}
    seeds = tres_live.read_request("jazz", "jazz, blues", [A, B])
    topic = tres_live.learn_topic(seeds, DictWeb(pages), tmp_path / "e.json")
    assert topic.examples == ("Jazzy tunes",)
    assert f"seed {B} mentions no keyword" in caplog.text
    named = tres_live.read_request("jazz", "jazz, blues", [A], [B])
    assert tres_live.learn_topic(named, DictWeb(pages), tmp_path / "e.json").examples


def test_seeds_that_are_named_as_examples_are_examples(tmp_path, caplog):
    web = DictWeb({A: page(A, text="Jazzy tunes"), B: page(B, text="Swing and bebop")})
    named = tres_live.read_request("jazz", "jazz, blues", [A, B], [A, B])
    topic = tres_live.learn_topic(named, web, tmp_path / "e.json")
    assert topic.examples == ("Jazzy tunes", "Swing and bebop") and not caplog.text


def test_no_example_at_all_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"examples: none .*\(not found\)"):
        tres_live.learn_topic(request(A), DictWeb({}), tmp_path / "e.json")


def test_a_dead_seed_is_called_a_seed(tmp_path, caplog):
    seeds = tres_live.read_request("jazz", "jazz, blues", A)
    with pytest.raises(ValueError, match="seeds: none has a text"):
        tres_live.learn_topic(seeds, DictWeb({}), tmp_path / "e.json")
    assert f"seed {A} is left out of the examples: not found" in caplog.text


JAZZ = Topic("jazz", ("jazz", "guitar"), examples=(SENTENCE, "Louis Armstrong played the trumpet"))


@pytest.fixture(scope="module")
def corpus():
    return tres_live.own_corpus(JAZZ)


@pytest.mark.slow
def test_articles_with_two_keywords_count_as_relevant(corpus):
    leads = corpus.of_form("lead")
    counts = topics.keyword_counts(leads.texts, JAZZ.keywords)
    np.testing.assert_array_equal(leads.labels, counts >= 2)
    assert 0 < leads.labels.sum() < 100


@pytest.mark.slow
def test_the_forms_of_an_article_share_its_label_and_examples_are_relevant(corpus):
    lead_of = dict(zip(corpus.of_form("lead").groups, corpus.of_form("lead").labels, strict=True))
    of_articles = [g in lead_of for g in corpus.groups]
    labels, groups = corpus.labels[of_articles], corpus.groups[of_articles]
    assert all(on == lead_of[group] for on, group in zip(labels, groups, strict=True))
    assert all(on for text, on in zip(corpus.texts, corpus.labels, strict=True) if text == SENTENCE)


@pytest.mark.slow
def test_the_classifier_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    texts = ["A jazz guitar plays the blues", "Rivers of Siberia flow to the north"]
    first = tres_live.own_classifier(JAZZ)
    jazz, rivers = first.proba(texts)
    assert jazz > 0.5 > rivers
    monkeypatch.setattr(own, "_train", None)
    np.testing.assert_array_equal(tres_live.own_classifier(JAZZ).proba(texts), first.proba(texts))


@pytest.mark.slow
def test_the_paper_s_classifier_gets_the_expanded_keywords(tmp_path, monkeypatch):
    class Stub:
        def __init__(self, keywords, rng):
            self.keywords = keywords

        def fit(self, texts, labels, groups):
            assert len(texts) == len(labels) == len(groups)
            return self

        def save(self, folder):
            folder.mkdir(parents=True)

    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    monkeypatch.setattr("tres_lib.topics.classifiers.kwbilstm.KwBiLSTM", Stub)
    expanded = topics.topic_keywords(JAZZ).keywords
    assert tres_live.own_classifier(JAZZ, "kwbilstm").keywords == expanded


def test_an_unknown_classifier_is_named():
    with pytest.raises(ValueError, match="kind='tree'.*svm, kwbilstm"):
        tres_live.own_classifier(JAZZ, "tree")


def test_the_first_look_shows_seeds_and_pages_that_they_link_to():
    links = [Link(f"{A}{n}", "") for n in range(20)]
    web = DictWeb({link.url: page(link.url, text="stone") for link in links})
    web.pages[A] = Page(A, 200, "Apples", "an apple", (*links, Link(B, ""), Link(A, "")))
    web.pages[C] = page(C, f"{A}0", f"{C}gone", text="apple")
    table = tres_live.first_look(web, [A, B, C, f"{A}1"], CountingClassifier(), n=4)
    linked = [f"{A}{n}" for n in (0, 5, 10, 15)]
    assert table["url"].tolist() == [A, B, C, *linked, f"{C}gone"]
    first, last = ["relevant", "not found", "relevant"], ["irrelevant"] * 4
    assert table["verdict"].tolist() == [*first, *last, "not found"]
    assert table["title"][0] == "Apples"
    assert table["p"].isna().tolist() == [False, True, *[False] * 5, True]
