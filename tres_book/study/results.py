"""Stored runs: the folder ``results/``, a file a study, looked up before anything is made.

`store` makes what is missing, `verify` makes some again; the manifest says what was run, when and
by which code.
"""

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from warnings import warn

import pandas as pd
import pyarrow.parquet as pq
from llvmlite.binding import get_host_cpu_name

from tres_lib.store import RESULTS, whole_file

from . import runs
from .plan import Study
from .workspace import provenance, revision

COST = "cpu"  # column of CPU seconds, which no two runs share
ORIGIN = ["key", "revision", "code", "date"]  # columns that say where a row comes from
MANIFEST = "manifest.json"
MODELS = "models"  # the manifest's entry of the hashes of all files in folders
UNLISTED = {MANIFEST, "README.md"}
LONG = 0.25  # CPU hours of missing runs of which a reader is warned


def stored(name: str, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the stored runs of a study, by its name, a row a run; empty if there are none.

    Columns are the setting's, the function's (arrays, where it returns a table), `COST`, and
    `ORIGIN`: the run's key, the git revision, the fingerprint of the code behind it, the date.
    """
    file = Path(folder) / f"{name}.parquet"
    return pd.read_parquet(file) if file.exists() else pd.DataFrame(columns=[*ORIGIN, COST])


def rows(study: Study, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the rows of a study's runs: stored ones are read, the others made now.

    It warns if other code made the stored ones than makes the others. The table is as of
    `run_sweep`, without `COST`.
    """
    old = stored(study.name, folder).drop_duplicates("key").set_index("key")
    keys = [runs.key(setting) for setting in study.settings]
    missing = _missing(study, old.index)
    if n := len(missing.settings):
        if (old.loc[old.index.isin(keys), "code"] != runs.fingerprint(study.function)).any():
            text = f"{study.name}: {n} runs are made now, by other code than the stored"
            warn(text, stacklevel=2)
        runs.make([missing])
        made = _chosen(study, runs.read(missing))
        made = made.set_index(pd.Index(map(runs.key, missing.settings)))
        old = pd.concat([old, made]) if len(old) else made
    names = {*ORIGIN, COST}.union(*study.settings)
    return runs.table(study.settings, old.loc[keys].drop(columns=list(names), errors="ignore"))


def _missing(study: Study, stored_keys: Iterable[str]) -> Study:
    """Return a study of the runs that are not stored, each once."""
    there = set(stored_keys)
    named = {runs.key(setting): setting for setting in study.settings}
    return replace(study, settings=[s for key, s in named.items() if key not in there])


def _chosen(study: Study, made: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the columns that a study keeps, and their `COST`."""
    cost = made.pop(runs.SECONDS)
    chosen = made[[name for name in made if study.keeps(name) or name == COST]]
    return chosen if COST in chosen else chosen.assign(**{COST: cost})


def store(
    studies: Sequence[Study], folder: str | Path = RESULTS, workers: int | None = None
) -> None:
    """Make the runs of studies that are not stored yet, and store each study as it is complete.

    The studies share the processes. After a stop or a failure, what is finished is stored.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    missing = [_missing(study, stored(study.name, folder)["key"]) for study in studies]
    whole = {study.name: study for study in studies}
    try:
        runs.make(missing, workers=workers, then=lambda study: _add(whole[study.name], folder))
    finally:
        for study in studies:
            _add(study, folder)


def _add(study: Study, folder: Path) -> None:
    """Append to a study's file what is made and not stored, and describe it in the manifest."""
    old = stored(study.name, folder)
    new = _missing(study, old["key"])
    pairs = zip(new.settings, runs.files(new), strict=True)
    new = replace(new, settings=[setting for setting, file in pairs if file.exists()])
    if not new.settings:
        return
    made = _chosen(study, runs.read(new))
    shown = pd.DataFrame(new.settings)
    shown = shown[[name for name in shown if name not in made]]
    made = pd.concat([shown, made], axis=1).assign(
        key=[runs.key(setting) for setting in new.settings],
        revision=revision(RESULTS.name),
        code=runs.fingerprint(study.function),
        date=datetime.now(UTC).isoformat(timespec="minutes"),
    )
    whole = pd.concat([old, made], ignore_index=True) if len(old) else made
    with whole_file(folder / f"{study.name}.parquet") as draft:
        whole.to_parquet(draft, index=False, compression="zstd")
    entries = manifest(folder)
    machine = f"{platform.machine()}, {get_host_cpu_name()}, {os.cpu_count()} cores"
    versions = provenance()["value"].drop(["scale", "seed", "git revision"])
    entries[study.name] = {
        "function": f"{study.function.__module__}.{study.function.__name__}",
        "runs": len(whole),
        "planned": len(study.settings),
        "CPU hours": round(_hours(whole), 2),
        "revisions": sorted(set(whole["revision"])),
        "code": sorted(set(whole["code"])),
        "dates": [whole["date"].min(), whole["date"].max()],
        "machines": sorted({*entries.get(study.name, {}).get("machines", []), machine}),
        "versions": versions.drop("time (UTC)", errors="ignore").to_dict(),
        "sha256": sha256(f"{study.name}.parquet", folder),
    }
    write_manifest(entries, folder)


def length_if_stored(study: Study, length: str, folder: str | Path = RESULTS) -> str:
    """Return how long a study's runs are, for `Claims.record`, or "" unless all stored are asked.

    So a few of them, at a scale too small for a verdict, give none. `length`, such as
    "20,000 fetches", is marked if other code than today's made some.
    """
    there = stored(study.name, folder)
    if {runs.key(setting) for setting in study.settings} != set(there["key"]):
        return ""
    older = (there["code"] != runs.fingerprint(study.function)).any()
    return f"{length}, by older code" if older else length


def overview(studies: Iterable[Study], folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return what a chapter's studies ask for and what is stored, a row a study.

    It warns if what is missing takes long. Columns: ``runs`` asked for, how many of them are
    ``stored`` (`rows` makes the others), the ``CPU hours`` of these, their git ``revision``, and
    what they were ``made by`` (see `origin`).
    """
    facts = {study.name: _facts(study, folder) for study in studies}
    return pd.DataFrame.from_dict(facts, orient="index").rename_axis("study")


def origin(study: Study, folder: str | Path = RESULTS) -> str:
    """Return one sentence for readers: how much is stored, which code made it, and what it cost.

    Where the fingerprint of the code is not today's, it says so, and how many runs were the same
    when today's code made them again, by `verify.note`.
    """
    facts = _facts(study, folder)
    if not facts["stored"]:
        return "Nothing is stored yet."
    amount = "{stored:,} of {runs:,} runs, {CPU hours:,.1f} CPU hours".format_map(facts)
    return f"Stored: {amount}, revision {facts['revision']}, made by {facts['made by']}."


def _facts(study: Study, folder: str | Path) -> dict[str, Any]:
    """Return the row of `overview` of a study."""
    old = stored(study.name, folder)
    there = old[old["key"].isin([runs.key(setting) for setting in study.settings])]
    missing = len(study.settings) - len(there)
    if (hours := missing * old[COST].mean() / 3600) > LONG:
        text = f"{study.name}: {missing:,} runs are not stored; if they cost as much as the "
        warn(f"{text}stored, they take {hours:,.1f} CPU hours", stacklevel=4)
    return {
        "runs": len(study.settings),
        "stored": len(there),
        "CPU hours": round(_hours(there), 2),
        "revision": ", ".join(there["revision"].unique()),
        "made by": _made_by(study, there, folder) if len(there) else "",
    }


def _made_by(study: Study, there: pd.DataFrame, folder: str | Path) -> str:
    """Return in words how many of these runs other code than today's made, and the same again."""
    today = runs.fingerprint(study.function)
    others = int((there["code"] != today).sum())
    if not others:
        return "today's code"
    text = f"other code than today's: {others:,} of {len(there):,} runs"
    again = manifest(folder).get(study.name, {}).get("made again", {})
    if again.get("code") != today:
        return text
    return f"{text} ({again['the same']} of {again['runs']} made again were the same)"


def _hours(table: pd.DataFrame) -> float:
    return float(table[COST].sum()) / 3600


def manifest(folder: str | Path = RESULTS) -> dict[str, Any]:
    """Return the entries of a folder's manifest by study; empty if there is none."""
    file = Path(folder) / MANIFEST
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write_manifest(entries: dict[str, Any], folder: str | Path = RESULTS) -> None:
    """Write the entries of a folder's manifest, sorted by study."""
    with whole_file(Path(folder) / MANIFEST) as draft:
        text = json.dumps(dict(sorted(entries.items())), indent=1)
        draft.write_text(text + "\n", encoding="utf-8")


def sha256(file: str, folder: str | Path = RESULTS) -> str:
    """Return the hash of a file in the folder, in hexadecimal."""
    return hashlib.sha256((Path(folder) / file).read_bytes()).hexdigest()


def write_models(folder: str | Path = RESULTS) -> None:
    """Write into the manifest the hashes of the classifiers and of the Q-network."""
    hashes = {file: sha256(file, folder) for file in sorted(_files(folder)) if "/" in file}
    write_manifest(manifest(folder) | {MODELS: hashes}, folder)


def faults(folder: str | Path = RESULTS) -> dict[str, str]:
    """Return what is wrong with each file that is there or that the manifest names; "" if nothing.

    A file is named by its path in the folder.
    """
    entries, there = manifest(folder), _files(folder)
    hashes = entries.pop(MODELS, {})
    hashes |= {f"{name}.parquet": entry.get("sha256") for name, entry in entries.items()}
    found = dict.fromkeys(sorted(hashes.keys() | there), "")
    for file in found:
        if file not in there:
            found[file] = "MISSING: the manifest names it"
        elif file not in hashes:
            found[file] = "UNKNOWN: the manifest does not name it"
        elif hashes[file] != sha256(file, folder):
            found[file] = "CHANGED: it is not the file that was written (sha256 in the manifest)"
        elif "/" not in file:
            n, runs_ = pq.read_metadata(Path(folder) / file).num_rows, entries[file[:-8]]["runs"]
            found[file] = "" if n == runs_ else f"CHANGED: {n:,} rows, {runs_:,} in the manifest"
    return found


def _files(folder: str | Path) -> set[str]:
    """Return the paths in a folder of all files that the manifest must name."""
    paths = (path for path in Path(folder).rglob("[!.]*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths} - UNLISTED
