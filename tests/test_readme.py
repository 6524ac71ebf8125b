"""The README keeps its word: its snippets run, and what it names is there."""

import re
import runpy
from codeop import compile_command
from contextlib import chdir

import matplotlib
import pytest

matplotlib.use("Agg")

from tres_book.study import workspace
from tres_lib import focused, refresh, web

ROOT = workspace.root()
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {"README.md": README, "data/README.md": (ROOT / "data/README.md").read_text("utf-8")}
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)

SKETCHES = re.findall(r"^```py\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)  # not run


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> dict:
    """All names that the snippets define, run in order in one namespace."""
    names: dict = {}
    with chdir(tmp_path_factory.mktemp("readme")):
        for number, snippet in enumerate(SNIPPETS, start=1):
            exec(compile(snippet, f"README.md, snippet {number}", "exec"), names)
    return names


@pytest.mark.parametrize(
    "snippet",
    SNIPPETS,
    ids=["topic", "classifier", "web", "policy", "compared", "shards", "refresh"],
)
def test_a_snippet_is_short(snippet):
    assert len([line for line in snippet.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("snippet", SNIPPETS + SKETCHES)
def test_a_snippet_can_be_pasted_into_python(snippet):
    """A plain interpreter ends a class or function at the first empty line, and only there."""
    waiting: list[str] = []
    for line in [*snippet.splitlines(), ""]:
        waiting.append(line)
        if compile_command("\n".join(waiting), "README.md", "single") is not None:
            waiting.clear()
    assert not "".join(waiting)


@pytest.mark.slow
def test_own_classifiers_judge_pages(ran):
    assert ran["by_pipeline"].harvest_rate > 0.3
    assert 0 < ran["by_function"].harvest_rate < 1


@pytest.mark.slow
def test_a_crawl_is_shared_by_shards(ran):
    assert ran["shared"].log["shard"].nunique() == 4
    assert ran["shared"].rounds["fetched"].sum() == 200


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
    assert ran["found"].stopped == "budget spent"
    assert ran["found"].harvest_rate > 0


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
def test_own_refresh_policy_learns(ran):
    pages = (ran["changes"], ran["requests"], 50, 1_000)
    assert 0 < ran["run"].regret() < refresh.simulate("uniform", *pages, rng=0).regret()


@pytest.mark.slow
def test_own_policy_steers_the_crawl(ran):
    assert ran["greedy"].settings["policy"] == "Greedy"
    seeds = ran["lab"].seeds(ran["music"], 1, rng=0)
    by_chance = focused.crawl(
        ran["lab"], seeds, ran["music"], policy="random", budget=200, classifier=ran["svm"]
    )
    assert ran["greedy"].harvest_rate > by_chance.harvest_rate


def test_every_make_target_named_exists():
    code = re.findall(r"^```sh\n(.*?)^```$|`([^`\n]+)`", README, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"\bmake (?:[A-Z]+=\S+ )*([a-z]+)", "\n".join(map("".join, code))))
    there = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"reproduce", "test", "quick", "lint", "lab"} <= named <= there


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_and_image_exists(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", PAGES[page])
    local = [target.split("#")[0] for target in targets if not re.match(r"https?:|#", target)]
    folder = (ROOT / page).parent
    assert [target for target in local if not (folder / target).exists()] == []


def test_the_results_are_those_that_are_stored():
    path = ROOT / "docs" / "results.py"
    script = runpy.run_path(str(path))
    assert script["block"]() in README, f"run {path}"


def test_the_chapters_are_those_that_exist():
    rows = re.findall(r"^\| (\d\d-[a-z-]+) \|", README, re.MULTILINE)
    assert rows == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_every_package_and_file_named_exists():
    packages = set(re.findall(r"^\| `(tres_lib/[a-z]+)`", README, re.MULTILINE))
    assert packages == {f"tres_lib/{p.parent.name}" for p in ROOT.glob("tres_lib/*/__init__.py")}
    starts = re.findall(r"`(tres_lib/[a-z]+)`.*start at `([a-z_]+\.py)`", README)
    assert len(starts) == len(packages)
    assert all((ROOT / package / module).exists() for package, module in starts)


@pytest.mark.slow
def test_every_policy_named_exists(ran):
    sentence = re.search(r"By name there are (.*?)\.\n", README, re.DOTALL)[1]
    with pytest.raises(ValueError, match="use one of") as error:
        focused.crawl(
            ran["Saved"](), ["http://a.example/"], "sports", policy="?", classifier=ran["svm"]
        )
    there = re.search(r"use one of (.*), or", str(error.value))[1].split(", ")
    assert set(re.findall(r"`([a-z-]+)`", sentence)) == set(there)


@pytest.mark.slow
def test_counts_of_labelled_articles():
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|", PAGES["data/README.md"], re.M)
    articles, counted = web.load_articles(), []
    for name, topic in web.load_topics().items():
        pairs = zip(articles.titles, articles.descriptions, articles.training, strict=True)
        training = [half for title, about, half in pairs if topic.matches(title, about)]
        counted.append((name, len(training), sum(training), len(training) - sum(training)))
    assert [(name, *map(int, numbers)) for name, *numbers in rows] == counted
