"""Stored runs are checked: some are made again and compared."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.code_hash import RESULTS

from . import manifest
from .results import ORIGIN, Study, columns_kept, fingerprint, stored
from .sweep import COST, packed_row

COLUMNS = ["run", "same", "differs", "within", "same_code", "cpu"]
SHORT = 60.0  # CPU seconds of the runs from which a check draws one


def verify(
    study: Study, n: int = 1, rng: np.random.Generator | int = 0, folder: str | Path = RESULTS
) -> pd.DataFrame:
    """Make n stored runs again, and compare all columns but the cost; return a row a run.

    Numbers with a fraction are the same if they agree to the study's tolerance (processors round
    sums and exponentials in the last digits), all else if it is equal.

    One run is drawn from those of a minute at most, if there are any; several from all. Columns
    are ``run`` (its setting), ``same``, ``differs`` (names of columns, "" if none), ``within`` (the
    tolerance), ``same_code`` (the fingerprint is today's) and ``cpu`` (seconds, now).
    """
    kept = stored(study.name, folder)
    if n == 1:
        kept = kept[kept[COST] <= max(SHORT, kept[COST].min())]
    drawn = kept.sample(min(n, len(kept)), random_state=np.random.default_rng(rng))
    rows = []
    for _, row in drawn.iterrows():
        setting = json.loads(row["key"])
        start = time.process_time()
        found = setting | packed_row(study.function(**setting))
        cpu = time.process_time() - start
        found = {name: found[name] for name in columns_kept(study, found)}
        names = (found.keys() | row.dropna().index) - {*ORIGIN, COST}
        both = found.keys() & row.keys()
        within = study.tolerance(setting)
        differs = sorted(k for k in names if k not in both or not _equal(found[k], row[k], within))
        known = row["code"] == fingerprint(study)
        rows.append((row["key"], not differs, ", ".join(differs), within, known, cpu))
    return pd.DataFrame(rows, columns=COLUMNS)


def note(study: Study, checked: pd.DataFrame, folder: str | Path = RESULTS) -> None:
    """Write into the manifest what `verify` found of runs by other code, for `results.origin`."""
    others = checked[~checked["same_code"]]
    if others.empty:
        return
    entries = manifest.read(folder)
    same = {"runs": len(others), "the same": int(others["same"].sum())}
    entries[study.name]["made again"] = {"code": fingerprint(study), **same}
    manifest.write(entries, folder)


def _equal(one: Any, other: Any, within: float) -> bool:
    if isinstance(one, np.ndarray) and one.dtype == object:
        pairs = zip(one, other, strict=False)
        return np.shape(one) == np.shape(other) and all(_equal(a, b, within) for a, b in pairs)
    if np.ndim(one) == np.ndim(other) == 0 and pd.isna(one):  # None of a setting is stored as nan
        return bool(pd.isna(other))
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape or not one.dtype.kind == other.dtype.kind == "f":
        return np.array_equal(one, other)
    return np.allclose(one, other, rtol=within, atol=0, equal_nan=True)
