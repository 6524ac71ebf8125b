"""A Dask scheduler and its workers, each a process of its own on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

HERE = Path(__file__).parent


class Cluster:
    """Processes and the scheduler's address; workers find the modules beside the tests."""

    def __init__(self, folder: Path, *more: Path, tls: tuple[str, ...] = ()):
        self.tls, self.folder, self.file = tls, folder, folder / "scheduler.json"
        folder.mkdir(parents=True, exist_ok=True)  # without it the scheduler ends
        path = [*map(str, more), str(HERE), os.environ.get("PYTHONPATH", "")]
        # A worker looks a hundred times a second at what it does.
        profile = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
        self._environment = {**os.environ, **profile, "PYTHONPATH": os.pathsep.join(path)}
        self.scheduler = self._start("scheduler", "--port", "0")
        self.workers: list[subprocess.Popen] = []
        self.address = self._address()

    def add_worker(self) -> None:
        place = ["--local-directory", str(self.folder)]
        self.workers.append(self._start("worker", "--nthreads", "1", "--no-nanny", *place))

    def _address(self) -> str:
        """Return the scheduler's, once it has begun."""
        until = time.monotonic() + 60
        while time.monotonic() < until and self.scheduler.poll() is None:
            with suppress(OSError, ValueError):
                return json.loads(self.file.read_text())["address"]
            time.sleep(0.05)
        raise RuntimeError("Dask's scheduler does not begin")

    def _start(self, part: str, *options: str) -> subprocess.Popen:
        common = ["--scheduler-file", str(self.file), "--host", "127.0.0.1", "--no-dashboard"]
        common += self.tls
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *common, *options]
        return subprocess.Popen(command, env=self._environment, stderr=subprocess.DEVNULL)


@contextmanager
def cluster_of(workers: int, folder: Path, *more: Path, security=None) -> Iterator[Cluster]:
    """Start a cluster; modules in the folders `more` can be imported by its workers."""
    distributed = pytest.importorskip("distributed")
    cluster = Cluster(folder, *more, tls=_options(security))
    try:
        for _ in range(workers):
            cluster.add_worker()
        with distributed.Client(cluster.address, security=security, timeout=60) as client:
            if workers:
                client.wait_for_workers(workers, timeout=60)
        yield cluster
    finally:
        processes = [*cluster.workers, cluster.scheduler]
        for process in processes:
            process.kill()  # at once: a worker that is asked to end may take its time
        for process in processes:
            process.wait(30)


def tls_files(folder: Path) -> dict[str, str]:
    """Make a cluster's certificate and key."""
    from distributed import Security

    made = Security.temporary()
    files = {"tls_ca_file": made.tls_ca_file, "tls_client_cert": made.tls_client_cert}
    files["tls_client_key"] = made.tls_client_key
    for name, text in files.items():
        (folder / name).write_text(text)
    return {name: str(folder / name) for name in files}


def _options(security) -> tuple[str, ...]:
    if security is None:
        return ()
    files = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
    names = ("--tls-ca-file", "--tls-cert", "--tls-key")
    return "--protocol", "tls", *(part for pair in zip(names, files, strict=True) for part in pair)
