"""Pages a second of a crawl that 1 or 2 workers share, in process and over HTTP on loopback.

    python benchmarks/sharded.py [BUDGET]

Workers are processes of a Dask cluster on this machine, with one thread each. A worker opens
VitalWeb itself, or asks a server in another process for its pages (without a delay, as nobody
else's machine is asked). Times are wall clock: leave the machine alone meanwhile.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pandas as pd
from distributed import Client

import tres_live
from tres_lib import focused, topics, web

TOPIC, SITES, SEED = "food", 20_000, 7
SERVE = f"""
import tres_live
from tres_lib import web
served = tres_live.serve(web.VitalWeb({SEED}, {SITES})).__enter__()
print(served.proxies["http"], flush=True)
input()
"""


def live(proxy):
    """Open VitalWeb as it is served."""
    how = {"delay": 0, "allow_private": True, "proxies": {"http": proxy}}
    return tres_live.LiveWeb("benchmark/1", "me@example.org", **how)


def crawl(place, workers, budget):
    """Return the wall seconds of a crawl by so many workers; 0: in this process, without shards."""
    seeds = web.VitalWeb(SEED, SITES).seeds(TOPIC, 1, SEED)
    size = topics.KwBiLstmSettings(max_epochs=20)
    how = {"classifier": topics.default_classifier(TOPIC, size), "budget": budget}
    how |= {"policy": "prospector", "progress": False}
    with tempfile.TemporaryDirectory() as folder:
        if not workers:
            start = time.perf_counter()
            result = focused.crawl(place(), seeds, TOPIC, **how)
            return time.perf_counter() - start, result
        address = Path(folder) / "scheduler.json"
        common = ["--scheduler-file", str(address), "--no-dashboard"]
        worker = ["worker", "--nthreads", "1", "--no-nanny", "--local-directory", folder]
        parts = [["scheduler", "--port", "0"], *[worker] * workers]
        command = [sys.executable, "-m"]
        processes = [
            subprocess.Popen(
                [*command, f"distributed.cli.dask_{part}", *common, *more],
                stderr=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            for part, *more in parts
        ]
        try:
            with Client(scheduler_file=str(address)) as client:
                client.wait_for_workers(workers)
                how |= {"shards": 2, "checkpoint": Path(folder) / "kept", "client": client}
                # Everything is loaded and compiled before the clock starts.
                small = how | {"budget": 20, "checkpoint": Path(folder) / "small"}
                tres_live.crawl_sharded(place, seeds, TOPIC, **small)
                start = time.perf_counter()
                result = tres_live.crawl_sharded(place, seeds, TOPIC, **how)
                return time.perf_counter() - start, result
        finally:
            for process in processes:
                process.kill()


def main(budget=2_000):
    """Print the table."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    proxy = server.stdout.readline().strip()
    places = {"in process": partial(web.VitalWeb, SEED, SITES), "HTTP": partial(live, proxy)}
    rows = []
    for name, place in places.items():
        for workers in (0, 1, 2):
            seconds, result = crawl(place, workers, budget)
            rows.append((name, workers, budget / seconds, 100 * result.harvest_rate))
            print(f"{name}, {workers} workers: {budget / seconds:.1f} pages a second", flush=True)
    server.kill()
    columns = ["pages by", "workers (0: no shards)", "pages a second", "harvest %"]
    print(pd.DataFrame(rows, columns=columns).round(1).to_string(index=False))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
