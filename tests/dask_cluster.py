"""A Dask scheduler and its workers, each a process of its own on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent


class Cluster:
    """Processes and the scheduler's address; workers find the modules beside the tests."""

    def __init__(self, folder: Path, *more: Path):
        self.folder, self.file = folder, folder / "scheduler.json"
        path = [*map(str, more), str(HERE), os.environ.get("PYTHONPATH", "")]
        # A worker looks a hundred times a second at what it does.
        profile = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
        self._environment = {**os.environ, **profile, "PYTHONPATH": os.pathsep.join(path)}
        self.scheduler = self._start("scheduler", "--port", "0")
        self.workers: list[subprocess.Popen] = []
        self.address = ""

    def add_worker(self) -> None:
        place = ["--local-directory", str(self.folder)]
        self.workers.append(self._start("worker", "--nthreads", "1", "--no-nanny", *place))

    def _start(self, part: str, *options: str) -> subprocess.Popen:
        common = ["--scheduler-file", str(self.file), "--host", "127.0.0.1", "--no-dashboard"]
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *common, *options]
        return subprocess.Popen(command, env=self._environment, stderr=subprocess.DEVNULL)


@contextmanager
def cluster_of(workers: int, folder: Path, *more: Path) -> Iterator[Cluster]:
    """Start a cluster; modules in the folders `more` can be imported by its workers."""
    distributed = pytest.importorskip("distributed")
    cluster = Cluster(folder, *more)
    try:
        for _ in range(workers):
            cluster.add_worker()
        with distributed.Client(scheduler_file=str(cluster.file), timeout=60) as client:
            if workers:
                client.wait_for_workers(workers, timeout=60)
            cluster.address = client.scheduler.address
        yield cluster
    finally:
        processes = [*cluster.workers, cluster.scheduler]
        for process in processes:
            process.kill()  # at once: a worker that is asked to end may take its time
        for process in processes:
            process.wait(30)
