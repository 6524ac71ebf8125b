"""Stored runs are checked: some are made again and compared."""

import json
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from tres_webs.files import RESULTS

from . import runs
from .processes import results_of, usual_workers
from .results import COST, ORIGIN, manifest, stored, write_manifest
from .study import Study
from .workspace import revision

# ``run`` is its key, ``within`` the tolerance, ``same_code``: the fingerprint is today's.
COLUMNS = ["study", "run", "same", "differs", "within", "same_code", "cpu"]
SHORT = 60.0  # CPU seconds of the runs from which a check draws one


def verify(
    study: Study, n: int = 1, rng: np.random.Generator | int = 0, folder: str | Path = RESULTS
) -> pd.DataFrame:
    """Make n stored runs again, and compare all columns but the cost; return a row a run."""
    there = stored(study.name, folder)
    if study.repeats:
        there = there[[study.repeats(json.loads(key)) for key in there["key"]]]
    if n == 1:  # one of a minute at most, if there are any
        there = there[there[COST] <= max(SHORT, there[COST].min())]
    drawn = there.sample(min(n, len(there)), random_state=np.random.default_rng(rng))
    return pd.DataFrame([_again(study, row) for _, row in drawn.iterrows()], columns=COLUMNS)


def _again(study: Study, row: pd.Series) -> tuple[Any, ...]:
    """Make a stored run again; return its row of `verify`."""
    setting = json.loads(row["key"])
    start = time.process_time()
    made = runs.packed(study.function(**setting))
    cpu = time.process_time() - start
    made = setting | {name: value for name, value in made.items() if study.keeps(name)}
    there = {name for name in row.dropna().index if name in setting or study.keeps(name)}
    names = (made.keys() | there) - {*ORIGIN, COST}
    both = made.keys() & row.keys()
    within = study.tolerance(setting) if callable(study.tolerance) else study.tolerance
    least = {name: within * study.scales.get(name, 0.0) for name in both}
    same = {name for name in both if _equal(made[name], row[name], within, least[name])}
    differs = sorted(names - same)
    today = row["code"] == runs.fingerprint(study.function)
    return study.name, row["key"], not differs, ", ".join(differs), within, today, cpu


def verify_all(studies: Sequence[Study], n: int, seed: int, folder: Path) -> pd.DataFrame:
    """Return `verify` of studies in one table; they share the cores."""
    check = partial(verify, n=n, rng=seed, folder=folder)
    tables: dict[str, Any] = {study.name: None for study in studies}
    jobs = {study.name: study for study in studies}
    with results_of(check, jobs, None, usual_workers()) as results:
        for name, result in tqdm(results, total=len(jobs), unit="study"):
            tables[name] = result()
    return pd.concat(tables.values()) if tables else pd.DataFrame(columns=COLUMNS)


def note(study: Study, checked: pd.DataFrame, folder: str | Path = RESULTS) -> None:
    """Write into the manifest what `verify` found, for `results.origin`."""
    entries = manifest(folder)
    same = {"runs": len(checked), "the same": int(checked["same"].sum())}
    entries[study.name]["made again"] = {"revision": revision(RESULTS.name), **same}
    write_manifest(entries, folder)


def _equal(one: Any, other: Any, within: float, least: float) -> bool:
    """Return whether values agree within a relative or the `least` absolute difference."""
    if isinstance(one, np.ndarray) and one.dtype == object:
        pairs = zip(one, other, strict=False)
        return np.shape(one) == np.shape(other) and all(
            _equal(a, b, within, least) for a, b in pairs
        )
    if np.ndim(one) == np.ndim(other) == 0 and pd.isna(one):  # None of a setting is stored as nan
        return bool(pd.isna(other))
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape or not one.dtype.kind == other.dtype.kind == "f":
        return np.array_equal(one, other)
    return np.allclose(one, other, rtol=within, atol=least, equal_nan=True)
