"""What `tres crawl` costs before its first page: CPU seconds and memory, the first time and later.

    python benchmarks/start_up.py [--times 5]

A crawl of one page, from two seeds of a laboratory web on this machine, as a process of its own. So
the first look and the report at the end are counted as well; what serves the web is not. The first
crawl of each topic finds nothing compiled and nothing trained. Goal: under 5 CPU seconds later.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import tres_webs as web
from tres_live import serve

GOAL = 5.0  # CPU seconds
TOPICS = {"keywords alone": "football, olympic, tennis, league", "book topic": ""}
FLAGS = ["--budget", "1", "--delay", "0", "--contact", "nobody@example.org"]


def started(words: str, home: Path, seeds: list[str], port: int) -> dict[str, float]:
    """Run a crawl of one page in a new folder, with what earlier ones in this home have stored."""
    folder = home / f"crawl-{len(list(home.glob('crawl-*')))}"
    command = [sys.executable, "-m", "tres_live", "crawl", "--folder", str(folder), *FLAGS]
    command += ["--proxy", f"http://127.0.0.1:{port}"]
    command += [item for seed in seeds for item in ("--seeds", seed)]
    command += ["--topic", "games", "--keywords", words] if words else ["--topic", "sports"]
    stored = {"TRES_BUILD": str(home / "build"), "NUMBA_CACHE_DIR": str(home / "numba")}
    with open(home / "said.txt", "ab") as said:
        begin = time.monotonic()
        process = subprocess.Popen(command, env=os.environ | stored, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError((home / "said.txt").read_text(encoding="utf-8"))
    seconds = used.ru_utime + used.ru_stime
    clock = time.monotonic() - begin
    return {"CPU s": seconds, "s by the clock": clock, "MB": used.ru_maxrss / 1024}  # Linux: kB


def main() -> None:
    """Print medians and extremes by topic, the first crawl apart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="crawls of a topic after the first")
    times = parser.parse_args().times
    lab = web.VitalWeb(sites=500)
    seeds, rows = lab.seeds("sports", 2, rng=0), []
    with serve(lab) as served:
        for topic, words in TOPICS.items():
            with TemporaryDirectory() as home:
                for n in range(times + 1):
                    when = "later" if n else "first"
                    cost = started(words, Path(home), seeds, served.port)
                    rows.append({"topic": topic, "when": when} | cost)
    table = pd.DataFrame(rows).groupby(["topic", "when"], sort=False)
    print(table.agg(["median", "min", "max"]).round(1).to_string())
    worst = table["CPU s"].max().xs("later", level="when").max()
    print(f"{worst:.1f} CPU s at most after the first time (goal: under {GOAL:.0f})")


if __name__ == "__main__":
    main()
