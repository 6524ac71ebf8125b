"""What a cluster is asked for when a worker dies with a report that nobody has read."""

import json
from unittest.mock import Mock

import pytest

from tres_live.shards import cluster, worker
from tres_live.shards.cluster import Cluster
from tres_live.shards.shard import Order

distributed = pytest.importorskip("distributed")


def test_a_report_that_died_with_its_worker_is_asked_for_again(monkeypatch):
    lost, told = Mock(status="finished"), Mock(status="finished")
    lost.result.side_effect = lambda timeout=None: pytest.fail("waits") if not timeout else die()
    told.result.return_value = "report"

    def die():
        raise TimeoutError

    client = Mock()
    client.scheduler_info.return_value = {"workers": {"tcp://a": {}}}
    client.submit.side_effect = [lost, told]
    monkeypatch.setattr(distributed, "wait", Mock())
    assert Cluster(client).rounds(Mock(), 1, [Order(1, [])]) == ["report"]


def test_a_worker_of_another_version_is_told():
    job = Mock(code="of another version")
    with pytest.raises(ValueError, match="worker on .* has other code: install the same version"):
        worker.play(job, 0, 0, Order(1, []))


def test_a_fault_of_the_crawl_is_raised(monkeypatch):
    failed = Mock(status="error")
    failed.result.side_effect = TimeoutError("of the web")
    client = Mock()
    client.scheduler_info.return_value = {"workers": {"tcp://a": {}}}
    client.submit.return_value = failed
    monkeypatch.setattr(distributed, "wait", Mock())
    with pytest.raises(TimeoutError, match="of the web"):
        Cluster(client).rounds(Mock(), 1, [Order(1, [])])


def test_without_workers_for_a_while_it_waits_and_says_so_once(monkeypatch, caplog):
    done = Mock(status="finished")
    done.result.return_value = "report"
    client = Mock()
    client.scheduler.address = "tcp://boss:1"
    none, there = {"workers": {}}, {"workers": {"tcp://a": {}}}
    client.scheduler_info.side_effect = [none, none, there, there]
    client.submit.return_value = done
    monkeypatch.setattr(distributed, "wait", Mock())
    monkeypatch.setattr(cluster, "LOOK", 0.0)
    assert Cluster(client).rounds(Mock(), 1, [Order(1, [])]) == ["report"]
    (told,) = caplog.messages
    assert "tcp://boss:1 has no workers" in told and "wait (1)" in told and "dask worker" in told


def test_without_workers_for_long_it_ends_with_what_to_do(monkeypatch):
    client = Mock()
    client.scheduler.address = "tcp://boss:1"
    client.scheduler_info.return_value = {"workers": {}}
    monkeypatch.setattr(cluster, "LOOK", 0.0)
    monkeypatch.setattr(cluster, "NO_WORKERS", 0.05)
    with pytest.raises(TimeoutError, match="tcp://boss:1 .* the same call .*`tres resume`"):
        Cluster(client).rounds(Mock(), 1, [Order(1, [])])


LETTER = ["http://a.example/", [1.0, 0, 1, 1], [["http://b.example/", "more"]]]
NONE = [[1], [*LETTER[:2], [["http://b.example/"]]], [LETTER[0], [1.0, 0], []], [*LETTER[:2], 5]]


@pytest.mark.parametrize("line", [*(json.dumps([9, [LETTER, x], None]) for x in NONE), "", "[3"])
def test_letters_that_are_none(tmp_path, line):
    good = json.dumps([9, [LETTER], None])
    (tmp_path / "orders").write_text(f"{good}\n{line}\n")
    job = Mock(file=lambda shard, kind: tmp_path / kind)
    (order,) = worker._orders(job, 0, 1)
    assert order.letters[0].links == [("http://b.example/", "more")]
    with pytest.raises(ValueError, match="orders': round 1 is damaged; the same call"):
        list(worker._orders(job, 0, 2))
