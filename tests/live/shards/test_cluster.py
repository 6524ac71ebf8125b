"""Shards on a real Dask cluster of this machine: the same crawl, through deaths of workers."""

import time
from functools import partial
from shutil import rmtree
from threading import Thread
from unittest.mock import Mock

import pandas as pd
import pytest
from dask_cluster import cluster_of
from fakes import TOPIC, seed_of
from slow_web import SlowWeb, not_the_first, of_shard_1, says_apple

from tres_lib import topics
from tres_lib.web import VitalWeb
from tres_live.shards import rounds
from tres_live.shards.cluster import Cluster
from tres_live.shards.job import crawl_sharded

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.slow, pytest.mark.network]
BUDGET = 200


def crawled(notes, folder=None, client=None, delay=0.0, down=None, patience=None):
    place = partial(SlowWeb, delay, notes, down)
    how = {"patience": patience, "shards": 4, "rounds": 8, "budget": BUDGET, "policy": "prospector"}
    result = crawl_sharded(
        place, seed_of(place(), 2), TOPIC, classifier=says_apple, client=client,
        checkpoint=folder, progress=False, **how,
    )  # fmt: skip
    return result.log.drop(columns="seconds")


def asked(notes) -> pd.DataFrame:
    lines = [line.split() for line in notes.read_text().splitlines()]
    return pd.DataFrame(lines, columns=["process", "url"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The log of one process, which all crawls of a cluster must give."""
    return crawled(tmp_path_factory.mktemp("here") / "asked")


def test_what_a_killed_call_left_on_workers_is_in_nobodys_way(tmp_path, monkeypatch, whole):
    with cluster_of(1, tmp_path) as cluster:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Cluster, "leave", lambda self, job, again: None)
            patch.setattr(rounds, "make_log", Mock(side_effect=KeyboardInterrupt))
            crawled(tmp_path / "there", tmp_path / "kept", cluster.address)
        cluster.add_worker()
        with distributed.Client(cluster.address) as client:
            client.wait_for_workers(2, 60)
        log = crawled(tmp_path / "there", tmp_path / "kept", cluster.address)
    pd.testing.assert_frame_equal(log, whole)
    assert len(asked(tmp_path / "there")) == len(log)


def test_killed_workers_lose_nothing_and_finished_rounds_are_not_fetched_again(tmp_path, whole):
    notes = tmp_path / "there"
    with cluster_of(2, tmp_path) as cluster:

        def kill():
            for i in range(2):
                while not notes.exists() or len(asked(notes)) < (i + 1) * BUDGET // 4:
                    time.sleep(0.02)
                cluster.add_worker()  # so that there are always some
                cluster.workers[i].kill()

        killer = Thread(target=kill)
        killer.start()
        log = crawled(notes, tmp_path / "kept", cluster.address, delay=0.03)
        killer.join(60)
    pd.testing.assert_frame_equal(log, whole)
    # A worker that dies may have been told a page that its journal does not hold yet.
    assert set(asked(notes)["url"]) == set(log["url"])
    assert len(asked(notes)) <= len(log) + 2
    assert asked(notes)["process"].nunique() >= 3


def test_a_crawl_goes_on_with_another_scheduler(tmp_path, whole):
    notes, kept = tmp_path / "there", tmp_path / "kept"
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with cluster_of(2, tmp_path / "one") as cluster:

        def kill():
            while not notes.exists() or len(asked(notes)) < BUDGET // 2:
                time.sleep(0.02)
            for process in (*cluster.workers, cluster.scheduler):
                process.kill()

        killer = Thread(target=kill)
        killer.start()
        soon = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
        with soon, pytest.raises(Exception):  # noqa: B017, whatever Dask raises then
            crawled(notes, kept, cluster.address, delay=0.03)
        killer.join(60)
    with cluster_of(1, tmp_path / "two") as cluster:
        log = crawled(notes, kept, cluster.address)
    pd.testing.assert_frame_equal(log, whole)
    assert len(asked(notes)) <= len(log) + 2


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of two workers, for the tests from here on, which kill none."""
    with cluster_of(2, tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster.address


def test_two_workers_give_the_crawl_of_one_process(tmp_path, address, whole):
    log = crawled(tmp_path / "there", tmp_path / "kept", address)
    pd.testing.assert_frame_equal(log, whole)
    there = asked(tmp_path / "there")
    assert there["process"].nunique() == 2
    assert sorted(there["url"]) == sorted(log["url"])


def test_a_classifier_reaches_workers_by_way_of_the_checkpoint(tmp_path, address):
    svm = topics.SvmClassifier().fit(["apple tree", "stone wall"] * 10, [True, False] * 10)
    place = partial(SlowWeb, 0.0, tmp_path / "asked")
    how = {"classifier": svm, "shards": 3, "rounds": 3, "budget": 30, "progress": False}
    kept = {"client": address, "checkpoint": tmp_path / "kept"}
    there = crawl_sharded(place, seed_of(place()), TOPIC, **how, **kept).log
    here = crawl_sharded(place, seed_of(place()), TOPIC, **how).log
    drop = ["seconds"]
    pd.testing.assert_frame_equal(there.drop(columns=drop), here.drop(columns=drop))
    assert (tmp_path / "kept" / "classifier").is_dir()


def test_another_classifier_at_the_same_place_is_read_anew(tmp_path, address):
    place = partial(SlowWeb, 0.0, tmp_path / "asked")
    harvests = []
    for labels in ([True, False], [False, True]):
        svm = topics.SvmClassifier().fit(["apple tree", "stone wall"] * 10, labels * 10)
        kept = {"client": address, "checkpoint": tmp_path / "kept"}
        how = {"classifier": svm, "policy": "bfs", "budget": 30, "progress": False}
        harvests.append(crawl_sharded(place, seed_of(place()), TOPIC, **how, **kept).log["p"])
        rmtree(tmp_path / "kept")
    assert (harvests[0][0] > 0.5) != (harvests[1][0] > 0.5)


def test_shards_whose_sites_are_down_rest_and_are_tried_again_by_the_same_call(tmp_path, address):
    how = {"down": of_shard_1, "patience": 3}
    resting = crawled(tmp_path / "here", **how)
    assert (resting["step"] > 0).sum() == BUDGET
    assert 3 <= (resting["shard"] == 1).sum() <= 3 + resting["round"].nunique()
    there = tmp_path / "there", tmp_path / "kept", address
    pd.testing.assert_frame_equal(crawled(*there, **how), resting)
    gone = tmp_path / "gone", tmp_path / "other", address
    stopped = crawled(*gone, down=not_the_first, patience=3)
    assert (stopped["step"] > 0).sum() < BUDGET / 2
    assert (crawled(*gone, patience=3)["step"] > 0).sum() == BUDGET
    assert asked(tmp_path / "gone")["url"].nunique() == BUDGET + 2


def test_what_cannot_be_sent_to_a_worker_is_named(tmp_path, address):
    how = {"client": address, "checkpoint": tmp_path / "kept", "progress": False}
    place = VitalWeb(sites=50)
    with pytest.raises(ValueError, match="web: cannot be sent .*give what opens it"):
        crawl_sharded(place, place.seeds("food", 1, 0), "food", **how)
