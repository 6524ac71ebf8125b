"""Answers are kept at once, and read again whatever happened to the file."""

import json

import pytest

from tres_live import Labels, OwnTopic
from tres_live.topic.labels import LONGEST_TEXT
from tres_webs.files import StorageError

A, B, C = (f"http://{name}.example/" for name in "abc")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "deep" / "labels.jsonl"


def told(labels):
    return [(label.url, label.relevant) for label in labels]


def test_answers_come_back_in_their_order(file):
    labels = Labels(file)
    for url, relevant in ((A, True), (B, False), (C, None)):
        labels.add(url, f"text of {url}", relevant)
    again = Labels(file)
    assert told(again) == [(A, True), (B, False), (C, None)]
    assert len(again) == 3 and A in again and "http://d.example/" not in again
    assert [label.text for label in again][0] == f"text of {A}"
    assert told(again.answers()) == told(labels.answers()) == [(A, True), (B, False)]


def test_the_last_answer_counts_and_the_file_only_grows(file):
    labels = Labels(file)
    labels.add(A, "text", True)
    first = file.read_bytes()
    labels.add(A, "text", False)
    assert file.read_bytes().startswith(first) and file.read_bytes().count(b"\n") == 2
    assert told(Labels(file)) == [(A, False)]


def test_a_torn_line_is_passed_over_and_spoils_no_other(file):
    Labels(file).add(A, "text", True)
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    labels = Labels(file)
    assert told(labels) == [(A, True)]
    labels.add(B, "text", False)
    assert told(Labels(file)) == [(A, True), (B, False)]


@pytest.mark.parametrize("line", ["[1]", "null", '{"url": "x"}', "\0", '{"url": 3, "x": 4}'])
def test_lines_that_are_no_answers_are_passed_over(file, line):
    Labels(file).add(A, "text", True)
    with open(file, "a") as opened:
        opened.write(f"{line}\n")
        opened.write(json.dumps({"url": B, "text": "t", "relevant": "yes", "time": ""}) + "\n")
    assert told(Labels(file)) == [(A, True)]


@pytest.mark.parametrize(
    "content",
    [
        "url,text,relevant\nhttp://a.example/,text,1\n",
        "url,text,relevant",
        '{"url": "http://a.example/", "relevant": true}\n',
        '[{"url": "http://a.example/", "text": "a", "relevant": true, "time": ""}]',
    ],
)
def test_a_file_without_an_answer_is_refused(tmp_path, content):
    file = tmp_path / "labels.csv"
    file.write_text(content)
    with pytest.raises(ValueError, match=r'labels: .*labels.csv: line 1 .*{"url": "http:'):
        Labels(file)


def test_a_missing_file_is_named_where_answers_are_wanted(tmp_path):
    with pytest.raises(ValueError, match="labels=.*nowhere.jsonl.*there is no such file"):
        OwnTopic("food", labels=tmp_path / "nowhere.jsonl")
    assert OwnTopic("food", labels=Labels(tmp_path / "nowhere.jsonl")).labels.answers() == []


@pytest.mark.parametrize("relevant", ["yes", 2, "", 0.5])
def test_an_answer_is_yes_no_or_skip(file, relevant):
    with pytest.raises(ValueError, match="relevant=.*True, False, or None"):
        Labels(file).add(A, "text", relevant)


def test_a_long_page_is_cut_and_a_lone_surrogate_kept(file):
    Labels(file).add(A, "x" * 10**6, True)
    Labels(file).add(B, "\ud800", True)
    assert [len(label.text) for label in Labels(file)] == [LONGEST_TEXT, 1]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    labels = Labels(tmp_path)  # a folder
    with pytest.raises(StorageError, match=tmp_path.name):
        labels.add(A, "text", True)
