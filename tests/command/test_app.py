"""The command line, on a small web that is served on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from fakes import orchard, seed_of

from tres_lib import topics, web
from tres_lib.command import CrawlFolder, CrawlOptions
from tres_lib.command.app import main

pytestmark = pytest.mark.network
COMMANDS = {"crawl", "resume", "extend", "status", "export", "judge", "serve"}


def as_html(page):
    links = " ".join(f'<a href="{link.url}">{link.anchor}</a>' for link in page.links)
    return f"<title>{page.text}</title><p>{page.text} {page.url.rpartition('/')[2]}</p>{links}"


@pytest.fixture(scope="module")
def orchard_web():
    trees = orchard(sites=8, pages=12)
    served = web.ReplayWeb.from_pages({url: as_html(page) for url, page in trees.pages.items()})
    return served, seed_of(trees, 2)


def fruit_classifier(*_, **__):
    texts = ["apple tree", "stone wall"] * 10
    return topics.SvmClassifier().fit(texts, [True, False] * 10)


@pytest.fixture
def tres(orchard_web, tmp_path, monkeypatch):
    """Return a function that runs `tres` with options for this web, and returns its output."""
    place, seeds = orchard_web
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.setattr(topics, "own_classifier", fruit_classifier)
    with web.serve(place) as served:
        options = ["--topic", "fruit", "--keywords", "apple, tree", "--policy", "best-first"]
        options += ["--proxy", served.proxies["http"], "--delay", "0.001", "--max-per-domain", "0"]
        options += ["--contact", "me@a.example"]
        options += [item for url in seeds for item in ("--seeds", url)]

        def run(command, *arguments, code=0):
            arguments = [*options, *arguments] if command == "crawl" else arguments
            found = CliRunner().invoke(main, [command, *map(str, arguments)])
            assert found.exit_code == code, found.output
            return found.output

        yield run


def test_help_names_all_commands_and_loads_nothing_slow():
    code = "import sys, tres_lib.command.app; print([m for m in ('torch', 'pandas', 'sklearn',"
    code += " 'requests') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
    help_text = CliRunner().invoke(main, ["--help"]).output
    assert all(f"  {name} " in help_text for name in COMMANDS)


@pytest.mark.slow
def test_a_crawl_its_status_its_exports_and_more_budget(tres, tmp_path):
    output = tres("crawl", "--budget", 30, "--folder", "one")
    assert "budget spent" in output and "30 of 30" in output and "no limit a domain" in output
    assert "tres extend one" in output
    assert "30 of 30" in tres("status", "one")
    files = tres("export", "one", "--to", "out").split()
    assert len(files) == 6
    log = pd.read_csv("out/log.csv")
    assert len(log) == 32 and log["reward"].mean() > 0.5
    rows = (tmp_path / "out/rows.jsonl").read_text().splitlines()[1:]
    assert [json.loads(row)["url"] for row in rows] == log["url"].tolist()
    left = (tmp_path / "out/frontier.txt").read_text().split()
    assert left and not set(left) & set(log["url"])
    recorded = web.ReplayWeb.from_warc(["out/pages.warc.gz"])
    assert all(recorded.fetch(url) for url in log.loc[log["status"] == 200, "url"][:5])
    assert "tres extend one" in tres("resume", "one")  # nothing to resume
    assert "45 of 45" in tres("extend", "one", "--budget", 15)
    longer = CrawlFolder("one").result().log
    assert longer["url"][:32].tolist() == log["url"].tolist() and len(longer) == 47


@pytest.mark.slow
def test_judge_tells_by_which_words(tres, orchard_web, tmp_path):
    _, seeds = orchard_web
    tres("crawl", "--budget", 2, "--folder", "one")
    output = tres("judge", seeds[0], "--folder", "one")
    assert output.startswith("relevant") and "apple" in output
    (tmp_path / "page.html").write_text("<title>A stone wall</title>")
    assert tres("judge", "page.html", "--folder", "one").startswith("irrelevant")


@pytest.mark.slow
def test_scope_and_settings_of_a_file(tres):
    with open("fruit.toml", "w") as file:
        file.write('budget = 20\nallow-domain = ["site0.example"]\n')
    output = tres("crawl", "fruit.toml", "--max-depth", 2, "--folder", "one")
    log = CrawlFolder("one").result().log
    assert set(log.loc[log["step"] > 0, "domain"]) == {"site0.example"}
    assert log["depth"].max() <= 2 and "state" in output


def test_errors_are_one_line(tres):
    tres("crawl", "--budget", 1, "--folder", "one")
    assert "holds a crawl: `tres resume one`" in tres("crawl", "--folder", "one", code=1)
    assert "holds no crawl" in tres("status", "nowhere", code=1)
    assert "format='pdf'" in tres("export", "one", "--format", "pdf", code=1)
    assert "policy='worst'" in tres("crawl", "--policy", "worst", code=1)
    assert "HTTP 404" in tres("judge", "http://site0.example/no", "--folder", "one", code=1)
    CrawlFolder("one")._settings.write_text("{")
    assert "is damaged" in tres("status", "one", code=1)


@pytest.mark.slow
def test_a_signal_ends_it_in_order_and_resume_goes_on(tres, tmp_path):
    whole = tres("crawl", "--budget", 60, "--folder", "whole")
    chosen = CrawlFolder.create("cut", replace(CrawlFolder("whole").options, delay=0.3))
    fruit_classifier().save(chosen.path / "classifier")
    code = "from tres_lib.command.app import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "resume", "cut"],
        stdout=subprocess.PIPE, text=True, env=os.environ | {"TQDM_DISABLE": "1"},
    )  # fmt: skip
    deadline = time.monotonic() + 400  # a busy machine takes long to import all
    while len(chosen.result().log) < 20 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.1)
    assert CrawlFolder("cut").state() == "running"
    assert "runs in another process: tres status cut" in tres("resume", "cut", code=1)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and "tres resume cut" in output
    stopped = CrawlFolder("cut")
    assert 20 <= len(stopped.result().log) < 62 and stopped.state() == "stopped by a signal"
    assert (tmp_path / "cut" / "relevant.html").exists()
    assert "60 of 60" in tres("resume", "cut") and "60 of 60" in whole
    columns = ["url", "reward", "parent"]
    assert (
        CrawlFolder("cut").result().log[columns].equals(CrawlFolder("whole").result().log[columns])
    )


def test_serve_says_how_to_use_it(monkeypatch):
    class Interrupted:
        def wait(self):
            raise KeyboardInterrupt

    monkeypatch.setattr("tres_lib.command.app.Event", Interrupted)
    output = CliRunner().invoke(main, ["serve", "--port", "0", "--sites", "50"]).output
    assert "tres crawl --topic sports" in output and "--proxy http://127.0.0.1:" in output


def row(url, reason=""):
    return {"url": url, "reason": reason, "step": np.int64(1)}


@pytest.fixture
def chosen(tmp_path):
    options = CrawlOptions("jazz", ["http://a.example/"], ["jazz", "blues"], contact="me@a.example")
    return CrawlFolder.create(tmp_path / "one", options)


def logged(folder):
    lines = folder.rows.read_text().splitlines()[1:]
    return [(kept["url"], kept["reason"]) for kept in map(json.loads, lines)]


def test_the_log_grows_and_a_failure_that_is_tried_again_is_replaced(chosen):
    with chosen.growing_log() as add:
        for one in (row("a"), row("b", "timeout"), row("c", "timeout")):
            add(one)
    with chosen.growing_log() as add:
        add(row("a"))
        assert len(logged(chosen)) == 3  # nothing new yet
        add(row("b"))
        add(row("d"))
    assert logged(chosen) == [("a", ""), ("b", ""), ("d", "")]


def test_a_crawl_that_runs_is_not_extended(chosen):
    with chosen.growing_log():
        chosen.keep(stopped="running")
        with pytest.raises(ValueError, match="extend it when it has ended"):
            CrawlFolder(chosen.path).extend(10)
    assert CrawlFolder(chosen.path).state() == "killed"
    CrawlFolder(chosen.path).extend(10)
    assert CrawlFolder(chosen.path).extra == 10


def test_a_failed_first_try_leaves_no_classifier_behind(chosen):
    chosen.model.mkdir()
    again = CrawlFolder.create(chosen.path, replace(chosen.options, topic="blues"))
    assert not again.model.exists() and again.options.topic == "blues"
    again.journal.write_text("{}\n")
    with pytest.raises(ValueError, match="holds a crawl"):
        CrawlFolder.create(chosen.path, chosen.options)


def test_labels_may_be_named_from_anywhere_and_vanish(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.jsonl").write_text("")
    given = {"topic": "jazz", "seeds": ["http://a.example/"], "keywords": ["jazz, blues"]}
    options = CrawlOptions.read(given | {"contact": "me@a.example", "labels": "labels.jsonl"})
    assert options.labels == str(tmp_path / "labels.jsonl")
    CrawlFolder.create("two", options)
    (tmp_path / "labels.jsonl").unlink()
    assert CrawlFolder("two").state() == "not begun"
