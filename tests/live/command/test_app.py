"""The command line, on a small web that is served on this machine."""

from __future__ import annotations

import json
import logging
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from fakes import orchard, seed_of

import tres_live
import tres_webs as web
from tres_lib import topics
from tres_live.command import watching
from tres_live.command.app import _log_to, main
from tres_live.command.crawling import opened, saying_compiled, so_far
from tres_live.command.extracts import growing_log
from tres_live.command.options import CrawlOptions, Folder, WatchOptions
from tres_live.topic.few import trained
from tres_live.topic.labels import Labels

pytestmark = pytest.mark.network
# Modules whose functions one crawl runs, numerics among them for equal bits, and pairs of modules
# that call each other, all of them in the library and the live web.
ENTERED, PAIRS = 40, 6
COMMANDS = {"crawl", "resume", "extend", "status", "export", "judge", "review", "serve", "watch"}


def as_html(page):
    links = " ".join(f'<a href="{link.url}">{link.anchor}</a>' for link in page.links)
    return f"<title>{page.text}</title><p>{page.text} {page.url.rpartition('/')[2]}</p>{links}"


@pytest.fixture(scope="module")
def orchard_web():
    trees = orchard(sites=8, pages=12)
    served = web.ReplayWeb.from_pages({url: as_html(page) for url, page in trees.pages.items()})
    return served, seed_of(trees, 2)


def value_of(name, output):
    """Return a figure that `tres status` tells."""
    lines = map(str.strip, output.splitlines())
    return next(line.removeprefix(name).strip() for line in lines if line.startswith(name))


def fruit_classifier(*_, **__):
    texts = ["apple tree", "stone wall"] * 10
    return topics.SvmClassifier().fit(texts, [True, False] * 10)


@pytest.fixture
def tres(orchard_web, tmp_path, monkeypatch):
    """Return a function that runs `tres` with options for this web, and returns its output."""
    place, seeds = orchard_web
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.setattr("tres_live.topic.own.trained", fruit_classifier)
    with tres_live.serve(place) as served:
        options = ["--topic", "fruit", "--keywords", "apple, tree", "--policy", "best-first"]
        options += ["--proxy", served.proxies["http"], "--delay", "0.001", "--max-per-domain", "0"]
        options += ["--contact", "me@a.example"]
        options += [item for url in seeds for item in ("--seeds", url)]
        for_a_watch = [*options[:4], *options[6:10], *options[12:]]

        def run(command, *arguments, code=0):
            told = {"crawl": options, "watch": for_a_watch}.get(command, [])
            arguments = [*told, *arguments]
            found = CliRunner().invoke(main, [command, *map(str, arguments)])
            assert found.exit_code == code, found.output
            return found.output

        yield run


def test_help_names_all_commands_and_loads_nothing_slow():
    code = "import sys, tres_live.command.app; print([m for m in ('torch', 'pandas', 'sklearn',"
    code += " 'requests') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
    help_text = CliRunner().invoke(main, ["--help"]).output
    assert all(f"  {name} " in help_text for name in COMMANDS)


def test_an_interrupted_import_ends_in_one_line(tmp_path, chosen):
    interrupts = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(9)"
    (tmp_path / "numpy.py").write_text(interrupts)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    found = subprocess.run(
        [sys.executable, "-m", "tres_live", "status", chosen.path],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path},
        # A program in the background may have it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "interrupted\n")


@pytest.mark.slow
def test_a_crawl_its_status_its_exports_and_more_budget(tres, tmp_path):
    output = tres("crawl", "--budget", 30, "--folder", "one")
    assert "budget spent" in output and "30 of 30" in output and "no limit a domain" in output
    assert "tres extend one" in output and "tres resume" not in output
    stands = tres("status", "one")
    assert "30 of 30" in stands and "tres extend one --budget 30" in stands
    assert value_of("relevant left", stands).startswith(f"of the {value_of('links left', stands)}")
    files = tres("export", "one", "--to", "out").split()
    assert len(files) == 10
    log = pd.read_csv("out/log.csv")
    assert len(log) == 32 and log["reward"].mean() > 0.5
    rows = (tmp_path / "out/log.jsonl").read_text().splitlines()
    rows = [json.loads(row, parse_constant=pytest.fail) for row in rows]  # NaN is no JSON
    assert [row["url"] for row in rows] == log["url"].tolist() and rows[0]["q"] is None
    left = (tmp_path / "out/frontier.txt").read_text().split()
    assert left and not set(left) & set(log["url"])
    assert value_of("links left", output) == f"{len(left):,}" == f"{len(set(left)):,}"
    recorded = web.ReplayWeb.from_warc(["out/pages.warc.gz"])
    assert all(recorded.fetch(url) for url in log.loc[log["status"] == 200, "url"][:5])
    assert "tres extend one" in tres("resume", "one")  # nothing to resume
    assert "45 of 45" in tres("extend", "one", "--budget", 15)
    longer = so_far(opened("one")).result.log
    assert longer["url"][:32].tolist() == log["url"].tolist() and len(longer) == 47


OWN = """
class Newest:
    def __init__(self, context): self.ids = []
    def add(self, ids, x): self.ids += ids.tolist()
    def choose(self, step): return self.ids[-1]
    def learn(self, transition): pass
    def drop(self, ids): self.ids = [i for i in self.ids if i not in ids]

def says_apple(texts): return ["apple" in text for text in texts]
def says_nothing(): pass
"""


@pytest.mark.slow
def test_a_policy_and_a_classifier_of_ones_own(tres, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "newest.py").write_text(OWN)
    own = ["--policy", "newest:Newest", "--classifier", "newest:says_apple"]
    tres("crawl", "--budget", 10, *own, "--folder", "one")
    log = so_far(opened("one")).result.log
    assert len(log) == 12 and set(log["p"].dropna()) <= {0.0, 1.0}
    assert log["parent"][3] in set(log["url"][2:3])
    for named in ([], own[:2], own[2:]):  # a folder may be a stranger's
        assert "names code" in tres("extend", "one", "--budget", 5, *named, code=1)
    assert "names code" in tres("judge", "newest.py", "--folder", "one", code=1)
    assert "leave it out" in tres("resume", "one", "--policy", "newest:Older", code=1)
    assert opened("one").options.budget == 10 and "relevant.html" in tres("export", "one")
    assert "names code" in tres("crawl", "one/crawl.json", "--folder", "two", code=1)
    tres("extend", "one", "--budget", 5, *own)
    assert so_far(opened("one")).result.log["url"][:12].tolist() == log["url"].tolist()
    for wrong in ("newest:Older", "newest:says_nothing"):
        output = tres("crawl", "--policy", wrong, "--folder", "two", code=1)
        assert "policy" in output and "classifier" not in output, "before the first look"
    assert "no_such" in tres("crawl", "--classifier", "no_such:f", "--folder", "two", code=1)


def test_what_a_policy_needs_is_named_before_the_first_look(tres, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "tres_lib[bilstm]" in tres("crawl", "--policy", "tres", "--folder", "one", code=1)
    assert not Path("one/first.jsonl").exists()


@pytest.mark.slow
def test_a_stranger_follows_one_crawl_through_few_modules(tres, monkeypatch):
    """Run functions of at most ENTERED modules, the training of the classifier included."""
    monkeypatch.setattr("tres_live.topic.own.trained", trained)  # not the fixture's
    tres("crawl", "--budget", 5, "--folder", "one")  # loads what loads on use
    root, calls = str(Path(tres_live.__file__).parents[1] / "tres_"), set()

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and code.co_name != "<module>":
            caller = frame.f_back.f_code.co_filename if frame.f_back else ""
            calls.add((caller, code.co_filename))

    sys.setprofile(note)
    try:
        tres("crawl", "--budget", 5, "--folder", "two")
    finally:
        sys.setprofile(None)
    ours = sorted({called for _, called in calls})
    assert any(name.endswith("crawling.py") for name in ours) and len(ours) <= ENTERED, ours
    both = {frozenset(pair) for pair in calls if pair[::-1] in calls and len({*pair}) == 2}
    assert len(both) <= PAIRS, both


@pytest.mark.slow
def test_a_crawl_by_a_cluster_is_as_one_process(tres, tmp_path):
    """Its pages, probabilities and archive; and it goes on, there or here."""
    pytest.importorskip("distributed")
    from dask_cluster import cluster_of

    columns = ["url", "final_url", "status", "failure", "reason", "p", "parent"]
    with cluster_of(1, tmp_path / "workers") as cluster:
        named = "--cluster", cluster.address
        assert "give tls://HOST:PORT" in tres("crawl", "--folder", "there", *named, code=1)
        tres("crawl", "--budget", 15, "--folder", "there", *named, "--cluster-plain")
        tres("extend", "there", "--budget", 5)
    tres("extend", "there", "--budget", 5, "--cluster", "")
    tres("crawl", "--budget", 25, "--folder", "here")
    there, here = (so_far(opened(name)).result.log for name in ("there", "here"))
    pd.testing.assert_frame_equal(there[columns], here[columns])
    files = ("there/pages.warc.gz", "here/pages.warc.gz")
    assert len({tuple(sorted(web.ReplayWeb.from_warc([file]).urls())) for file in files}) == 1


@pytest.mark.slow
def test_a_watch_begins_goes_on_and_writes_digests(tres, tmp_path, monkeypatch):
    clock = tres_live.VirtualClock(1_700_000_000)  # days pass at once, however busy the machine
    monkeypatch.setattr("tres_live.watching.watch.WallClock", lambda: clock)
    options = ["--bandwidth", 20, "--days", 2, "--folder", "one"]
    output = tres("watch", *options)
    assert "One more fetch a day would serve" in output
    (day, *_) = sorted((tmp_path / "one" / "digest").glob("*.html"))
    assert "New pages" in day.read_text() and "apple tree" in day.read_text()
    assert (tmp_path / "one" / "digest" / "feed.xml").exists()
    assert "fetches in" in tres("status", "one") and "fetches in" in tres("resume", "one")
    files = [Path(file).name for file in tres("export", "one", "--to", "out").split()]
    assert sorted(files) == sorted(
        f"{name}.{kind}" for name in ("log", "pages") for kind in ("csv", "parquet", "jsonl")
    )
    pages = pd.read_csv("out/pages.csv")
    assert pages["url"].is_unique and len(pd.read_parquet("out/pages.parquet")) == len(pages) > 5
    assert "format='warc'" in tres("export", "one", "--format", "warc", code=1)
    assert "holds a watch: `tres resume one`" in tres("watch", *options, code=1)
    assert "bandwidth=0" in tres("watch", "--bandwidth", 0, "--folder", "two", code=1)
    (tmp_path / "page.html").write_text("<title>A stone wall</title>")
    assert tres("judge", "page.html", "--folder", "one").startswith("irrelevant")


@pytest.mark.slow
def test_a_signal_ends_it_in_order_and_resume_goes_on(tres, tmp_path):
    whole = tres("crawl", "--budget", 20, "--folder", "whole")
    chosen = Folder.create("cut", replace(opened("whole").options, delay=0.1))
    shutil.copytree("whole/classifier", chosen.model)
    code = "from tres_live.command.app import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "resume", "cut"],
        stdout=subprocess.PIPE, text=True, env=os.environ | {"TQDM_DISABLE": "1"},
    )  # fmt: skip
    deadline = time.monotonic() + 400  # a busy machine takes long to import all
    while len(so_far(chosen).result.log) < 5 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.1)
    assert so_far(opened("cut")).state == "running"
    assert "runs in another process: tres status cut" in tres("resume", "cut", code=1)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and "tres resume cut" in output
    stopped = opened("cut")
    assert (
        5 <= len(so_far(stopped).result.log) < 22 and so_far(stopped).state == "stopped by a signal"
    )
    assert (tmp_path / "cut" / "relevant.html").exists()
    assert "20 of 20" in tres("resume", "cut") and "20 of 20" in whole
    columns = ["url", "reward", "parent"]
    assert (
        so_far(opened("cut"))
        .result.log[columns]
        .equals(so_far(opened("whole")).result.log[columns])
    )


@pytest.fixture
def crawled(tmp_path, monkeypatch):
    """Return a function that runs `tres crawl` on pages by URL, of which the first is the seed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.setattr("tres_live.topic.own.trained", fruit_classifier)
    clock = tres_live.VirtualClock(1_700_000_000)  # of a watch: days pass at once
    monkeypatch.setattr("tres_live.watching.watch.WallClock", lambda: clock)

    def run(pages, *arguments, kind=web.ReplayWeb, command="crawl", again=None, code=0):
        with tres_live.serve(kind.from_pages(pages)) as served:
            given = ["--topic", "fruit", "--keywords", "apple, tree", "--contact", "me@a.example"]
            given += ["--proxy", served.proxies["http"], "--delay", "0.001", "--folder", "one"]
            given += ["--seeds", next(iter(pages)), *map(str, arguments)]
            given += ["--policy", "best-first"] * (command == "crawl")
            found = CliRunner().invoke(main, [command, *given])
            if again:
                assert found.exit_code
                again()
                found = CliRunner().invoke(main, ["resume", "one"])
        assert found.exit_code == code, found.output
        return found.output

    return run


def own_words(i):
    """Return a text by which a page is no copy of another."""
    return f"about {'x' * (i + 1)}"  # digits would not do


def site(body, head="", pages=30, at="http://docs.example/"):
    links = [f'<a href="{at}{i}">entry</a>' for i in range(pages)]
    found = {at: f"<p>apple tree</p>{head}{' '.join(links)}"}
    return found | {f"{at}{i}": f"{head}<p>{body} {own_words(i)}</p>" for i in range(pages)}


@pytest.mark.slow
def test_a_print_view_counts_once_and_is_named(crawled):
    said = " ".join(f"{'x' * i} apple tree of the town" for i in range(1, 20))
    pages = {"http://a.example/": "<p>apple tree <a href=/jam>jam</a> <a href=/print>print</a>"}
    pages["http://a.example/jam"] = f"<title>Jam</title><p>Home</p><p>{said}. <a href=/>apple</a>"
    pages["http://a.example/print"] = f"<title>Jam (print)</title><p>{said}. Of our site</p>"
    output = crawled(pages)
    log = so_far(opened("one")).result.log.set_index("url")
    assert log["copy_of"].to_dict() == dict.fromkeys(pages, "") | {
        "http://a.example/print": "http://a.example/jam"
    }
    assert log["p"].iloc[2] >= 0.5 and log["reward"].tolist()[1:] == [1.0, 0.0]
    assert value_of("harvest rate", output) == "50.0 %"
    assert value_of("near-copies", output) == "1 relevant pages, not counted"
    assert "claims 1 relevant pages" in output
    assert "/print" not in Path("one/relevant.html").read_text()
    Labels(opened("one").labels).add("http://a.example/print", "", True)  # a person's word counts
    assert so_far(opened("one")).result.harvest_rate == 1.0


def test_what_is_compiled_is_told_once():
    told, functions = [], [numba.njit(lambda x, n=n: x + n) for n in (1, 2)]
    for _ in range(2):
        with saying_compiled(told.append):
            assert [function(1) for function in functions] == [2, 3]
    assert len(told) == 1 and told[0].startswith("compiling, which takes seconds")


def test_information_is_shown_only_where_a_person_waits_for_it(tmp_path, capsys):
    _log_to(tmp_path / "crawl.log")
    logger = logging.getLogger("tres_live.test")
    try:
        logger.info("one")
        logger.info("two", extra={"at_once": True})
        logger.warning("three", extra={"at_end": True})
        logger.warning("four")
        logger.warning("%s", "four")  # again
    finally:
        logging.getLogger("tres_lib").handlers = logging.getLogger("tres_live").handlers = []
    assert capsys.readouterr().err == "INFO: two\nWARNING: four\n"
    assert (tmp_path / "crawl.log").read_text().count("\n") == 5


class Lenient(web.ReplayWeb):
    """Answers with status 200 what it does not have."""

    nowhere: list[str] = []  # addresses asked for that no link leads to

    def fetch(self, url):
        try:
            return super().fetch(url)
        except web.FetchError:
            if "x" not in url.rpartition("/")[2]:
                self.nowhere.append(url)
            return web.parse_page(url, f"<p>An apple tree? {url} is not found")


@pytest.mark.slow
@pytest.mark.parametrize(("flags", "taken"), [(("--no-probe",), 1), ((), 0)])
def test_pages_that_are_not_found_are_not_taken(crawled, monkeypatch, flags, taken):
    links = [f"<a href='/{'x' * i}'>apple</a>" for i in range(1, 13)]
    monkeypatch.setattr(Lenient, "nowhere", [])
    pages = {"http://a.example/": f"<p>apple tree {' '.join(links)}"}
    pages["http://shut.example/x"] = "<p>an apple of our tree"
    pages["http://shut.example/robots.txt"] = "User-agent: *\nDisallow: /\nAllow: /x"
    output = crawled(pages, *flags, "--seeds", "http://shut.example/x", kind=Lenient)
    assert len(Lenient.nowhere) == (not taken), "once a host, where robots.txt allows it"
    assert ("asked once for a page that cannot exist" in output) == (not taken)
    assert so_far(opened("one")).result.harvest_rate == taken / 12
    assert ("to any address" in value_of("errors", output)) == (not taken)


@pytest.mark.slow
def test_questions_outlast_an_interruption_at_the_prompt(crawled, monkeypatch):
    monkeypatch.setattr("tres_live.topic.own.OwnTopic.ask_person", interrupted)
    output = crawled({"http://a.example/": "<p>apple tree"}, "--ask", code=130)
    assert "10 to 20 answers are enough, and q ends them" in output
    output = CliRunner().invoke(main, ["resume", "one"]).output
    assert "10 to 20 answers are enough" in output and "Stopped after 0 pages" in output


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_serve_says_how_to_use_it(monkeypatch):
    class Interrupted:
        def wait(self):
            raise KeyboardInterrupt

    monkeypatch.setattr("tres_live.command.webs.Event", Interrupted)
    serve = ["serve", "--sites", "2000", "--topic", "Sports", "--port"]
    wrong = CliRunner().invoke(main, ["serve", "--topic", "nothing"]).output
    assert wrong.startswith("Error: topic='nothing': use one of ")
    output = CliRunner().invoke(main, [*serve, "0"]).output
    assert "tres crawl --topic sports" in output and "--proxy http://127.0.0.1:" in output
    words = shlex.split(output)
    seeds = [words[i + 1] for i, word in enumerate(words) if word == "--seeds"]
    texts = [topics.page_text(web.VitalWeb(0, 2_000).fetch(url)) for url in seeds]
    assert len(set(seeds)) == 2 and (topics.classifier("sports", "svm").proba(texts) >= 0.5).all()
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        output = CliRunner().invoke(main, [*serve, str(port)]).output
    assert f"Error: port={port}: Address already in use; give another --port" in output


def test_a_folder_that_is_a_file_is_told(tres, tmp_path):
    (tmp_path / "one").touch()
    assert "folder='one': no folder can be there (File ex" in tres(
        "crawl", "--folder", "one", code=1
    )


def row(url, reason=""):
    return {"url": url, "reason": reason, "step": np.int64(1)}


@pytest.fixture
def chosen(tmp_path):
    options = CrawlOptions("jazz", ["http://a.example/"], ["jazz", "blues"], contact="me@a.example")
    return Folder.create(tmp_path / "one", options)


def logged(folder):
    lines = (folder.path / "rows.jsonl").read_text().splitlines()[1:]
    return [(kept["url"], kept["reason"]) for kept in map(json.loads, lines)]


def test_the_log_grows_and_a_failure_that_is_tried_again_is_replaced(chosen):
    with growing_log(chosen.rows) as add:
        for one in (row("a"), row("b", "timeout"), row("c", "timeout")):
            add(one)
    with growing_log(chosen.rows) as add:
        add(row("a"))
        assert len(logged(chosen)) == 3  # nothing new yet
        add(row("b"))
        add(row("d"))
    assert logged(chosen) == [("a", ""), ("b", ""), ("d", "")]


def test_a_crawl_without_a_classifier_is_training(chosen):
    with chosen.alone():
        assert so_far(opened(chosen.path)).state == "training"
        chosen.model.mkdir()
        assert so_far(opened(chosen.path)).state == "running"


def test_a_failed_first_try_leaves_no_classifier_behind(chosen):
    chosen.model.mkdir()
    again = Folder.create(chosen.path, replace(chosen.options, topic="blues"))
    assert not again.model.exists() and again.options.topic == "blues"
    again.journal.write_text('{}\n{"url":"http://a.example/","reason":"HTTP 404"}\n')
    again = Folder.create(chosen.path, chosen.options)
    assert not again.journal.exists()
    again.journal.write_text('{}\n{"url":"http://a.example/","page":[]}\n')
    with pytest.raises(ValueError, match="holds a crawl"):
        Folder.create(chosen.path, chosen.options)


class Counted(web.ReplayWeb):
    """A web that counts what it is asked for, and redirects ``/away``."""

    asked: list[str] = []

    def fetch(self, url):
        self.asked.append(url)
        return replace(super().fetch(url), url="http://denied.example/" if "/away" in url else url)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("crawl", ["--sitemaps"]),
        ("watch", ["--bandwidth", "6", "--days", "0.2"]),
    ],
)
def test_nothing_is_asked_for_twice_nor_out_of_scope(crawled, monkeypatch, command, more):
    start = "http://a.example/"
    links = [f"{start}b", f"{start}away", f"{start}tag/c", "http://denied.example/d"]
    anchors = " ".join(f"<a href={url}>apple</a>" for url in links)
    listed = "<urlset><url><loc>/b</loc></url></urlset>"
    pages = {start: f"<p>apple tree {anchors}", f"{start}b": "<p>apple pie", f"{start}tag/c": "c"}
    pages |= {f"{start}away": "", "http://denied.example/": "d", "http://denied.example/d": "apple"}
    pages[f"{start}robots.txt"] = "Sitemap: http://denied.example/map.xml"
    pages["http://denied.example/map.xml"] = listed
    monkeypatch.setattr(Counted, "asked", [])
    more = ["--deny-domain", "denied.example", "--exclude", "/tag/", *more]
    crawled(pages, *more, kind=Counted, command=command)
    assert Counted.asked.count(start) == Counted.asked.count(f"{start}b") == 1
    assert not [url for url in Counted.asked if "denied" in url or "/tag/" in url]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "more"),
    [("crawl", ["--budget", "9"]), ("watch", ["--bandwidth", "6", "--days", "0.2"])],
)
def test_a_first_look_that_was_cut_off_asks_for_no_page_again(crawled, monkeypatch, command, more):
    monkeypatch.setattr("tres_live.topic.own.trained", trained)  # looks around the seeds
    start = "http://a.example/"
    links = " ".join(f"<a href={n}>apple {n}</a>" for n in "abcdefgh")
    pages = {start: f"<p>an apple tree {links}"} | {f"{start}{n}": n * 9 for n in "abcdefgh"}
    monkeypatch.setattr(Counted, "asked", [])
    fetch = tres_live.LiveWeb.fetch

    def cut_off(self, url):
        if len(Counted.asked) > 5:
            raise KeyboardInterrupt
        return fetch(self, url)

    def again():
        assert 2 < len(set(Counted.asked) & set(pages)) < len(pages)
        monkeypatch.setattr(tres_live.LiveWeb, "fetch", fetch)

    monkeypatch.setattr(tres_live.LiveWeb, "fetch", cut_off)
    crawled(pages, *more, kind=Counted, command=command, again=again)
    asked = [url for url in Counted.asked if url in pages]
    assert len(asked) == len(set(asked))
    if command == "crawl":
        assert set(asked) == set(pages)
        urls = web.ReplayWeb.from_warc(["one/pages.warc.gz"]).urls()
        assert set(urls) == set(pages)


def test_two_watches_begun_at_once_do_not_share_a_folder(tmp_path, monkeypatch):
    options = {"topic": "fruit", "keywords": ["apple", "tree"], "contact": "me@a.example"}
    options |= {"seeds": ["http://a.example/"]}
    mine = Folder.create(tmp_path, WatchOptions.read(options))
    monkeypatch.setattr(Folder, "begun", False)  # the first looks come minutes later

    def learn(*_):
        with pytest.raises(ValueError, match="holds a watch: `tres resume"):
            Folder.create(tmp_path, other)
        with pytest.raises(ValueError, match="runs in another process"):
            watching.run(opened(tmp_path), print)
        raise KeyboardInterrupt

    other = WatchOptions.read(options | {"half_life": 9.0})
    yours = Folder.create(tmp_path, other)  # within the same moment
    monkeypatch.setattr("tres_live.command.watching.learn", learn)
    with pytest.raises(ValueError, match="was begun anew in another process"):
        watching.run(mine, print)
    with pytest.raises(KeyboardInterrupt):
        watching.run(yours, print)
    assert opened(tmp_path).options.half_life == 9.0
