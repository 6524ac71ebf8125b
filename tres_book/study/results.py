"""Stored runs: the folder ``results/``, a file a study, looked up before anything is made.

`store` makes what is missing, `verify` makes some again; the manifest says what was run, when and
by which code.
"""

import hashlib
import json
import os
import pkgutil
import platform
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from llvmlite.binding import get_host_cpu_name

from tres_webs.files import RESULTS, whole_file, write_whole

from . import runs
from .findings import LEDGER, entries as recorded
from .study import Study, facts_hash
from .workspace import revision, versions

COST = "cpu"  # column of CPU seconds, which no two runs share
ORIGIN = ["key", "revision", "code", "date", "hash"]  # where a row comes from; of all the others
MANIFEST = "manifest.json"
MODELS = "models"  # the manifest's entry of the hashes of all files in folders
UNLISTED = {MANIFEST, "README.md", LEDGER}


@cache
def all_studies() -> dict[str, Study]:
    """Return the studies of all chapters by name, with the sizes that are stored."""
    studies: dict[str, Study] = {}
    chapters = [str(Path(__file__).parents[1] / "chapters")]
    for part in pkgutil.walk_packages(chapters, "tres_book.chapters."):
        plan = getattr(pkgutil.resolve_name(part.name), "studies", None)
        studies |= {study.name: study for study in plan().values()} if plan else {}
    return studies


def stored(name: str, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the stored runs of a study, by its name, a row a run; empty if there are none.

    Columns are the setting's, the function's (arrays, where it returns a table), `COST`, and
    `ORIGIN`: the run's key, the git revision, the fingerprint of the code behind it, the date, and
    `study.facts_hash`.
    """
    file = Path(folder) / f"{name}.parquet"
    return pd.read_parquet(file) if file.exists() else pd.DataFrame(columns=[*ORIGIN, COST])


def rows(study: Study, folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return the rows of a study's runs, as of `run_sweep`: stored ones are read, others made."""
    there = stored(study.name, folder)
    missing = _missing(study, there)
    if missing.settings:
        runs.make(missing)
        there = _with(there, missing)
    keys = list(map(runs.key, study.settings))
    found = there.drop_duplicates("key").set_index("key").loc[keys]
    names = {*ORIGIN, COST}.union(*study.settings)
    return runs.table(study.settings, found.drop(columns=list(names), errors="ignore"))


def _missing(study: Study, there: pd.DataFrame) -> Study:
    """Return a study of the runs that are not stored, each once."""
    old = set(there["key"])
    named = {runs.key(setting): setting for setting in study.settings}
    return replace(study, settings=[s for key, s in named.items() if key not in old])


def _with(there: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Return the stored runs, and after them those of the study as they are to be stored."""
    made = runs.read(study)
    cost = made.pop(runs.SECONDS)
    made = made[[name for name in made if study.keeps(name) or name == COST]]
    made = made if COST in made else made.assign(**{COST: cost})
    # A study may take days, and a rule of its claims may come before its end.
    times = [datetime.fromtimestamp(file.stat().st_mtime, UTC) for file in runs.files(study)]
    given = pd.DataFrame(study.settings).drop(columns=made.columns, errors="ignore")
    made = pd.concat([given, made], axis=1).assign(
        key=list(map(runs.key, study.settings)),
        revision=revision(RESULTS.name),
        code=runs.fingerprint(study.function),
        date=[time.isoformat(timespec="minutes") for time in times],
    )
    made["hash"] = [facts_hash(row) for row in made.to_dict("records")]
    return pd.concat([there, made], ignore_index=True) if len(there) else made


def store(study: Study, folder: str | Path = RESULTS) -> None:
    """Make what is not stored yet of a study, and store it at the end or at a stop.

    What a killed process had made is in build/runs, where the next call by the same code finds it.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    there = stored(study.name, folder)
    missing = _missing(study, there)
    try:
        runs.make(missing)
    finally:
        pairs = zip(missing.settings, runs.files(missing), strict=True)
        made = [setting for setting, file in pairs if file.exists()]
        if made:
            _write(study, _with(there, replace(study, settings=made)), folder)


def _write(study: Study, there: pd.DataFrame, folder: Path) -> None:
    """Write a study's runs, and describe them in the manifest."""
    with whole_file(folder / f"{study.name}.parquet") as draft:
        there.to_parquet(draft, index=False, compression="zstd")
    entries = manifest(folder)
    machine = f"{platform.machine()}, {get_host_cpu_name()}, {os.cpu_count()} cores"
    entries[study.name] = {
        "function": f"{study.function.__module__}.{study.function.__name__}",
        "planned": len(study.settings),
        **_counted(there),
        "machines": sorted({*entries.get(study.name, {}).get("machines", []), machine}),
        "versions": versions(),
        "sha256": sha256(f"{study.name}.parquet", folder),
    }
    write_manifest(entries, folder)


def _counted(there: pd.DataFrame) -> dict[str, Any]:
    """Return what a study's entry in the manifest says of its rows."""
    return {
        "runs": len(there),
        "CPU hours": round(float(there[COST].sum()) / 3600, 2),
        "revisions": sorted(set(there["revision"])),
        "code": sorted(set(there["code"])),
        "dates": [there["date"].min(), there["date"].max()] if len(there) else [],
    }


def length_if_stored(study: Study, length: str, folder: str | Path = RESULTS) -> str:
    """Return how long a study's runs are, for `Claims.record`, or "" unless all stored are asked.

    So a few of them, at a scale too small for a verdict, give none.
    """
    there = stored(study.name, folder)
    return length if set(map(runs.key, study.settings)) == set(there["key"]) else ""


def overview(studies: Iterable[Study], folder: str | Path = RESULTS) -> pd.DataFrame:
    """Return what studies ask for and what is stored, by which revision.

    Of runs ``made again`` by a later revision it says how many were the same; see `verify.note`.
    """
    facts = {}
    for study in studies:
        there = stored(study.name, folder)
        there = there[there["key"].isin(list(map(runs.key, study.settings)))]
        again = manifest(folder).get(study.name, {}).get("made again", {})
        same = "{runs}, {the same} the same, by revision {revision}"
        facts[study.name] = {
            "runs": len(study.settings),
            "stored": len(there),
            "CPU hours": _counted(there)["CPU hours"],
            "revision": ", ".join(there["revision"].unique()),
            "made again": same.format_map({"revision": "unknown", **again}) if again else "",
        }
    return pd.DataFrame.from_dict(facts, orient="index").rename_axis("study")


def origin(study: Study | str, folder: str | Path = RESULTS) -> str:
    """Return one sentence for readers with the facts of `overview`; a name: of code that left."""
    if isinstance(study, str):
        facts = manifest(folder)[study]
        left = ", ".join(facts["revisions"])
        return f"Stored: {facts['runs']:,} runs, revision {left}; their code has left."
    facts = overview([study], folder).loc[study.name]
    if not facts["stored"]:
        return "Nothing is stored yet."
    text = "Stored: {stored:,} of {runs:,} runs, {CPU hours:,.1f} CPU hours, revision {revision}"
    text += "; made again: {made again}." if facts["made again"] else "."
    return text.format_map(facts)


def manifest(folder: str | Path = RESULTS) -> dict[str, Any]:
    """Return the entries of a folder's manifest by study; empty if there is none."""
    file = Path(folder) / MANIFEST
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write_manifest(entries: dict[str, Any], folder: str | Path = RESULTS) -> None:
    """Write the entries of a folder's manifest, sorted by study."""
    text = json.dumps(dict(sorted(entries.items())), indent=1)
    write_whole(Path(folder) / MANIFEST, text + "\n")


def sha256(file: str, folder: str | Path = RESULTS) -> str:
    """Return the hash of a file in the folder, in hexadecimal."""
    return hashlib.sha256((Path(folder) / file).read_bytes()).hexdigest()


def write_models(folder: str | Path = RESULTS) -> None:
    """Write into the manifest the hashes of the classifiers and of the Q-network.

    Files that are gone stay named there: the manifest is also the list of what there must be.
    """
    hashes = {file: sha256(file, folder) for file in sorted(_files(folder)) if "/" in file}
    entries = manifest(folder)
    write_manifest(entries | {MODELS: entries.get(MODELS, {}) | hashes}, folder)


def faults(folder: str | Path = RESULTS) -> dict[str, str]:
    """Return by path what is wrong with each file there or in the manifest; "" if nothing.

    Hashes of files and of rows, counts and dates are computed again, and the plans say which runs
    there must be.
    """
    there = _files(folder)
    try:
        entries = manifest(folder)
        hashes = entries.pop(MODELS, {})
        hashes |= {f"{name}.parquet": entry.get("sha256") for name, entry in entries.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        return {MANIFEST: f"CHANGED: it is not the file that was written ({error})"}
    whole = all_studies().items() if Path(folder) == RESULTS else ()
    planned = {f"{name}.parquet" for name, study in whole if not study.under_way}
    found = dict.fromkeys(sorted(hashes.keys() | there | planned), "")
    if any(one.get("hash") != facts_hash(one) for one in recorded(folder)):
        found[LEDGER] = "CHANGED: a record is not as it was kept"
    for file in found.keys() - {LEDGER}:
        if file not in there:
            found[file] = "MISSING: the manifest or a plan names it"
        elif file not in hashes:
            found[file] = "UNKNOWN: the manifest does not name it"
        elif hashes[file] != sha256(file, folder):
            found[file] = "CHANGED: it is not the file that was written (sha256 in the manifest)"
        elif "/" not in file:
            found[file] = _fault(file.removesuffix(".parquet"), entries, folder)
    return found


def _fault(name: str, entries: Mapping[str, Any], folder: str | Path) -> str:
    """Return what is wrong with the rows of a study whose file is as the manifest says."""
    table = stored(name, folder)
    if not {*ORIGIN, COST} <= {*table}:
        needs = name in all_studies()
        return "CHANGED: a column is missing that says where rows come from" if needs else ""
    counted = _counted(table)
    if differs := [fact for fact, value in counted.items() if entries[name].get(fact) != value]:
        return f"CHANGED: the manifest has other {', '.join(differs)} than the rows"
    forged = sum(row["hash"] != facts_hash(row) for row in table.to_dict("records"))
    if forged or table["key"].duplicated().any():
        return f"CHANGED: {forged:,} rows are not as they were stored, or a run is there twice"
    study = all_studies().get(name)
    if study and not study.under_way and (n := len(_missing(study, table).settings)):
        return f"MISSING: {n:,} of {len(study.settings):,} runs of the plan"
    return ""


def _files(folder: str | Path) -> set[str]:
    """Return the paths in a folder of all files that the manifest must name."""
    paths = (path for path in Path(folder).rglob("[!.]*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in paths} - UNLISTED
