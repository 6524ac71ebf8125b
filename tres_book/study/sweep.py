"""Run one function over many settings, in parallel, and compute nothing twice."""

import hashlib
import inspect
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from tres_lib import checks
from tres_lib.code_hash import PACKAGES, code_hash, imports
from tres_lib.store import whole_file

from . import workspace
from .processes import worker_pools

Setting = Mapping[str, Any]
Result: TypeAlias = Mapping | pd.Series | pd.DataFrame
COST = "cpu"  # column of CPU seconds, which no two runs share


def run_sweep(
    function: Callable[..., Result],
    settings: Sequence[Setting],
    *,
    executor: str | None = None,
    workers: int | None = None,
    cache: str | Path | None = None,
    columns: Sequence[str] | None = None,
    together: Sequence[str] = (),
    packed: bool = False,
    progress: bool = True,
) -> pd.DataFrame:
    """Call ``function(**setting)`` for every setting and join the results into one table.

    A result is kept under a key made of the setting and of the function's source, the modules of
    the library and the data files that it rests on. So a second call is quick, an interrupted one
    goes on where it stopped, and a change of code recomputes.

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
        Folder of the kept results. Default: build/sweeps.
    columns : sequence of str, optional
        Which columns of the results to join, where all would fill the memory. Default: all.
    together : sequence of str, optional
        Settings with equal values of these names run one after another in one process of this
        machine, which pays where a process keeps what it has loaded.
    packed : bool
        One row a run, with the columns of a table as lists and the CPU seconds as ``cpu``.
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
    executor = executor or os.environ.get("TRES_EXECUTOR") or None
    workers = workers or int(os.environ.get("TRES_WORKERS") or os.cpu_count() or 1)
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
    name = function.__name__ + (" packed" if packed else "")
    folder = Path(cache or workspace.build_dir() / "sweeps") / name
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{key}.parquet" for key in _keys(function, settings)]
    todo = {f: s for f, s in zip(files, settings, strict=True) if not f.exists()}
    failures: list[tuple[Setting, Exception]] = []
    # Settings differ in cost, so the mean since the start tells more than the latest pace.
    bar = {"total": len(todo), "desc": function.__name__, "unit": "run", "smoothing": 0}
    # disable=False would override TQDM_DISABLE, which the driver of the reports sets.
    bar |= {} if progress else {"disable": True}
    call = partial(_packed_table if packed else _table, function)
    with _results(call, todo, together, executor, workers) as results:
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
    kept = (pd.read_parquet(file, columns=columns and list(columns)) for file in files)
    tables = [_labelled(table, s) for table, s in zip(kept, settings, strict=True)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _keys(function: Callable, settings: Sequence[Setting]) -> list[str]:
    """Return one content hash a setting."""
    code = _code_behind(function)
    texts = [code + _canonical(setting) for setting in settings]
    return [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts]


def _code_behind(function: Callable) -> str:
    """Return a function's source with a hash of the library's modules behind it."""
    name = function.__module__
    if name.split(".")[0] in PACKAGES:
        return code_hash(name)
    module = sys.modules[name]
    try:
        sources = [inspect.getsource(module)]
    except (OSError, TypeError):  # a notebook: IPython keeps its cells in a list
        sources = list(vars(module).get("In", ()))
    behind: set[str] = set()
    for source in sources:
        with suppress(SyntaxError):
            behind |= imports(source)[0]
    return inspect.getsource(function) + code_hash(*behind)


def _canonical(setting: Setting) -> str:
    return json.dumps(dict(setting), sort_keys=True, default=_text)


def _text(value: object) -> object:
    """Return a form of a setting's value that JSON takes and that tells it from all others."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    text = repr(value)
    if " at 0x" in text or "..." in text:
        raise ValueError(
            f"settings: {text} is known only by its address or in part, and would not be found "
            "again; use numbers, strings, tuples, arrays or frozen dataclasses"
        )
    return text


@contextmanager
def _results(
    call: Callable[[Setting], pd.DataFrame],
    todo: Mapping[Path, Setting],
    together: Sequence[str],
    executor: str | None,
    workers: int,
) -> Iterator[Iterator[tuple[Path, Callable[[], pd.DataFrame]]]]:
    """Give pairs of a file and a call that returns its table or raises, as they get ready."""
    if not todo or (not executor and min(workers, len(todo)) == 1):
        yield ((file, partial(call, setting)) for file, setting in todo.items())
        return
    groups = [_canonical({name: s.get(name) for name in together}) for s in todo.values()]
    lanes = pd.factorize(pd.Series(groups))[0]
    with _pools(executor, min(workers, len(todo)), split=max(lanes) > 0) as pools:
        files = {
            pools[lane % len(pools)].submit(_in_worker, call, dict(setting)): file
            for lane, (file, setting) in zip(lanes, todo.items(), strict=True)
        }
        # A future holds its table, so it is let go as soon as the table is stored.
        yield ((files.pop(future), future.result) for future in as_completed(files))


def _in_worker(call: Callable[[Setting], pd.DataFrame], setting: Setting) -> pd.DataFrame:
    """Return a run's rows; workers share a console, so the library tells errors only."""
    for package in PACKAGES:
        logging.getLogger(package).setLevel(logging.ERROR)
    return call(setting)


def _table(function: Callable, setting: Setting) -> pd.DataFrame:
    """Return a function's result as rows."""
    result = function(**setting)
    table = result if isinstance(result, pd.DataFrame) else pd.DataFrame([dict(result)])
    return table.reset_index(drop=True)


def _packed_table(function: Callable, setting: Setting) -> pd.DataFrame:
    """Return a function's result as one row."""
    start = time.process_time()
    row = packed_row(function(**setting))
    return pd.DataFrame([{COST: time.process_time() - start} | row])


def packed_row(result: Result) -> dict[str, Any]:
    """Return a function's result as one row: the columns of a table become arrays."""
    if isinstance(result, pd.DataFrame):
        if COST in result:
            raise ValueError(
                f"function: its table has a column {COST!r}, which is that of the cost"
            )
        return {str(name): column.to_numpy() for name, column in result.items()}
    return dict(result)


def _store(table: pd.DataFrame, file: Path) -> None:
    with whole_file(file) as draft:
        table.to_parquet(draft)


def _labelled(table: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Put the setting's values in front; a column that the function returned stays."""
    labels = {k: [v] * len(table) for k, v in setting.items() if k not in table}
    return pd.concat([pd.DataFrame(labels, index=table.index), table], axis=1)


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
