"""One frontier and many workers: homes, redirects, pauses, losses, and what strangers can do."""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest
from cluster_web import KEYWORDS, SEEDS, Noted, Pausing, asked, judge
from dask_cluster import cluster_of, tls_files
from fakes import TOPIC

import tres_live
from tres_lib import focused
from tres_live.web import cluster as clusters, workers
from tres_live.web.cluster import ClusterError, ClusterWeb
from tres_live.web.workers import Reading, unpickled
from tres_webs import ReplayWeb, domain

pytest.importorskip("distributed")
HERE = Path(__file__).parents[2]  # what workers and strangers can import


class LocalGateway:
    """Workers in this process, in place of the process that speaks Dask."""

    def __init__(self, *workers):
        self.lines, self.readings, self.first, self.stdin = SimpleQueue(), {}, workers, self
        self.stdout = iter(self.lines.get, None)

    def write(self, data):
        worker, _, line = data.rstrip(b"\n").partition(b" ")
        if worker.startswith(b"["):  # the address
            for name in self.first:
                self.add(name)
        elif reading := self.readings.get(worker.decode()):
            reading[1].put(line)

    def add(self, name):
        reading, lines = self.readings[name] = Reading(), SimpleQueue()
        self.say(name, b"+")
        threading.Thread(target=self.serve, args=(name, reading, lines), daemon=True).start()

    def serve(self, name, reading, lines):
        while self.readings.get(name, [None])[0] is reading:
            new = [lines.get() for _ in range(lines.qsize())]
            found = reading.swap(new, 0.005).partition(b" ")[2]
            if found != b"[]" and name in self.readings:
                self.say(name, found)

    def lose(self, name):
        self.readings.pop(name)[0].close()
        self.say(name, b"-")

    def say(self, name, text):
        self.lines.put(b"%b %b\n" % (name.encode(), text))

    def flush(self):
        pass

    def close(self):
        for name in list(self.readings):
            self.readings.pop(name)[0].close()

    def wait(self, timeout):
        self.lines.put(None)

    kill = close


@pytest.fixture
def local(monkeypatch):
    """Put workers here in a cluster's place."""

    def put(*workers):
        made = LocalGateway(*workers)
        monkeypatch.setattr(clusters, "_start_gateway", lambda: made)
        return made

    return put


def crawl(web, **changed):
    how = {"policy": "best-first", "budget": 60, "classifier": judge(), "grow": 0, **changed}
    return focused.crawl(web, SEEDS, TOPIC, progress=False, **how)


def cluster_web(address, *given, **changed):
    opened = partial(Noted, *given)
    return ClusterWeb(address, opened, judge(), KEYWORDS, plain=True, **changed)


def same(one, other):
    pd.testing.assert_frame_equal(
        one.log.drop(columns="seconds"), other.log.drop(columns="seconds")
    )


def workers_by_domain(notes: Path) -> dict[str, set[str]]:
    found = defaultdict(set)
    for worker, _, _, url in asked(notes):
        found[domain(url)].add(worker)
    return found


@pytest.mark.parametrize(
    "policy", ["best-first", pytest.param("prospector", marks=pytest.mark.slow)]
)
def test_one_in_flight_is_as_one_process(local, tmp_path, policy):
    local("a", "b")
    with cluster_web("", tmp_path / "notes", 0.0, True) as web:
        there = crawl(web, policy=policy)
    same(there, crawl(Noted(None, 0.0, True), policy=policy))
    assert set(map(len, workers_by_domain(tmp_path / "notes").values())) == {1}
    assert there.log["final_url"].ne(there.log["url"]).sum() > 2


def test_each_domain_has_one_worker(local, tmp_path):
    local("a", "b", "c")
    with cluster_web("", tmp_path / "notes", 0.002, True) as web:
        log = crawl(web, in_flight=24, budget=150).log
    workers = workers_by_domain(tmp_path / "notes")
    assert log["url"].is_unique and len(log) == 151
    assert max(map(len, workers.values())) == 1 and len(set.union(*workers.values())) == 3


def test_redirects_end(local):
    local("a", "b")

    class Round(Noted):
        def leads(self, url):
            return f"http://site{(int(url[11]) + 1) % 9}.example/"

    with ClusterWeb("", Round, plain=True) as web, pytest.raises(Exception, match="10 redirects"):
        web.fetch("http://site1.example/")


def test_pauses_come_home_and_outlive_the_run(local, tmp_path):
    local("a")
    file, url = tmp_path / "pauses", "http://site3.example/page-1"
    with ClusterWeb("", Pausing, pauses=file, plain=True) as web:
        assert web.pause(url) == 0.0 and web.fetch(url).url == url
        assert 15 < web.pause(url) <= 20 and web.pause(SEEDS[0]) == 0.0
    local("a")
    with ClusterWeb("", Pausing, pauses=file, plain=True) as web:
        assert 10 < web.pause(url) <= 20


def test_scope_reaches_the_workers(local, tmp_path):
    local("a", "b")
    scope = tres_live.Scope(deny=tuple(f"site{n}.example" for n in range(1, 40, 2)))
    with cluster_web("", tmp_path / "notes", 0.0, True) as web:
        there = crawl(web, follow=scope)
    same(there, crawl(Noted(None, 0.0, True), follow=scope))
    assert "out of scope" in set(there.log["failure"])
    assert all(scope(url, 0) for *_, url in asked(tmp_path / "notes"))


def test_guard_and_archive_are_of_all_workers(local, tmp_path):
    """Nearly all pages of the orchard have the same words."""
    local("a", "b")

    def around(file, web):
        return tres_live.Guard(tres_live.Archive(web, tmp_path / file))

    def guarded():
        return tres_live.Guard(Noted())

    how = {"around": partial(around, "there.warc.gz"), "plain": True}
    with ClusterWeb("", guarded, judge(), KEYWORDS, **how) as web:
        there = crawl(web)
    here = crawl(around("here.warc.gz", Noted()))
    same(there, here)
    assert (there.log["failure"] == "copy").any()
    files = (ReplayWeb.from_warc(tmp_path / f"{name}.warc.gz") for name in ("there", "here"))
    assert len({tuple(web.urls()) for web in files}) == 1


def test_pages_that_are_held_are_not_fetched(local, tmp_path):
    local("a")
    held = {SEEDS[0]: Noted().fetch(SEEDS[0])}
    with cluster_web("", tmp_path / "notes", held=held) as web:
        there = crawl(web, budget=5)
    same(there, crawl(Noted(), budget=5))
    assert SEEDS[0] not in {url for *_, url in asked(tmp_path / "notes")}


def test_a_crawl_goes_on(local, tmp_path):
    for budget in (20, 45):
        local("a", "b")
        with cluster_web("", tmp_path / "notes") as web:
            there = crawl(web, checkpoint=tmp_path / "journal", budget=budget)
    same(there, crawl(Noted(), budget=45))
    assert max(Counter(url for *_, url in asked(tmp_path / "notes")).values()) == 1


def test_urls_of_a_lost_worker_start_anew_and_a_late_one_gets_domains(
    local, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(clusters, "MOVED", 0.1)
    gateway, steps = local("a"), Counter()

    def on_row(row):
        steps["rows"] += 1
        if steps["rows"] == 30:
            gateway.add("b")
        if steps["rows"] == 60:
            gateway.lose("a")

    with cluster_web("", tmp_path / "notes", 0.01) as web:
        log = crawl(web, in_flight=8, budget=120, on_row=on_row).log
    assert log["url"].is_unique and len(log) == 121
    assert "a is lost: 8 URLs start anew" in caplog.text or "URLs start anew" in caplog.text
    assert len(set.union(*workers_by_domain(tmp_path / "notes").values())) == 2
    again = Counter(url for *_, url in asked(tmp_path / "notes"))
    assert sum(n > 1 for n in again.values()) <= 8 and max(again.values()) <= 2


def test_without_workers_it_ends_in_words_and_goes_on_later(local, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "NO_WORKERS", 0.2)
    gateway = local("a")

    def on_row(row):
        if row["step"] == 20:
            gateway.lose("a")

    journal = tmp_path / "journal"
    with (
        cluster_web("tcp://cluster:8786") as web,
        pytest.raises(ClusterError, match="has no workers: start some, `dask worker tcp://clu"),
    ):
        crawl(web, checkpoint=journal, on_row=on_row)
    local("b")
    with cluster_web("") as web:
        same(crawl(web, checkpoint=journal), crawl(Noted()))


@pytest.mark.parametrize(
    "answer",
    [
        "junk",
        "3",
        '[{"first": "URL", "at": "URL", "hops": 0}]',
        '[{"first": "URL", "at": "URL", "hops": 0, "pause": 0, "visit": 3}]',
        '[{"first": "URL", "at": "URL", "hops": 0, "pause": NaN, "visit": VISIT}]',
        '[{"first": "URL", "at": "URL", "hops": 0, "pause": 0, "p": 2, "visit": VISIT}]',
        '[{"first": "URL", "at": "URL", "hops": 0, "pause": 0, "own": "aa", "visit": VISIT}]',
        "[" * 100_000,
    ],
)
def test_answers_that_are_none_are_refused_in_words(local, answer):
    gateway = local("a")
    visit = (
        '{"page": ["URL", 200, "", ""], "links": [["http://a.example/", "", 0]], "paths": [""], '
    )
    answer = answer.replace("VISIT", visit + '"fetched_at": null}').replace("URL", SEEDS[0])
    with cluster_web("", None, 10.0) as web:
        web.start(SEEDS[0])
        gateway.say("a", answer.encode())
        with pytest.raises(ClusterError, match="the worker a gives no pages .* look who can reach"):
            web.next()


def test_answers_that_nobody_waits_for_are_passed_over(local):
    gateway = local("a")
    line = {"first": "http://b.example/", "at": "http://b.example/", "hops": 0}
    with cluster_web("") as web:
        gateway.say("a", json.dumps([line, line | {"first": SEEDS[0], "hops": 3}]).encode())
        assert web.fetch(SEEDS[0]).url == SEEDS[0]


def test_what_fails_on_a_worker_is_an_error_in_words(local, monkeypatch):
    local("a")
    monkeypatch.setattr(clusters, "code", lambda: "other")
    with (
        ClusterWeb("", Noted, plain=True) as web,
        pytest.raises(ClusterError, match="worker a fails: ValueError: .* another version"),
    ):
        web.fetch(SEEDS[0])


def test_the_tools_own_classifier_judges_on_the_workers(local):
    local("a", "b")
    few = tres_live.FewTexts(["apple", "ripe fruit"]).fit(["apple tree"] * 9, [True] * 9)
    few.proba(["an apple"])  # what it has cached is not sent
    with ClusterWeb("", Noted, few, KEYWORDS, plain=True) as web:
        there = crawl(web, classifier=few, budget=10)
    same(there, crawl(Noted(), classifier=few, budget=10))


def test_dask_is_an_extra(monkeypatch):
    monkeypatch.setattr(clusters, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"Dask is missing; install it: .*\[cluster\]"):
        ClusterWeb("tls://a.example:8786", Noted)


class Evil:
    def __reduce__(self):
        return os.getpid, ()


@pytest.mark.parametrize("thing", [Evil(), np.zeros(3), ValueError("x"), os.system, [Evil()]])
def test_the_gateway_unpickles_plain_data_alone(thing):
    assert isinstance(unpickled(pickle.dumps(thing)), OSError)
    assert unpickled(pickle.dumps([bytes, b"1", {"a": 1}]), buffers=[]) == [bytes, b"1", {"a": 1}]


def test_a_worker_without_a_driver_ends_its_threads(monkeypatch):
    monkeypatch.setattr(workers, "SILENT", 0.2)
    worker, before = Reading(), set(threading.enumerate())
    made = _pickled((Noted, None, (), False, False))
    lines = ["open", workers.code(), made, 3], ["only", _pickled(str)]
    assert worker.swap([json.dumps(line).encode() for line in lines], 0.0) == b"0 []"
    for _ in range(2):  # they begin anew if it comes back
        begun = set(threading.enumerate()) - before
        assert len(begun) == 3
        for thread in begun:
            thread.join(10)
        assert not any(thread.is_alive() for thread in begun)
        worker.swap([], 0.0)
    worker.close()
    worker.swap([], 0.0)  # of a moment later
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert not set(threading.enumerate()) - before


def _pickled(thing) -> str:
    import cloudpickle

    return base64.b64encode(cloudpickle.dumps(thing)).decode()


# On a real cluster: processes of Dask on this machine.

STRANGER = """
import os, sys, distributed
from distributed.protocol.serialize import ToPickle

class Evil:
    def __reduce__(self):
        note = f"import os; open({flag!r}, 'a').write(str(os.getpid()) + ' ')"
        return exec, (note,)

def on_worker(how):
    import distributed.worker as w, tres_live.web.workers as c
    def swap(self, lines, wait):
        raise type("E", (Exception,), {"__reduce__": Evil.__reduce__})()
    c.Reading.swap = swap
    async def execute(self, **given):
        return {"status": "OK", "result": ToPickle(Evil())}
    if how == "marked":
        for worker in w.Worker._instances:
            worker.handlers["actor_execute"] = lambda **given: execute(worker)

def on_scheduler(dask_scheduler):
    import pickle
    for comm in dask_scheduler.client_comms.values():
        comm.send({"op": "warn", "message": pickle.dumps(Evil()), "category": pickle.dumps(Evil())})
        comm.send({"op": "event", "topic": "x", "event": ToPickle(Evil())})

address, flag, how = sys.argv[1:]
client = distributed.Client(address)
if how == "scheduler":
    try:
        client.run_on_scheduler(on_scheduler)
    finally:
        os._exit(0)
client.run(on_worker, how)
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    with cluster_of(2, tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("how", ["marked", "scheduler"])
def test_a_stranger_runs_no_code_here(tmp_path, monkeypatch, caplog, how):
    """Neither in the crawl's process nor in that which speaks Dask; the cluster is lost to them."""
    flag = tmp_path / "flag"
    with cluster_of(1, tmp_path) as cluster:
        script = [sys.executable, "-c", STRANGER, cluster.address, str(flag), how]
        with cluster_web(cluster.address, None, 0.05) as web:
            monkeypatch.setattr(clusters, "NO_WORKERS", 3.0)
            ours = {os.getpid(), web._process.pid}
            subprocess.run(script, check=True, timeout=60)
            if how == "scheduler":
                assert len(crawl(web, budget=10).log) == 11
            else:
                with pytest.raises(ClusterError, match="gives no pages|has no workers"):
                    crawl(web)
        theirs = {cluster.scheduler.pid, *(worker.pid for worker in cluster.workers)}
    ran = set(map(int, flag.read_text().split())) if flag.exists() else set()
    assert not ran & ours and (how == "scheduler" or ran <= theirs)


@pytest.mark.slow
@pytest.mark.network
def test_without_a_scheduler_it_ends_in_words_and_goes_on(two, tmp_path):
    journal = tmp_path / "journal"
    with cluster_of(1, tmp_path) as cluster:

        def on_row(row):
            if row["step"] == 30:
                cluster.scheduler.kill()

        with (
            cluster_web(cluster.address, None, 0.02) as web,
            pytest.raises(ClusterError, match="is gone"),
        ):
            crawl(web, in_flight=8, on_row=on_row, checkpoint=journal)
    told = [json.loads(line)["url"] for line in journal.read_text().splitlines()[1:]]
    with cluster_web(two.address) as web:
        log = crawl(web, in_flight=8, checkpoint=journal).log
    assert log["url"][: len(told)].tolist() == told and len(log) == 61 and log["url"].is_unique


DRIVER = """
import sys
from functools import partial
sys.path[:0] = sys.argv[1:2]
from pathlib import Path
from cluster_web import KEYWORDS, SEEDS, Noted, judge
from fakes import TOPIC
from tres_lib import focused
from tres_live import ClusterWeb
opened = partial(Noted, Path(sys.argv[3]), 0.03)
with ClusterWeb(sys.argv[2], opened, judge(), KEYWORDS, plain=True) as web:
    how = {"policy": "best-first", "budget": 200, "classifier": judge(), "in_flight": 16}
    focused.crawl(web, SEEDS, TOPIC, checkpoint=sys.argv[4], progress=False, grow=0, **how)
"""


@pytest.mark.slow
@pytest.mark.network
def test_a_killed_driver_keeps_what_was_told(two, tmp_path):
    notes, journal = tmp_path / "notes", tmp_path / "journal"
    run = [sys.executable, "-c", DRIVER, str(HERE), two.address, str(notes), str(journal)]
    driver = subprocess.Popen(run, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not journal.exists() or journal.read_bytes().count(b"\n") < 80:
        assert driver.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    driver.kill()
    driver.wait(20)
    told = [json.loads(line)["url"] for line in journal.read_text().splitlines()[1:-1]]
    subprocess.run(run, check=True, timeout=120)
    urls = [json.loads(line)["url"] for line in journal.read_text().splitlines()[1:]]
    assert urls[: len(told)] == told and len(set(urls)) == len(urls) == 201
    again = Counter(url for *_, url in asked(notes))
    assert max(again.values()) <= 2 and sum(n > 1 for n in again.values()) <= 16


@pytest.mark.slow
@pytest.mark.network
def test_tls_keeps_others_out(tmp_path):
    """The files of a client are taken; who has none is refused."""
    pytest.importorskip("cryptography")
    from distributed import Client, Security

    safe = Security(**tls_files(tmp_path), require_encryption=True)
    with cluster_of(1, tmp_path, security=safe) as cluster:
        with Client(cluster.address, security=safe) as client, ClusterWeb(client, Noted) as web:
            assert web.fetch(SEEDS[0]).url == SEEDS[0]
        with pytest.raises(ClusterError, match="is gone, or cannot be reached"):
            ClusterWeb(cluster.address, Noted)
