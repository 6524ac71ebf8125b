"""Run one function over many settings, in parallel, and compute nothing twice."""

import inspect
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from tres_lib import checks
from tres_lib.code_hash import PACKAGES
from tres_lib.store import whole_file

from . import runs, workspace
from .plan import Setting
from .processes import worker_pools

SECONDS = "CPU seconds"  # column of a row


def run_sweep(
    function: Callable[..., runs.Result],
    settings: Sequence[Setting],
    *,
    executor: str | None = None,
    workers: int | None = None,
    cache: str | Path | None = None,
    columns: Sequence[str] | None = None,
    together: Sequence[str] = (),
    progress: bool = True,
) -> pd.DataFrame:
    """Call ``function(**setting)`` for every setting and join the results into one table.

    A result is kept under a key made of the setting and of the function's source, our modules and
    the data files that it rests on. So a second call is quick, an interrupted one goes on where it
    stopped, and a change of code recomputes.

    Parameters
    ----------
    function : callable
        Returns a mapping or Series (one row) or a DataFrame (rows; its index is dropped). For more
        than one worker it must be defined in a module, not in a notebook.
    settings : sequence of mappings
        One mapping of readable keyword arguments a run, e.g. ``{"policy": "tres", "seed": 0}``.
    executor : str, optional
        Address of a Dask scheduler, "tcp://host:8786". Default: TRES_EXECUTOR, if set.
    workers : int, optional
        Processes on this machine; 1 runs in this process. Default: TRES_WORKERS, if set, else
        the number of cores.
    cache : path, optional
        Folder of the kept results. Default: build/runs.
    columns : sequence of str, optional
        Columns of the results to join, where all would fill the memory. Default: all.
    together : sequence of str, optional
        Settings with equal values of these names run one after another in one process of this
        machine, which pays where a process keeps what it has loaded.
    progress : bool
        Show a bar with the time left.

    Returns
    -------
    DataFrame
        Rows in the order of `settings`, each with its setting's values in the first columns.

    Raises
    ------
    ValueError
        If a setting has no stable text form, the address is none, or the function is a notebook's.
    RuntimeError
        At the end, naming the settings that failed; the others are kept.

    Examples
    --------
    >>> import tempfile
    >>> def square(x):
    ...     return {"square": x * x}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_sweep(square, [{"x": 2}, {"x": 3}], workers=1, cache=folder, progress=False)
       x  square
    0  2       4
    1  3       9
    """
    kept = make(
        function,
        settings,
        executor=executor,
        workers=workers,
        cache=cache,
        together=together,
        progress=progress,
    )
    if not kept:
        return pd.DataFrame()
    return runs.table(settings, read(kept, columns).drop(columns=SECONDS, errors="ignore"))


def make(
    function: Callable[..., runs.Result],
    settings: Sequence[Setting],
    *,
    executor: str | None = None,
    workers: int | None = None,
    cache: str | Path | None = None,
    together: Sequence[str] = (),
    progress: bool = True,
) -> list[Path]:
    """Make the runs that are not kept yet, as `run_sweep`; return the file of each setting."""
    executor = executor or os.environ.get("TRES_EXECUTOR") or None
    workers = workers or int(os.environ.get("TRES_WORKERS") or os.cpu_count() or 1)
    _check(function, settings, workers, executor)
    files = runs.files(function, settings, cache_folder(cache))
    for folder in {file.parent for file in files}:
        folder.mkdir(parents=True, exist_ok=True)
    todo = {f: s for f, s in zip(files, settings, strict=True) if not f.exists()}
    failures: list[tuple[Setting, Exception]] = []
    # Settings differ in cost, so the mean since the start says more than the latest pace.
    bar = {"total": len(todo), "desc": function.__name__, "unit": "run", "smoothing": 0}
    # disable=False would override TQDM_DISABLE, which the driver of the reports sets.
    bar |= {} if progress else {"disable": True}
    with _results(partial(_row, function), todo, together, executor, workers) as results:
        for file, result in tqdm(results, **bar):
            try:
                _store(result(), file)
            except Exception as error:
                failures.append((todo[file], error))
    if failures:
        named = "; ".join(f"{dict(s)}: {type(e).__name__}: {e}" for s, e in failures)
        raise RuntimeError(
            f"{len(failures)} of {len(settings)} settings failed (the others are kept): {named}"
        ) from failures[0][1]
    return files


def read(files: Sequence[Path], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the rows of kept runs, in this order, with `SECONDS`; or only these columns."""
    chosen = columns and list(columns)
    return pd.concat([pd.read_parquet(file, columns=chosen) for file in files], ignore_index=True)


def cache_folder(cache: str | Path | None = None) -> Path:
    """Return the folder of kept runs, by default build/runs."""
    return Path(cache or workspace.build_dir() / "runs")


def _check(
    function: Callable, settings: Sequence[Setting], workers: int, executor: str | None
) -> None:
    if not inspect.isfunction(function) or function.__name__ == "<lambda>":
        raise ValueError(f"function={function!r}: give a function that a module defines by `def`")
    several = isinstance(settings, Sequence)
    if not (several and all(isinstance(setting, Mapping) for setting in settings)):
        raise ValueError(f"settings={settings!r}: give a list of dicts of the function's arguments")
    checks.count("workers", workers)
    main = sys.modules["__main__"]
    local = function.__module__ == "__main__" and not hasattr(main, "__file__")
    if local and not executor and workers > 1:
        raise ValueError(
            f"function: {function.__name__} is defined in a notebook, from which other processes "
            "cannot import it; move it to a module or pass workers=1"
        )


def _row(function: Callable, setting: Setting) -> pd.DataFrame:
    """Return a function's result as one row, with what it cost."""
    start = time.process_time()
    row = runs.packed(function(**setting))
    return pd.DataFrame([row | {SECONDS: time.process_time() - start}])


def _store(row: pd.DataFrame, file: Path) -> None:
    with whole_file(file) as draft:
        row.to_parquet(draft)


@contextmanager
def _results(
    call: Callable[[Setting], pd.DataFrame],
    todo: Mapping[Path, Setting],
    together: Sequence[str],
    executor: str | None,
    workers: int,
) -> Iterator[Iterator[tuple[Path, Callable[[], pd.DataFrame]]]]:
    """Give pairs of a file and a call that returns its row or raises, as they get ready."""
    if not todo or (not executor and min(workers, len(todo)) == 1):
        yield ((file, partial(call, setting)) for file, setting in todo.items())
        return
    groups = [runs.key({name: s.get(name) for name in together}) for s in todo.values()]
    lanes = pd.factorize(pd.Series(groups))[0]
    with _pools(executor, min(workers, len(todo)), split=max(lanes) > 0) as pools:
        files = {
            pools[lane % len(pools)].submit(_in_worker, call, dict(setting)): file
            for lane, (file, setting) in zip(lanes, todo.items(), strict=True)
        }
        # A future holds its row, so it is let go as soon as the row is stored.
        yield ((files.pop(future), future.result) for future in as_completed(files))


def _in_worker(call: Callable[[Setting], Any], setting: Setting) -> Any:
    """Return a run's row; workers share a console, so the library reports errors only."""
    for package in PACKAGES:
        logging.getLogger(package).setLevel(logging.ERROR)
    return call(setting)


@contextmanager
def _pools(executor: str | None, workers: int, split: bool) -> Iterator[Sequence[Executor]]:
    """Give a Dask cluster, or processes of this machine, in a pool each if they are split."""
    if not executor:
        # OpenMP threads on busy cores are hundreds of times slower than one.
        environment = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        with worker_pools([1] * workers if split else [workers], environment) as pools:
            yield pools
        return
    if "://" not in executor:
        raise ValueError(f"executor: {executor!r} is no address; give one such as tcp://host:8786")
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("executor: no Dask here; pip install 'tres_lib[cluster]'") from error
    with Client(executor) as client:
        yield [client.get_executor(pure=False)]
