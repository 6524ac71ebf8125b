"""Long runs: made once, and stored as they come; `checking` makes some of them again."""

import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
import pandas as pd
from llvmlite.binding import get_host_cpu_name

from tres_lib.code_hash import RESULTS, code_hash
from tres_lib.store import whole_file

from . import manifest
from .sweep import COST, Result, run_sweep
from .workspace import provenance, revision

ORIGIN = ["key", "revision", "code", "date"]  # columns that say where a row comes from


def _nine_digits(setting: Mapping[str, Any]) -> float:
    return 1e-9


@dataclass(frozen=True)
class Study:
    """Many runs of one function.

    Attributes
    ----------
    name : str
        Of its file in ``results/``.
    function : callable
        Of a module. It returns a table, or a mapping, which may have the CPU seconds as ``cpu``.
    settings : sequence of mappings
        The function's keyword arguments, a mapping a run.
    together : tuple of str
        Runs that share the values of these names share a process, which pays where it keeps what
        it has loaded.
    columns : tuple of str
        Which columns of the function's results are kept. Default: all.
    tolerance : callable, optional
        From a setting to the relative difference by which fractions of such a run may differ when
        it is made again; default 1e-9.
    """

    name: str
    function: Callable[..., Result]
    settings: Sequence[Mapping[str, Any]]
    together: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    tolerance: Callable[[Mapping[str, Any]], float] = _nine_digits


def stored(name: str, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the stored runs of a study, by its name, a row a run; empty if there are none.

    Columns are the setting's, the function's (arrays, where it returns a table), and `ORIGIN`: the
    setting as text, the git revision, the fingerprint of the code that the run rests on, the date.
    """
    file = Path(folder) / f"{name}.parquet"
    return pd.read_parquet(file) if file.exists() else pd.DataFrame(columns=ORIGIN)


def run(
    *studies: Study, folder: str | Path = RESULTS, workers: int | None = None
) -> list[pd.DataFrame]:
    """Make the runs that are not stored yet, and return all.

    They are stored group by group of `Study.together`, so that little is lost if this is stopped;
    what a group has finished is kept by `run_sweep` until then.

    Parameters
    ----------
    *studies : Study
        Of one function and one `together`: groups hold runs of all of them.
    folder : path
    workers : int, optional
        Processes, as for `run_sweep`.

    Returns
    -------
    list of DataFrame
        As `stored` returns them, a table a study.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    workers = workers or int(os.environ.get("TRES_WORKERS") or os.cpu_count() or 1)
    tables = [stored(study.name, folder) for study in studies]
    function, together = studies[0].function, studies[0].together
    for part in _parts(studies, tables, workers):
        owners = np.array([i for i, _ in part])
        settings = [setting for _, setting in part]
        new = run_sweep(function, settings, together=together, workers=workers, packed=True)
        origin = {"key": [_key(setting) for setting in settings], **_origin(studies[0])}
        for i in np.unique(owners):
            rows = new.assign(**origin)[owners == i]
            others = set().union(*settings).difference(*studies[i].settings)
            unknown = [name for name in others if rows[name].isna().all()]  # else it was returned
            rows = rows.drop(columns=unknown)
            rows = rows[columns_kept(studies[i], rows)]
            known = [tables[i]] if len(tables[i]) else []  # an empty one would turn int into float
            tables[i] = pd.concat([*known, rows], ignore_index=True)
            with whole_file(folder / f"{studies[i].name}.parquet") as draft:
                tables[i].to_parquet(draft, index=False, compression="zstd")
            _describe(studies[i], tables[i], folder)
    return [stored(study.name, folder) for study in studies]


def sweep(study: Study, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the rows of a study's runs: stored ones are read, the others made now.

    It warns if other code made the stored ones than makes the others.

    Parameters
    ----------
    study : Study
    folder : path

    Returns
    -------
    DataFrame
        As of `run_sweep`: rows in the order of the settings, each with its setting's values in the
        first columns. A run whose results are all lists is a table, so they become its rows.
    """
    kept = stored(study.name, folder).drop_duplicates("key").set_index("key")
    keys = [_key(setting) for setting in study.settings]
    if missing := {k: s for k, s in zip(keys, study.settings, strict=True) if k not in kept.index}:
        if (kept.loc[kept.index.isin(keys), "code"] != fingerprint(study)).any():
            told = f"{study.name}: {len(missing)} runs are made now, by other code than the stored"
            warn(told, stacklevel=2)
        settings = list(missing.values())
        made = run_sweep(study.function, settings, together=study.together, packed=True)
        made = made[columns_kept(study, made)].set_index(pd.Index(missing))
        kept = pd.concat([kept, made]) if len(kept) else made
    found = kept.loc[keys].drop(columns=[*ORIGIN, COST], errors="ignore").reset_index(drop=True)
    labels = pd.DataFrame([dict(setting) for setting in study.settings])
    return _rows(labels, found[[name for name in found if name not in labels]])


def length_if_stored(study: Study, length: str, folder: str | Path = RESULTS) -> str:
    """Return how long a study's runs are, for `Claims.record`, or "" unless all stored are asked.

    So a few of them, at a scale too small for a verdict, give none. It also tells if other code
    than today's made some.

    Parameters
    ----------
    study : Study
    length : str
        Such as "20,000 fetches".
    folder : path
    """
    asked = {_key(setting) for setting in study.settings}
    if asked != set(stored(study.name, folder)["key"]):
        return ""
    return f"{length}, by older code" if by_older_code(study, folder) else length


def by_older_code(study: Study, folder: str | Path = RESULTS) -> bool:
    """Tell whether other code than today's made some of the stored runs."""
    return bool((stored(study.name, folder)["code"] != fingerprint(study)).any())


def overview(studies: Iterable[Study], folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return what readers are told of a chapter's studies, a row a study.

    Columns: ``runs`` asked for, how many of them are ``stored`` (`sweep` makes the others), the
    ``CPU hours`` of these, their git ``revision``, and what they were ``made by`` (see `origin`).
    """
    rows = {}
    for study in studies:
        kept = stored(study.name, folder)
        kept = kept[kept["key"].isin(list(map(_key, study.settings)))]
        made = _made_by(study, kept, folder) if len(kept) else ""
        hours = round(kept[COST].sum() / 3600, 2) if len(kept) else 0.0
        rows[study.name] = len(study.settings), len(kept), hours, _revisions(kept), made
    columns = ["runs", "stored", "CPU hours", "revision", "made by"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("study")


def origin(study: Study, folder: str | Path = RESULTS) -> str:
    """Return one sentence for readers: how much is stored, which code made it, and what it cost.

    Where the fingerprint of the code is not today's, it says so, and how many runs came out the
    same with today's, by `checking.note`.
    """
    kept = stored(study.name, folder)
    if kept.empty:
        return "Nothing is stored yet."
    hours = kept[COST].sum() / 3600
    amount = f"{len(kept):,} of {len(study.settings):,} runs, {hours:,.1f} CPU hours"
    made = _made_by(study, kept, folder)
    return f"Stored: {amount}, revision {_revisions(kept)}, made by {made}."


def _parts(
    studies: Sequence[Study], tables: Sequence[pd.DataFrame], workers: int
) -> list[list[tuple[int, Mapping[str, Any]]]]:
    """Return missing settings, with their study's place, in parts to be stored together.

    A part has as many groups as processes.
    """
    groups: dict[str, list] = {}
    for i, study in enumerate(studies):
        known = set(tables[i]["key"])
        for setting in study.settings:
            if _key(setting) not in known:
                known.add(_key(setting))
                shared = _key({name: setting.get(name) for name in study.together})
                groups.setdefault(shared, []).append((i, setting))
    lists = list(groups.values())
    return [sum(lists[i : i + workers], []) for i in range(0, len(lists), workers)]


def columns_kept(study: Study, names: Iterable[str]) -> list[str]:
    """Return those of the columns of runs that a study keeps."""
    own = {*ORIGIN, COST, *study.columns}.union(*study.settings)
    return [name for name in names if not study.columns or name in own]


def _key(setting: Mapping[str, Any]) -> str:
    return json.dumps(dict(setting), sort_keys=True)


def _rows(labels: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Return runs whose function returned tables as these tables' rows; others as they are."""
    lists = found.map(lambda value: isinstance(value, np.ndarray))
    if not (lists | found.isna()).all(axis=None) or not lists.iloc[:, 0].all():
        return pd.concat([labels, found.infer_objects()], axis=1)
    lengths = found.iloc[:, 0].map(len)
    gaps = [np.full(n, np.nan) for n in lengths]  # of columns that not all tables have
    filled = {name: found[name].where(lists[name], pd.Series(gaps)) for name in found}
    columns = {name: np.concatenate(values.to_list()) for name, values in filled.items()}
    return (
        labels.iloc[np.repeat(np.arange(len(found)), lengths)]
        .reset_index(drop=True)
        .assign(**columns)
    )


def _made_by(study: Study, kept: pd.DataFrame, folder: str | Path) -> str:
    """Return in words how many of these runs other code than today's made, and the same again."""
    others = int((kept["code"] != fingerprint(study)).sum())
    if not others:
        return "today's code"
    told = f"other code than today's: {others:,} of {len(kept):,} runs"
    again = manifest.read(folder).get(study.name, {}).get("made again", {})
    if again.get("code") != fingerprint(study):
        return told
    return f"{told} ({again['the same']} of {again['runs']} made again came out the same)"


def _revisions(kept: pd.DataFrame) -> str:
    return ", ".join(kept["revision"].unique())


def _origin(study: Study) -> dict[str, str]:
    date = datetime.now(UTC).isoformat(timespec="minutes")
    return {"revision": revision(RESULTS.name), "code": fingerprint(study), "date": date}


def fingerprint(study: Study) -> str:
    """Return a hash of the modules that a study's function rests on, 16 digits."""
    return code_hash(study.function.__module__)[:16]


def _describe(study: Study, kept: pd.DataFrame, folder: Path) -> None:
    """Write into the manifest what a study's file holds and where it comes from."""
    entries = manifest.read(folder)
    versions = provenance()["value"].drop(["scale", "seed", "git revision"])
    machines = entries.get(study.name, {}).get("machines", [])
    machine = f"{platform.machine()}, {get_host_cpu_name()}, {os.cpu_count()} cores"
    entries[study.name] = {
        "function": f"{study.function.__module__}.{study.function.__name__}",
        "runs": len(kept),
        "planned": len(study.settings),
        "CPU hours": round(float(kept[COST].sum()) / 3600, 2),
        "revisions": sorted(set(kept["revision"])),
        "code": sorted(set(kept["code"])),
        "dates": [kept["date"].min(), kept["date"].max()],
        "machines": sorted({*machines, machine}),
        "versions": versions.drop("time (UTC)", errors="ignore").to_dict(),
        "sha256": manifest.sha256(study.name, folder),
    }
    manifest.write(entries, folder)
