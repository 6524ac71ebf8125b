"""A run: a function and a setting, named by one key, kept as one row.

A row holds what the function returned; the columns of a table become arrays. `table` reads rows
back, whether they come from ``build/runs`` or from ``results/``.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from tres_lib.code_hash import PACKAGES, code_hash, imports

from .plan import Setting

Result: TypeAlias = Mapping | pd.Series | pd.DataFrame


def key(setting: Setting) -> str:
    """Return a setting as text, which names its run among those of a function.

    Examples
    --------
    >>> key({"topic": "food", "seed": 0})
    '{"seed": 0, "topic": "food"}'
    """
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

    Outside our packages it is the function's source, with what its module or notebook imports.
    """
    name = function.__module__
    if name.split(".")[0] in PACKAGES:
        return code_hash(name)[:16]
    module = sys.modules[name]
    try:
        sources = [inspect.getsource(module)]
    except (OSError, TypeError):  # a notebook: IPython keeps its cells in a list
        sources = list(vars(module).get("In", ()))
    behind: set[str] = set()
    for source in sources:
        with suppress(SyntaxError):
            behind |= imports(source)[0]
    text = inspect.getsource(function) + code_hash(*behind)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files(function: Callable, settings: Sequence[Setting], folder: Path) -> list[Path]:
    """Return the file of each run in a folder, by its key and the code of today."""
    code = fingerprint(function)
    names = [hashlib.sha256((code + key(s)).encode()).hexdigest()[:32] for s in settings]
    return [folder / function.__name__ / f"{name}.parquet" for name in names]


def packed(result: Result) -> dict[str, Any]:
    """Return what a function returned as one row: the columns of a table become arrays."""
    if isinstance(result, pd.DataFrame):
        return {str(name): column.to_numpy() for name, column in result.items()}
    return dict(result)


def table(settings: Sequence[Setting], rows: pd.DataFrame) -> pd.DataFrame:
    """Return runs as a table, each with its setting's values in the first columns.

    A run whose results are all arrays is a table, so they become its rows. A column that the
    function returned replaces the setting's.
    """
    rows = rows.reset_index(drop=True)
    shown = pd.DataFrame([dict(s) for s in settings], index=rows.index)
    shown = shown.drop(columns=shown.columns.intersection(rows.columns))
    arrays = rows.map(lambda value: isinstance(value, np.ndarray))
    if rows.empty or not (arrays | rows.isna()).all(axis=None) or not arrays.any(axis=1).all():
        return pd.concat([shown, rows.infer_objects()], axis=1)
    first = [next(v for v in row if isinstance(v, np.ndarray)) for row in rows.to_numpy()]
    lengths = [len(values) for values in first]
    gaps = pd.Series([np.full(n, np.nan) for n in lengths])  # of columns that not all tables have
    filled = {name: rows[name].where(arrays[name], gaps).to_list() for name in rows}
    columns = {name: np.concatenate(values) for name, values in filled.items()}
    repeated = shown.iloc[np.repeat(np.arange(len(rows)), lengths)].reset_index(drop=True)
    return pd.concat([repeated, pd.DataFrame(columns)], axis=1)
