"""From what a person types to the texts of examples."""

import json

import pytest
from fakes import DictWeb, page

import tres_live
from tres_live import OwnTopic
from tres_webs import Topic
from tres_webs.files import folder_name

A, B, C = (f"http://{name}.example/" for name in "abc")
TOPIC = Topic("jazz", ("jazz", "blues"))
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
    assert tres_live.as_list(typed) == items


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


def learnt(web, seeds, examples, folder):
    return OwnTopic.from_examples(web, TOPIC, seeds, examples, folder=folder).topic.examples


def test_examples_are_fetched_once(tmp_path):
    web, folder = DictWeb({A: page(A, text="jazz here")}), tmp_path / "deep"
    own = OwnTopic.from_examples(web, TOPIC, f"{A}, {B}", [A, SENTENCE], folder=folder)
    assert own.topic == Topic("jazz", ("jazz", "blues"), examples=("jazz here", SENTENCE))
    assert own.seeds == [A, B] and own.labels.path == folder / "labels.jsonl"
    assert json.loads((folder / "examples.json").read_text()) == {A: "jazz here"}
    gone = DictWeb({})
    assert learnt(gone, A, [A, SENTENCE], folder) == own.topic.examples
    assert gone.fetched == []
    assert sorted(path.name for path in folder.iterdir()) == ["around.json", "examples.json"]


def test_an_example_that_is_gone_is_left_out_and_tried_again(tmp_path, caplog):
    web = DictWeb({A: page(A, text="jazz here")})
    assert len(learnt(web, A, [A, B], tmp_path)) == 1
    assert f"example {B} is left out" in caplog.text
    web.pages[B] = page(B, text="more jazz")
    assert len(learnt(web, A, [A, B], tmp_path)) == 2


def test_a_seed_without_keywords_is_no_example(tmp_path, caplog):
    pages = {A: page(A, text="Jazzy tunes"), B: page(B, text="Page not found, or so")}
    assert learnt(DictWeb(pages), [A, B], "", tmp_path) == ("Jazzy tunes",)
    assert f"seed {B} mentions no keyword" in caplog.text
    assert learnt(DictWeb(pages), [A], [B], tmp_path)


def test_no_example_at_all_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"examples: none .*\(not found\)"):
        learnt(DictWeb({}), A, [B], tmp_path)
