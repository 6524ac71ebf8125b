"""Runs: one function over many settings, in parallel, and nothing computed twice.

A run is kept as one row of what its function returned; the columns of a table become arrays.
"""

import hashlib
import inspect
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from tres_webs import checks
from tres_webs.files import build_dir, whole_file

from ..code_hash import PACKAGES, code_hash
from .processes import results_of, usual_workers
from .study import Setting, Study

Result: TypeAlias = Mapping | pd.Series | pd.DataFrame
SECONDS = "CPU seconds"  # column of a row


def run_sweep(
    function: Callable[..., Result],
    settings: Sequence[Setting],
    *,
    executor: str | None = None,
    workers: int | None = None,
    cache: str | Path | None = None,
    together: Sequence[str] = (),
    progress: bool = True,
) -> pd.DataFrame:
    """Call ``function(**setting)`` for every setting and join the results into one table.

    A result is kept under a key made of the setting and of the function's source, our modules and
    the data files that it rests on. So a second call is quick, an interrupted one goes on where it
    stopped, and a change of code recomputes. ValueError for a setting without a stable text form;
    at the end, RuntimeError with the settings that failed.

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
        Processes on this machine; 1 runs in this process. Default: TRES_WORKERS or all cores.
    cache : path, optional
        Folder of the kept results. Default: build/runs.
    together : sequence of str, optional
        Settings with equal values of these names run in a row, for a process may keep their web.
    progress : bool
        Show a bar with the time left.

    Returns
    -------
    DataFrame
        Rows in the order of `settings`, each with its setting's values in the first columns.

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
    study = Study(getattr(function, "__name__", ""), function, settings, tuple(together))
    make(study, executor, workers, cache, progress)
    if not settings:
        return pd.DataFrame()
    return table(settings, read(study, cache).drop(columns=SECONDS, errors="ignore"))


def make(
    study: Study,
    executor: str | None = None,
    workers: int | None = None,
    cache: str | Path | None = None,
    progress: bool = True,
) -> None:
    """Make the runs of a study that are not kept yet, those that belong together in a row."""
    executor = executor or os.environ.get("TRES_EXECUTOR") or None
    workers = checks.count("workers", workers or usual_workers())
    _check(study.function, study.settings, executor or workers == 1)
    settings = dict(zip(files(study, cache), study.settings, strict=True))
    missing = [file for file in settings if not file.exists()]
    missing.sort(key=lambda file: key({n: settings[file].get(n) for n in study.together}))
    jobs = {file: (study.function, settings[file]) for file in missing}
    failures: list[tuple[Setting, Exception]] = []
    # Settings differ in cost, so the mean since the start says more than the latest pace.
    bar = {"total": len(jobs), "desc": study.name, "unit": "run", "smoothing": 0}
    # disable=False would override TQDM_DISABLE, which the driver of the reports sets.
    bar |= {} if progress else {"disable": True}
    with results_of(_row, jobs, executor, workers) as results:
        for file, result in tqdm(results, **bar):
            try:
                row = result()
                file.parent.mkdir(parents=True, exist_ok=True)
                with whole_file(file) as draft:
                    row.to_parquet(draft)
            except Exception as error:
                failures.append((settings[file], error))
    if failures:
        named = "; ".join(f"{dict(s)}: {type(e).__name__}: {e}" for s, e in failures)
        text = f"{len(failures)} of {len(settings)} settings failed (the others are kept): {named}"
        raise RuntimeError(text) from failures[0][1]


def read(study: Study, cache: str | Path | None = None) -> pd.DataFrame:
    """Return the rows of kept runs in the order of settings, with `SECONDS`."""
    return pd.concat(map(pd.read_parquet, files(study, cache)), ignore_index=True)


def _check(function: Callable, settings: Sequence[Setting], anywhere: object) -> None:
    if not inspect.isfunction(function) or function.__name__ == "<lambda>":
        raise ValueError(f"function={function!r}: give a function that a module defines by `def`")
    if not isinstance(settings, Sequence) or not all(isinstance(s, Mapping) for s in settings):
        raise ValueError(f"settings={settings!r}: give a list of dicts of the function's arguments")
    local = not hasattr(sys.modules["__main__"], "__file__")
    if function.__module__ == "__main__" and local and not anywhere:
        raise ValueError(
            f"function: {function.__name__} is defined in a notebook, from which other processes "
            "cannot import it; move it to a module or pass workers=1"
        )


def _row(job: tuple[Callable, Setting]) -> pd.DataFrame:
    """Return a function's result as one row, with what it cost."""
    function, setting = job
    start = time.process_time()
    row = packed(function(**setting))
    return pd.DataFrame([row | {SECONDS: time.process_time() - start}])


def key(setting: Setting) -> str:
    """Return a setting as text, which names its run among those of a function."""
    return json.dumps(dict(setting), sort_keys=True, default=_text)


def _text(value: object) -> object:
    """Return a form of a setting's value that JSON takes and that differs from all others."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    text = repr(value)
    if " at 0x" in text or "..." in text:
        raise ValueError(
            f"settings: {text} is known only by its address or in part, and would not be found "
            "again; use numbers, strings, tuples, arrays or frozen dataclasses"
        )
    return text


def fingerprint(function: Callable) -> str:
    """Return a hash of the code behind a function, 16 digits: its module and all it rests on.

    Outside our packages it is the function's source, with all that the packages export.
    """
    name = function.__module__
    if name.split(".")[0] in PACKAGES:
        return code_hash(name)[:16]
    text = inspect.getsource(function) + code_hash(*PACKAGES)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files(study: Study, cache: str | Path | None = None) -> list[Path]:
    """Return the file of each run, by its key and the code of today; by default in build/runs."""
    # joblib.Memory would look at the function's own source, not at the modules behind it.
    code = fingerprint(study.function)
    folder = Path(cache or build_dir() / "runs") / study.function.__name__
    names = [hashlib.sha256((code + key(s)).encode()).hexdigest()[:32] for s in study.settings]
    return [folder / f"{name}.parquet" for name in names]


def packed(result: Result) -> dict[str, Any]:
    """Return what a function returned as one row: the columns of a table become arrays."""
    if isinstance(result, pd.DataFrame):
        return {str(name): column.to_numpy() for name, column in result.items()}
    return dict(result)


def table(settings: Sequence[Setting], rows: pd.DataFrame) -> pd.DataFrame:
    """Return runs, of build/runs or results/, as a table with the settings' values first.

    A run whose results are all arrays is a table, so they become its rows. A column that the
    function returned replaces the setting's.
    """
    rows = rows.reset_index(drop=True)
    given = pd.DataFrame(list(map(dict, settings))).drop(columns=rows.columns, errors="ignore")
    arrays = rows.map(lambda value: isinstance(value, np.ndarray))
    if rows.empty or not (arrays | rows.isna()).all(axis=None) or not arrays.any(axis=1).all():
        return pd.concat([given, rows.infer_objects()], axis=1)
    held = zip(rows.to_numpy(), arrays.to_numpy(), strict=True)
    lengths = [len(row[there][0]) for row, there in held]
    gaps = pd.Series([np.full(n, np.nan) for n in lengths])  # of columns that not all tables have
    filled = {name: rows[name].where(arrays[name], gaps).to_list() for name in rows}
    columns = {name: np.concatenate(values) for name, values in filled.items()}
    repeated = given.iloc[np.repeat(np.arange(len(rows)), lengths)].reset_index(drop=True)
    return pd.concat([repeated, pd.DataFrame(columns)], axis=1)
