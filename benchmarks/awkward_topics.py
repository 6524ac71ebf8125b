"""Crawl the ten awkward topics of data/awkward_topics.yaml by `tres crawl`, on loopback.

``--file fresh_topics.yaml`` takes six others, on which one change of judging was tested.

Each package is served under a host of its own. A topic is crawled by keywords, 200 fetches, and
with its examples; the first crawl is audited, then reviewed by a person who knows the truth.
Run: ``python benchmarks/awkward_topics.py ARCHIVES FOLDER [TOPIC ...]``, after ``apt-get download``
of the packages into ARCHIVES. Crawls go into FOLDER, and the table into ``FOLDER/rows.csv``.
"""

import argparse
import re
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import yaml

from tres_book.chapters import c13_real
from tres_lib.store import DATA
from tres_lib.web.recorded.pinning import INDEX
from tres_live.command.crawling import CrawlFolder
from tres_live.command.reviewing import audit
from tres_live.command.status import claim

FILE = "awkward_topics.yaml"
FLAGS = ["--contact", "nobody@example.org", "--delay", "0", "--max-per-domain", "0"]


class About:
    """A topic, its seeds and examples as whole URLs or texts."""

    def __init__(self, row: dict, base: str):
        self.base, self.truth, self.keywords = base, "|".join(row["truth"]), row["keywords"]
        self.seeds = tuple(base + path for path in row["seeds"])
        self.examples = [each if " " in each else base + each for each in row["examples"]]

    def is_on(self, url: str) -> bool:
        """Return whether the page is on the topic; what generators make of others is not."""
        return not INDEX.search(url) and bool(re.search(self.truth, url.removeprefix(self.base)))


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, *args: object) -> None:
        """Write nothing."""


def unpacked(package: str, row: dict, archives: Path, folder: Path) -> Path:
    """Return the folder of a package's pages; ValueError unless its archive is the one named."""
    there = (file for file in archives.glob(f"{package}_*.deb"))
    hashes = {sha256(file.read_bytes()).hexdigest(): file for file in there}
    if row["sha256"] not in hashes:
        raise ValueError(f"{archives}: get {package}={row['version']} by apt-get download")
    (folder / package).mkdir(parents=True, exist_ok=True)
    subprocess.run(["dpkg", "-x", hashes[row["sha256"]], folder / package], check=True)
    return folder / package / row["root"]


def served(folder: Path, host: str, stack: ExitStack) -> str:
    """Serve a folder until the stack closes, and return its address."""
    server = ThreadingHTTPServer((host, 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    stack.callback(server.shutdown)
    return f"http://{host}:{server.server_port}/"


def crawled(topic: str, about: About, folder: Path, examples: list[str]) -> CrawlFolder:
    """Run `tres crawl` as a person does, and keep what it says beside its results."""
    host = about.base.split("/")[2].split(":")[0]
    flags = [*FLAGS, "--budget", str(c13_real.FETCHES), "--intranet", host]
    flags += ["--topic", topic, "--keywords", ", ".join(about.keywords), "--folder", str(folder)]
    flags += [item for url in about.seeds for item in ("--seeds", url)]
    flags += [item for each in examples for item in ("--examples", each)]
    command = [sys.executable, "-m", "tres_live", "crawl", *flags]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    (folder / "said.txt").write_text(run.stdout + run.stderr, encoding="utf-8")
    return CrawlFolder(folder)


def row(way: str, pages: pd.DataFrame, **more: object) -> dict:
    """Return counts and measures of pages judged, of one way."""
    right, n, of = (pages["taken"] & pages["on"]).sum(), pages["taken"].sum(), pages["on"].sum()
    shares = {"precision": right / max(n, 1), "recall": right / max(of, 1)}
    counts = {"way": way, "taken": n, "right": right, "of": of}
    return {**counts, **shares, "f1": 2 * right / (n + of or 1), **more}


def measured(topic: str, about: About, folder: Path) -> list[dict]:
    """Return the rows of a topic."""
    plain = crawled(topic, about, folder / "keywords", [])
    judged, shown = c13_real._judged, []

    def ask(prompt: str) -> str:
        return "yes" if about.is_on(shown[-1].split("\n")[2]) else "no"

    audit(plain, c13_real.ANSWERS, ask, shown.append)
    rows = [row("keywords", judged(plain, about), claim=claim(plain, plain.result()))]
    c13_real.answer(plain, about)
    rows.append(row("review", judged(plain, about), claim=claim(plain, plain.result())))
    taught = crawled(topic, about, folder / "examples", about.examples)
    pages = judged(taught, about)
    rows.append(row("examples", pages, claim=claim(taught, taught.result())))
    return [*rows, row("examples, without these", pages[~pages.index.isin(about.examples)])]


def main() -> None:
    """Measure the topics named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path, nargs="?")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("topics", nargs="*")
    parser.add_argument("--file", default=FILE, help="of topics, in data/")
    given = parser.parse_args()
    if given.folder is None:  # as in `make bench`
        return parser.print_help()
    data = yaml.safe_load((DATA / given.file).read_text(encoding="utf-8"))
    rows = []
    with ExitStack() as stack:
        base = {}
        for i, (name, package) in enumerate(data["packages"].items(), 1):
            pages = unpacked(name, package, given.archives, given.folder / "packages")
            base[name] = served(pages, f"127.0.3.{i}", stack)
        for name in given.topics or data["topics"]:
            about = About(data["topics"][name], base[data["topics"][name]["site"]])
            place = given.folder / name.replace(" ", "-")
            rows += [{"topic": name} | each for each in measured(name, about, place)]
            table = pd.DataFrame(rows)
            table.to_csv(given.folder / "rows.csv", index=False)
    print(table.round(2).to_string())
    measures = table.set_index("way")[["precision", "recall", "f1"]]
    print(c13_real.medians(measures).to_string())
    print("mean F1:", measures.groupby("way", sort=False)["f1"].mean().round(3).to_dict())
    counts = table.loc[table["way"] == "keywords", ["taken", "of"]].clip(lower=1)
    size = np.log(counts["taken"] / counts["of"]).abs().mean()
    print(f"mean absolute logarithm of taken over relevant, by keywords: {size:.3f}")


if __name__ == "__main__":
    main()
