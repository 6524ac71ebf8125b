"""A run that is killed leaves no process behind, and the next run goes on."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tres_book.study import notebooks, workspace
from tres_book.study.processes import worker_pool

NAPS = '''
"""A trial that takes its time, in a module that workers can import."""

import time
from pathlib import Path


def nap(folder, run, seconds):
    time.sleep(seconds)
    with Path(folder, "done").open("a") as file:
        file.write(f"{run}\\n")
    return {"run": run}
'''
CELL = """
import os
from naps import nap
from tres_book import study
naps = [{"folder": os.environ["NAPS"], "run": i, "seconds": s} for i, s in enumerate(seconds)]
study.run_sweep(nap, naps, workers=2)
"""
DRIVER = """
import sys
from pathlib import Path
from tres_book.study import notebooks, workspace
if __name__ == "__main__":
    root = Path(sys.argv[1])
    workspace.root = lambda: root
    sys.exit(notebooks.main([]))
"""
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


@pytest.fixture
def root(tmp_path):
    """Make a study of one chapter, whose sweep has a short run and two that last for minutes."""
    for folder in ("notebooks", "data"):
        (tmp_path / folder).mkdir()
    (tmp_path / "templates").symlink_to(workspace.root() / "templates")
    (tmp_path / "README.md").symlink_to(workspace.root() / "README.md")
    (tmp_path / "data" / "claims.yaml").write_text("")
    (tmp_path / "notebooks" / "naps.py").write_text(NAPS)
    (tmp_path / "driver.py").write_text(DRIVER)
    parameters = new_code_cell("seconds = [0.1, 300, 300]", metadata={"tags": ["parameters"]})
    cells = [new_markdown_cell("# Naps\n\nHow long?"), parameters, new_code_cell(CELL)]
    book = new_notebook(cells=cells, metadata=KERNEL)
    nbformat.write(book, tmp_path / "notebooks" / "01-naps.ipynb")
    return tmp_path


def start(root):
    """Start the driver in a session of its own, as a terminal would."""
    path = os.pathsep.join([str(workspace.root()), os.environ.get("PYTHONPATH", "")])
    more = {"PYTHONPATH": path, "TRES_BUILD": str(root / "build"), "NAPS": str(root)}
    command, log = [sys.executable, str(root / "driver.py"), str(root)], (root / "log").open("ab")
    streams = {"stdout": log, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, env=os.environ | more, **streams, start_new_session=True)


def wait(happened, seconds, root):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, (root / "log").read_text()
        time.sleep(0.1)


def lives(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_no_process_outlives_a_killed_run_and_the_next_goes_on_from_what_was_finished(root):
    driver = start(root)
    ready = root / "build" / "runs" / "nap"
    wait(lambda: driver.poll() is not None or list(ready.glob("*.parquet")), 120, root)
    tree = psutil.Process(driver.pid).children(recursive=True)
    assert len(tree) >= 4  # two workers, their kernel, and the process that runs the chapter
    try:
        driver.kill()
        wait(lambda: driver.poll() is not None and not any(map(lives, tree)), 60, root)
    finally:
        for process in filter(lives, tree):
            process.kill()
        driver.wait(10)
    assert driver.returncode == -signal.SIGKILL
    book = root / "notebooks" / "01-naps.ipynb"
    book.write_text(book.read_text().replace("[0.1, 300, 300]", "[0.1, 0.2, 0.3]"))
    assert start(root).wait(120) == 0
    assert sorted((root / "done").read_text().split()) == ["0", "1", "2"]


@pytest.mark.slow
def test_an_interrupt_ends_the_workers(caplog, monkeypatch):
    """What Ctrl-C raises leaves no worker behind, and the driver says how to go on."""
    with pytest.raises(KeyboardInterrupt), worker_pool(1, {}) as pool:
        pool.submit(time.sleep, 300)
        (worker,) = map(psutil.Process, pool._processes)
        raise KeyboardInterrupt
    assert not lives(worker)

    def stopped(*_):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(notebooks, "run", stopped)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        assert notebooks.main([]) == 130
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert caplog.messages == ["stopped; the next run goes on from what was finished"]
