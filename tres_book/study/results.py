"""Stored runs: the folder ``results/``, a file a study, looked up before anything is made.

`store` makes them, `verify` makes some again; the manifest says what was run, when and by which
code.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from warnings import warn

import pandas as pd

from tres_lib.store import RESULTS

from . import runs
from .plan import Study

COST = "cpu"  # column of CPU seconds, which no two runs share
ORIGIN = ["key", "revision", "code", "date"]  # columns that say where a row comes from
MANIFEST = "manifest.json"
LONG = 0.25  # CPU hours of missing runs of which a reader is warned


def stored(name: str, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the stored runs of a study, by its name, a row a run; empty if there are none.

    Columns are the setting's, the function's (arrays, where it returns a table), `COST`, and
    `ORIGIN`: the run's key, the git revision, the fingerprint of the code behind it, the date.
    """
    file = Path(folder) / f"{name}.parquet"
    return pd.read_parquet(file) if file.exists() else pd.DataFrame(columns=[*ORIGIN, COST])


def kept_columns(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the columns that a study keeps, and their `COST`."""
    cost = rows.pop(runs.SECONDS)
    kept = rows[[name for name in rows if study.keeps(name) or name == COST]]
    return kept if COST in kept else kept.assign(**{COST: cost})


def rows(study: Study, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the rows of a study's runs: stored ones are read, the others made now.

    It warns if other code made the stored ones than makes the others. The table is as of
    `run_sweep`, without `COST`.
    """
    kept = stored(study.name, folder).drop_duplicates("key").set_index("key")
    keys = [runs.key(setting) for setting in study.settings]
    missing = {k: s for k, s in zip(keys, study.settings, strict=True) if k not in kept.index}
    if missing:
        if (kept.loc[kept.index.isin(keys), "code"] != runs.fingerprint(study.function)).any():
            text = f"{study.name}: {len(missing)} runs are made now, by other code than the stored"
            warn(text, stacklevel=2)
        files = runs.make(study.function, list(missing.values()), together=study.together)
        made = kept_columns(study, runs.read(files)).set_index(pd.Index(missing))
        kept = pd.concat([kept, made]) if len(kept) else made
    names = {*ORIGIN, COST}.union(*study.settings)
    return runs.table(study.settings, kept.loc[keys].drop(columns=list(names), errors="ignore"))


def length_if_stored(study: Study, length: str, folder: str | Path = RESULTS) -> str:
    """Return how long a study's runs are, for `Claims.record`, or "" unless all stored are asked.

    So a few of them, at a scale too small for a verdict, give none. `length`, such as
    "20,000 fetches", is marked if other code than today's made some.
    """
    asked = {runs.key(setting) for setting in study.settings}
    if asked != set(stored(study.name, folder)["key"]):
        return ""
    return f"{length}, by older code" if by_older_code(study, folder) else length


def by_older_code(study: Study, folder: str | Path = RESULTS) -> bool:
    """Return whether other code than today's made some of the stored runs."""
    return bool((stored(study.name, folder)["code"] != runs.fingerprint(study.function)).any())


def overview(studies: Iterable[Study], folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return what a chapter's studies ask for and what is stored, a row a study.

    It warns if what is missing takes long. Columns: ``runs`` asked for, how many of them are
    ``stored`` (`rows` makes the others), the ``CPU hours`` of these, their git ``revision``, and
    what they were ``made by`` (see `origin`).
    """
    found = {}
    for study in studies:
        old = stored(study.name, folder)
        kept = old[old["key"].isin([runs.key(setting) for setting in study.settings])]
        made = _made_by(study, kept, folder) if len(kept) else ""
        cost = round(_hours(kept), 2)
        missing = len(study.settings) - len(kept)
        if (hours := missing * old[COST].mean() / 3600) > LONG:
            text = f"{study.name}: {missing:,} runs are not stored; if they cost as much as the "
            warn(f"{text}stored, they take {hours:,.1f} CPU hours", stacklevel=2)
        found[study.name] = len(study.settings), len(kept), cost, _revisions(kept), made
    columns = ["runs", "stored", "CPU hours", "revision", "made by"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns).rename_axis("study")


def origin(study: Study, folder: str | Path = RESULTS) -> str:
    """Return one sentence for readers: how much is stored, which code made it, and what it cost.

    Where the fingerprint of the code is not today's, it says so, and how many runs were the same
    when today's code made them again, by `verify.note`.
    """
    kept = stored(study.name, folder)
    if kept.empty:
        return "Nothing is stored yet."
    amount = f"{len(kept):,} of {len(study.settings):,} runs, {_hours(kept):,.1f} CPU hours"
    made = _made_by(study, kept, folder)
    return f"Stored: {amount}, revision {_revisions(kept)}, made by {made}."


def _made_by(study: Study, kept: pd.DataFrame, folder: str | Path) -> str:
    """Return in words how many of these runs other code than today's made, and the same again."""
    today = runs.fingerprint(study.function)
    others = int((kept["code"] != today).sum())
    if not others:
        return "today's code"
    text = f"other code than today's: {others:,} of {len(kept):,} runs"
    again = manifest(folder).get(study.name, {}).get("made again", {})
    if again.get("code") != today:
        return text
    return f"{text} ({again['the same']} of {again['runs']} made again came out the same)"


def _revisions(kept: pd.DataFrame) -> str:
    return ", ".join(kept["revision"].unique())


def _hours(kept: pd.DataFrame) -> float:
    return float(kept[COST].sum()) / 3600


def manifest(folder: str | Path = RESULTS) -> dict[str, Any]:
    """Return the entries of a folder's manifest by study; empty if there is none."""
    file = Path(folder) / MANIFEST
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def sha256(name: str, folder: str | Path = RESULTS) -> str:
    """Return the hash of a study's file, in hexadecimal."""
    return hashlib.sha256((Path(folder) / f"{name}.parquet").read_bytes()).hexdigest()


def intact(name: str, folder: str | Path = RESULTS) -> bool:
    """Return whether a study's file is the one that was written, if the manifest has its hash."""
    written = manifest(folder).get(name, {}).get("sha256")
    return written is None or written == sha256(name, folder)
