"""The pages that a classifier doubts or takes, and a person's answers to them."""

import numpy as np
import pytest
from fakes import DictWeb, page

import tres_live
from tres_live import Labels, OwnTopic
from tres_webs import Topic

START = "http://start.example/"
TOPIC = Topic("fruit", ("apple", "pear"))


class Says:
    """The number in a text is its probability; others have 0.3."""

    def proba(self, texts):
        numbers = ([w for w in text.split() if w.startswith("0.")] for text in texts)
        return np.array([float(found[0]) if found else 0.3 for found in numbers])


def star(numbers):
    """A start page that links to a page of each number, on a domain of two."""
    urls = [f"http://site{i // 2}.example/{i}" for i in range(len(numbers))]
    pages = {
        u: page(u, text=f"page {i} {p}") for i, (u, p) in enumerate(zip(urls, numbers, strict=True))
    }
    return DictWeb({START: page(START, *urls, "http://gone.example/", text="0.5"), **pages}), urls


@pytest.fixture
def labels(tmp_path):
    return Labels(tmp_path / "labels.jsonl")


def answering(*answers):
    """Give these answers, one a question, then the end of the input."""
    waiting = list(answers)

    def ask(prompt):
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    return ask


def test_the_most_doubtful_pages_come_first():
    web, urls = star([0.9, 0.45, 0.1, 0.7, 0.52])
    table = tres_live.least_sure(web, [START], Says(), n=3)
    assert table["url"].tolist() == [urls[4], urls[1], urls[3]]
    assert table["p"].tolist() == [0.52, 0.45, 0.7]
    assert table["snippet"][0] == "page 4 0.52" and table["text"][0].endswith("page 4 0.52")


def test_a_snippet_leaves_out_the_menu_and_shows_the_first_keyword():
    urls = [f"http://docs.example/{i}" for i in range(4)]
    menu = "Home\nSecurity and TLS\nStreams"
    body = " ".join(f"word{i}" for i in range(100))
    texts = [f"{menu}\npage {i} {body} then TLS sockets" for i in range(3)] + [f"{menu}\n{body}"]
    pages = {url: page(url, text=text) for url, text in zip(urls, texts, strict=True)}
    web = DictWeb({START: page(START, *urls), **pages})
    table = tres_live.least_sure(web, [START], Says(), keywords=["sockets", "TLS"])
    shown = table.set_index("url")["snippet"]
    assert shown[urls[0]].startswith("… word8") and shown[urls[0]].endswith("TLS sockets")
    assert shown[urls[3]].startswith("word0 word1")
    plain = tres_live.least_sure(web, [START], Says()).set_index("url")["snippet"]
    assert plain[urls[0]].startswith("page 0 word0")


def test_seeds_and_answered_pages_are_not_shown(labels):
    web, urls = star([0.5, 0.6, 0.7])
    labels.add(urls[0], "text", None)
    assert tres_live.least_sure(web, [START], Says(), labels)["url"].tolist() == urls[1:]


def test_pages_that_are_taken_come_by_turns_with_doubtful_ones_and_seeds_are_shown():
    web, urls = star([0.9, 0.45, 0.1, 0.7, 0.52, 0.6])
    table = tres_live.least_sure(web, [START], Says(), n=5, taken=2)
    assert table["url"].tolist() == [urls[0], START, urls[3], urls[4], urls[1]]
    assert tres_live.least_sure(web, [START], Says(), n=9, taken=9)["url"].is_unique


@pytest.mark.parametrize("fetches", [1, 2, 5, 100])
def test_no_more_than_the_fetches_are_spent(fetches):
    web, _ = star([0.5] * 8)
    tres_live.least_sure(web, [START], Says(), fetches=fetches)
    assert len(web.fetched) == min(fetches, 10)
    assert len(set(web.fetched)) == len(web.fetched)


def looked_at():
    web, urls = star([0.5, 0.51, 0.52])
    return tres_live.least_sure(web, [START], Says()), urls


def test_answers_in_a_terminal_are_kept_and_nobody_is_asked_twice(labels):
    table, urls = looked_at()
    shown = []
    ask = answering("y", "what?", "", "No", "q")
    assert not tres_live.label_in_terminal(table, labels, ask, shown.append)
    assert {label.url: label.relevant for label in labels} == {urls[0]: True, urls[1]: False}
    assert len(shown) == 3 and urls[2] in shown[2] and shown[0].startswith("\n1 of 3")
    assert tres_live.label_in_terminal(table, Labels(labels.path), answering("s"), shown.append)
    assert [label.relevant for label in Labels(labels.path)] == [True, False, None]
    assert len(shown) == 4


@pytest.fixture
def trained(monkeypatch):
    """Note how many answers each training had, without those that were skipped."""
    sizes = []

    def train(topic, seed, answers, around):
        sizes.append(len(answers))
        return Says()

    monkeypatch.setattr("tres_live.topic.own.trained", train)
    return sizes


def teach(web, labels, ask):
    own, shown = OwnTopic(TOPIC, [START], labels), []
    own.ask_person(web, n=4, ask=ask, show=shown.append)
    own.classifier()
    return shown


def test_three_rounds_look_label_and_retrain(labels, trained):
    web, _ = star(np.linspace(0.05, 0.95, 30).round(3))
    shown = teach(web, labels, lambda _: "y")
    assert trained == [0, 4, 8, 12] and len(labels) == 12
    rounds = [line.partition(":")[0] for line in shown if line.startswith("round")]
    assert rounds == ["round 1 of 3", "round 2 of 3", "round 3 of 3"]


def test_a_later_call_goes_on_where_the_first_was_left(labels, trained):
    web, _ = star(np.linspace(0.05, 0.95, 30).round(3))
    teach(web, labels, answering(*"yynsyn"))
    assert trained == [0, 3, 5]
    again = Labels(labels.path)
    assert any(line.startswith("round 2 of 3: 2 q") for line in teach(web, again, lambda _: "n"))
    assert trained[3:] == [5, 7, 11]
    assert len({label.url for label in again}) == len(again) == 12


def test_it_ends_where_no_page_is_left(labels, trained):
    web, _ = star([0.5] * 3)
    shown = []
    OwnTopic(TOPIC, [START], labels).ask_person(web, n=4, ask=lambda _: "y", show=shown.append)
    assert len(labels) == 4 and trained[-1] == 4
    assert shown[-1] == "there is no other page without an answer; name more seeds to be asked more"
