"""Run the notebooks and write the report."""

import argparse
import logging
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from textwrap import shorten

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError
from tqdm.auto import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from . import workspace
from .chapters import Book
from .claims import Claims
from .processes import worker_pool

KERNELS = 2
log = logging.getLogger(__name__)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit status is 1 if a chapter failed or lacks a record."""
    parser = argparse.ArgumentParser(
        prog="python -m tres_book.study.notebooks", description=__doc__
    )
    parser.add_argument("--scale", choices=workspace.SCALES, default="default")
    parser.add_argument("--only", metavar="NAME", help="one notebook, as 05-crawler-comparison")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    # SIGTERM and a closed terminal stop the run as Ctrl-C does; nohup still keeps it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        return run(Book(workspace.root(), options.scale), options.only)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        log.error("stopped; the next run goes on from what was finished")
        return 130


def run(book: Book, only: str | None = None) -> int:
    """Run what is not fresh, and write all pages; `only` runs alone.

    The exit status is 1 if a chapter failed or lacks a record. ValueError for an unknown notebook.
    """
    names = book.names(only)
    claims = Claims.load(book.root / "data" / "claims.yaml", scale=book.scale)
    book.build.mkdir(parents=True, exist_ok=True)
    _announce(book, names)
    with (
        logging_redirect_tqdm(),
        # None: drawn on a terminal, not into a file.
        tqdm(total=len(names), unit="chapter", file=sys.stdout, disable=None) as bar,
    ):
        failed = {*_run_all(book, names, bar)}
    from . import ledger, report  # which the processes of chapters do without

    log.info("report: %s", report.write(book).resolve().as_uri())
    log.info(report.summary(claims.verdicts(names[0] if only else None).to_dict("records")))
    if book.scale == "default" and only is None and (other := ledger.differences(claims)):
        log.warning("not as in results/%s: %s", ledger.LEDGER, ", ".join(other))
    missing = [claim for name in names if name not in failed for claim in claims.missing(name)]
    if missing:
        log.error("claims without a record: %s", ", ".join(missing))
    if failed:
        log.error("failed: %s", ", ".join(sorted(failed)))
        log.error(
            "The front page has cell and error. Once it is fixed: make report NB=%s SCALE=%s, or "
            "make reproduce SCALE=%s, which goes on from what was finished.",
            *(min(failed), book.scale, book.scale),
        )
    return int(bool(missing or failed))


def _announce(book: Book, names: Sequence[str]) -> None:
    """Say what runs, how long by README's table of scales, and where the pages will be."""
    log.info("%d of %d chapters at scale %s", len(names), len(book.names()), book.scale)
    row = rf"^\| `{book.scale}` \| (.+) \| (.+) \|$"
    readme = (book.root / "README.md").read_text(encoding="utf-8")
    for what, took in re.findall(row, readme, re.MULTILINE):
        log.info("what all of them run: %s", re.sub(r"\[(.+?)\]\(.+?\)", r"\1", what))
        log.info("time on two cores: %s; less where nothing has changed", took)
    log.info("pages: %s", book.reports.resolve())


def _run_all(book: Book, names: Sequence[str], bar: tqdm) -> Iterator[str]:
    """Run the notebooks that are not fresh; yield the names of those that fail."""
    stale = [name for name in names if not book.is_fresh(name)]
    for name in set(names) - set(stale):
        log.info("%s: unchanged", name)
        bar.update()
    if not stale:
        return
    with worker_pool(KERNELS, _environment(book, min(KERNELS, len(stale)))) as pool:
        futures = {pool.submit(execute, book, name): name for name in stale}
        for future in as_completed(futures):
            name = futures[future]
            try:
                error, seconds = future.result()
            except BrokenProcessPool as broken:  # the process was killed
                error = str(broken)
            bar.update()
            if error:
                log.error("%s: FAILED at %s", name, error)
                yield name
            else:
                log.info("%s: done in %.0f s", name, seconds)


def _environment(book: Book, kernels: int) -> dict[str, str]:
    """Return what the kernels' environment has besides this process's."""
    # The kernels import the library that this process runs, wherever it lies.
    library = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    more = {"PYTHONPATH": os.pathsep.join(filter(None, library)), "PYTHONHASHSEED": "0"}
    more |= {"TRES_SCALE": book.scale, "TRES_BUILD": str(workspace.build_dir().resolve())}
    more |= {"TRES_RECORD": "1", "TQDM_DISABLE": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    # A killed kernel's semaphores are cleaned up; nobody needs to hear of it.
    more |= {"PYTHONWARNINGS": "ignore:resource_tracker"}
    usual = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}
    if book.scale != "paper":  # a worker's start takes as long as a short sweep
        share = 1 if book.scale == "smoke" else max(1, (os.cpu_count() or 1) // kernels)
        usual["TRES_WORKERS"] = str(share)
    more |= {name: os.environ.get(name) or value for name, value in usual.items()}
    if os.environ.get("TRES_DATA"):
        more["TRES_DATA"] = str(Path(os.environ["TRES_DATA"]).resolve())
    return more


def execute(book: Book, name: str) -> tuple[str, float]:
    """Run one notebook; return its cell and error in one line, "" without one, and the seconds."""
    start = time.monotonic()
    # Whatever stops a run leaves a failed notebook, and no stale one.
    source, running = book.source(name), book.failed(name)
    for stale in (book.executed(name), book.stamp(name), running):
        stale.unlink(missing_ok=True)
    Claims.load(book.root / "data" / "claims.yaml", scale=book.scale).forget(name)
    shutil.copyfile(source, running)
    ran = {"revision": workspace.revision(), "differs": book.differs(name)}
    try:
        fingerprint = book.fingerprint(name)
        _run_cells(source, running, book.parameters(name))
    # Whatever went wrong in one chapter is told on its page and on the console; the others go on.
    except Exception as error:
        line = describe(error, running)
        _note(running, ran | {"error": line})
        return line, time.monotonic() - start
    _note(running, ran)
    running.replace(book.executed(name))
    book.stamp(name).write_text(fingerprint)
    return "", time.monotonic() - start


def _note(path: Path, ran: dict[str, object]) -> None:
    """Write into a notebook how it ran, where the pages find it."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["tres"] = ran
    nbformat.write(notebook, path)


def _run_cells(source: Path, running: Path, parameters: dict[str, object]) -> None:
    options = {"cwd": source.parent, "progress_bar": False, "start_timeout": 300}
    options["extra_arguments"] = ["--log-level=50"]
    for last_try in (False, False, True):
        try:
            papermill.execute_notebook(source, running, parameters, **options)
            return
        # Kernels that start at the same moment may choose the same port, and one of them then dies.
        except RuntimeError:
            if last_try or _last_started(running):
                raise


def describe(error: Exception, notebook: Path) -> str:
    """Name the cell (as numbered in the kept notebook) and the error in one line."""
    cell = _last_started(notebook)
    name, text = type(error).__name__, str(error)
    if isinstance(error, PapermillExecutionError):
        name, text = error.ename, error.evalue
    line = f"{f'cell [{cell}]' if cell else 'its start'}: {name}: {text}"
    return shorten(line, 300, placeholder=" ...")


def _last_started(notebook: Path) -> int:
    """Return the number of the last code cell that was begun, 0 if none was."""
    cells = [c for c in nbformat.read(notebook, as_version=4).cells if c.cell_type == "code"]
    begun = [bool(cell.metadata.get("papermill", {}).get("start_time")) for cell in cells]
    return max((i for i, yes in enumerate(begun, 1) if yes), default=0)


if __name__ == "__main__":
    sys.exit(main())
