"""Stored runs of several studies are made again, side by side."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from tqdm.auto import tqdm

from ..study import checking
from ..study.processes import worker_pools
from .studies import study


def verify(names: Sequence[str], runs: int, seed: int, folder: Path) -> pd.DataFrame:
    """Return `checking.verify` of studies in one table; several share the cores."""
    check = partial(_verified, runs=runs, seed=seed, folder=folder)
    if not names:
        return pd.DataFrame(columns=["study", *checking.COLUMNS])
    workers = min(len(names), int(os.environ.get("TRES_WORKERS") or os.cpu_count() or 1))
    if workers < 2:
        return pd.concat(map(check, tqdm(names, unit="study")))
    with worker_pools([workers], {"OMP_NUM_THREADS": "1"}) as (pool,):
        tables = pool.map(check, names)
        return pd.concat(list(tqdm(tables, total=len(names), unit="study")))


def _verified(name: str, runs: int, seed: int, folder: Path) -> pd.DataFrame:
    return checking.verify(study(name), runs, seed, folder).assign(study=name)
