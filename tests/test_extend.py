"""docs/extend.md keeps its word: its snippets run, one after another."""

import re
from codeop import compile_command
from contextlib import chdir

import matplotlib
import pytest

matplotlib.use("Agg")

import tres_webs as web
from tres_book.study import workspace

PAGE = (workspace.root() / "docs" / "extend.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SKETCHES = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)  # not run


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> dict:
    """All names that the snippets define, run in order in one namespace."""
    names: dict = {}
    with chdir(tmp_path_factory.mktemp("extend")):
        for number, snippet in enumerate(SNIPPETS, start=1):
            exec(compile(snippet, f"docs/extend.md, snippet {number}", "exec"), names)
    return names


@pytest.mark.parametrize("snippet", SNIPPETS + SKETCHES)
def test_a_snippet_can_be_pasted_into_python(snippet):
    """A plain interpreter ends a class or function at the first empty line, and only there."""
    waiting: list[str] = []
    for line in [*snippet.splitlines(), ""]:
        waiting.append(line)
        if compile_command("\n".join(waiting), "docs/extend.md", "single") is not None:
            waiting.clear()
    assert not "".join(waiting)


@pytest.mark.slow
def test_own_classifiers_judge_pages(ran):
    assert ran["by_pipeline"].harvest_rate > 0.3
    assert 0 < ran["by_function"].harvest_rate < 1


@pytest.mark.slow
def test_own_policy_is_compared(ran):
    ends = ran["compared"].ends
    assert ends["policy"].value_counts().to_dict() == {
        "best-first": 3,
        "prospector": 3,
        "Greedy": 3,
    }
    assert (ends["by the truth"] > 0).all()
    assert set(ran["compared"].table().index) == {"Best-First", "Prospector", "Greedy"}


@pytest.mark.slow
def test_own_topic_is_learnt_and_crawled(ran):
    assert "musician" in ran["words"].discovered
    on, off = ran["svm"].proba(["A jazz singer and composer of songs", "A river in Asia"])
    assert on > 0.5 > off
    assert ran["result"].stopped == "budget spent"
    assert ran["result"].harvest_rate > 0


@pytest.mark.slow
def test_own_web_is_crawled_and_its_missing_page_logged(ran):
    log = ran["crawled"].log.set_index("url")
    assert log.loc["http://a.example/jazz", "reward"] == 1
    assert log.loc["http://a.example/tax", "reason"] == "not found"
    assert log["relevant_true"].isna().all()


@pytest.mark.slow
def test_the_web_in_short_gives_the_same_pages(ran):
    replayed = web.ReplayWeb.from_pages(ran["saved"])
    assert [replayed.fetch(url) for url in replayed] == [ran["Saved"]().fetch(u) for u in replayed]


@pytest.mark.slow
def test_own_refresh_policy_is_compared(ran):
    table = ran["table"]
    assert table.index.tolist() == ["Oldest", "uniform", "stormcrawler", "ncis"]
    assert table.loc["Oldest", "share"] == pytest.approx(table.loc["uniform", "share"], abs=0.01)


@pytest.mark.slow
def test_the_index_takes_most_files_before_they_die(ran):
    taken = ran["taken"]
    assert max(taken, key=taken.get) == "index"
    assert taken["index"] < ran["files"].sum()
