"""A person reviews what a crawl took, and it goes on by the answers; an audit counts."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tres_webs as web
from tres_lib import topics
from tres_live import Left
from tres_live.command.app import main
from tres_live.command.crawling import classifier, opened, so_far
from tres_live.command.extracts import pages
from tres_live.command.options import CrawlOptions, Folder
from tres_live.command.reviewing import audit, judge_again, review
from tres_live.reporting import claim, used_up
from tres_live.topic.labels import Labels

SITE = "http://docs.example/"
PAGES = 60
FRUIT = "An apple of this tree and an apple of that tree are the fruit of the old orchard."
DISK = "An apple menu and a tree view and an apple keyboard belong to the folder of a computer."


def text(i):
    """Half of the pages name the keywords, but mean computers; by own words none is a copy."""
    return f"{DISK if i % 2 else FRUIT} about {'x' * (i + 1)}"


OPTIONS = ["--topic", "fruit", "--keywords", "apple, tree", "--contact", "me@a.example"]
OPTIONS += ["--seeds", SITE, "--folder", "one", "--budget", 45]


def run(*arguments, answers="", code=0):
    found = CliRunner().invoke(main, [*map(str, arguments)], input=answers)
    assert found.exit_code == code, found.output
    return found.output


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """Crawl 45 pages of a site of 60, without a network; yield the folder and what was printed."""
    links = " ".join(f"<a href='{SITE}{i}'>entry</a>" for i in range(PAGES))
    pages = {f"{SITE}{i}": f"<title>Entry</title><p>{text(i)}</p>" for i in range(PAGES)}
    site = web.ReplayWeb.from_pages(pages | {SITE: f"<title>All entries</title>{links}"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("crawls"))
        patch.setenv("TQDM_DISABLE", "1")
        patch.setattr(CrawlOptions, "open_web", lambda self, **_: site)
        output = run("crawl", *OPTIONS)
        yield Path("one").resolve(), output


@pytest.fixture
def tres(crawled, tmp_path, monkeypatch):
    """Return a function that runs `tres` where a copy of that crawl is in the folder "one"."""
    shutil.copytree(crawled[0], tmp_path / "one")
    monkeypatch.chdir(tmp_path)
    return run


class Person:
    """Says yes to fruit; stops after some answers."""

    def __init__(self, most=99):
        self.most, self.shown = most, []

    def show(self, text):
        self.shown.append(text)

    def ask(self, prompt):
        return "q" if len(self.shown) > self.most else "yn"["computer" in self.shown[-1]]


def is_computer(urls):
    return urls.str.extract(r"(\d+)$")[0].astype(float) % 2 == 1


def last_line(output):
    return output.strip().splitlines()[-1]


@pytest.mark.slow
def test_answers_judge_all_pages_again_and_the_crawl_goes_on_by_them(tres, crawled):
    _, output = crawled
    told = "88 % of them rightly by the classifier's own probabilities; nobody has checked: tres "
    assert last_line(output) == f"claims 45 relevant pages, {told}review one --audit 20"
    mostly = "look: 45 of 45 pages of docs.example were judged relevant"
    assert mostly in output and mostly in tres("status", "one")
    before = so_far(opened("one")).result.log
    person = Person(16)
    review(opened("one"), person.ask, person.show)
    log, computers = so_far(opened("one")).result.log, is_computer(before["final_url"])
    assert log["url"].equals(before["url"])
    assert (log["reward"] == ~computers)[1:].all()  # the seed is a list of links
    taken = 45 - computers.sum()
    assert person.shown[-1] == f"45 pages were taken, {taken} are now"
    assert last_line(tres("status", "one")).startswith(f"claims {taken} relevant pages, ")

    longer = tres("extend", "one", "--budget", 10)
    assert "55 of 55" in longer
    after = so_far(opened("one")).result.log
    assert after[before.columns[:7]][:46].equals(log[before.columns[:7]])
    assert (after["reward"] == ~is_computer(after["final_url"]))[1:].all()
    assert "It is finished" in tres("resume", "one")


@pytest.mark.slow
def test_a_review_that_is_killed_between_its_writes_is_whole(tres, crawled, tmp_path, monkeypatch):
    """After a kill before each write, probabilities in the log are those of the classifier."""
    steps = (Path, "rename"), (Path, "replace"), (shutil, "rmtree")
    before, left, writes, seen = so_far(opened("one")).result.log["p"], [0], 0, set()

    def or_killed(write, name):
        def either(*arguments, **named):
            left[0] -= 1
            if left[0] < 0:
                seen.add(name)
                raise KeyboardInterrupt
            return write(*arguments, **named)

        return either

    while "" not in seen:
        shutil.rmtree("one")
        shutil.copytree(crawled[0], "one")
        folder, left[0] = opened("one"), writes
        for i, url in enumerate(before.index[1:9]):
            row = so_far(folder).result.log.iloc[url]
            text = topics.page_text(pages(folder.journal, [row["url"]])[row["url"]])
            Labels(folder.labels).add(f"http://other.example/{i}", text, "computer" not in text)
        with monkeypatch.context() as patch:
            for owner, name in steps:
                patch.setattr(owner, name, or_killed(getattr(owner, name), name))
            with suppress(KeyboardInterrupt):
                judge_again(folder)
                seen.add("")
        writes += 1
        again = opened("one")
        log = so_far(again).result.log.dropna(subset="p")
        texts = [topics.page_text(page) for page in pages(again.journal, [*log["url"]]).values()]
        np.testing.assert_allclose(classifier(again).proba(texts), log["p"])
        assert not again.next_model.exists()
    assert seen == {"", "rename", "replace", "rmtree"} and writes >= 4


@pytest.mark.slow
def test_an_audit_tells_the_share_of_a_random_sample(tres):
    folder, person = opened("one"), Person()
    audit(folder, 20, person.ask, person.show)
    good = sum(label.relevant for label in Labels("one/audit.jsonl"))
    assert len(person.shown) == 20 and 0 < good < 20
    said = claim(so_far(folder))
    assert said.startswith("claims 45 relevant pages, probably ") and said.endswith("(20 checked)")
    low, high = (int(word) / 100 for word in said.split()[5:8:2])
    share = (~is_computer(so_far(folder).result.log["final_url"][1:])).mean()
    assert low <= good / 20 <= high and low <= share <= high < low + 0.4
    assert last_line(tres("status", "one")) == said
    sample = json.loads((folder.path / "audit.json").read_text())["order"][:20]
    assert sample == [label.url for label in Labels("one/audit.jsonl")]

    more = Person()  # the same sample, and ten more
    audit(folder, 30, more.ask, more.show)
    assert len(more.shown) == 10 and "(30 checked)" in claim(so_far(folder))
    assert len(Labels(folder.labels)) == 0 and so_far(folder).result.log["reward"][1:].all()

    tres("extend", "one", "--budget", 5)
    longer = opened("one")
    assert "; of the 45 that were audited, probably" in claim(so_far(longer))
    anew = Person(3)
    audit(longer, 9, anew.ask, anew.show)
    assert "claims 50 relevant pages, probably" in claim(so_far(longer))
    assert "(3 checked)" in claim(so_far(longer))


@pytest.mark.slow
def test_what_cannot_be_reviewed_is_said(tres):
    folder = opened("one")
    with folder.alone(), pytest.raises(ValueError, match="runs in another process"):
        judge_again(opened("one"))
    assert "holds no crawl" in tres("review", "nowhere", code=1)
    Folder.create("new", folder.options)
    assert "0 pages were taken, 0 are now" in tres("review", "new")
    Path("seen").mkdir()
    Path("seen/watch.json").touch()
    assert "holds a watch; this is for a crawl" in tres("review", "seen", code=1)
    assert last_line(tres("review", "new", "--audit", 5)) == "claims 0 relevant pages"
    assert last_line(tres("status", "new")) == "claims 0 relevant pages"


def test_a_topic_looks_used_up_where_a_tenth_of_what_was_taken_is_surely_not_left(tres):
    result = so_far(opened("one")).result
    n = int((result.log["reward"] > 0).sum())
    for high, said in ((0.1 * n - 0.1, 1), (0.1 * n, 0), (np.nan, 0)):
        lines = list(used_up(result, Left(900, high, high, high)))
        assert len(lines) == said
        assert all(f"{n} relevant pages" in line and "900 waiting links" in line for line in lines)
    assert not list(used_up(result, Left(0, 0.0, 0.0, 0.0)))  # another line says so
