"""Make the runs of a study that are not stored yet, and store them with where they come from."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from llvmlite.binding import get_host_cpu_name

from tres_lib.store import RESULTS, whole_file

from . import runs
from .plan import Setting, Study
from .results import COST, MANIFEST, kept_columns, manifest, sha256, stored
from .workspace import provenance, revision


def store(study: Study, folder: str | Path = RESULTS, workers: int | None = None) -> pd.DataFrame:
    """Make the runs that are not stored yet, and store them; return all, as `stored`.

    After a stop or a failure, what is finished is stored.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    old = stored(study.name, folder)
    missing = {runs.key(s): s for s in study.settings}
    missing = {key: s for key, s in missing.items() if key not in set(old["key"])}
    try:
        settings = list(missing.values())
        runs.make(study.function, settings, together=study.together, workers=workers)
    finally:
        files = runs.files(study.function, list(missing.values()), runs.cache_folder())
        made = {key: file for key, file in zip(missing, files, strict=True) if file.exists()}
        if made:
            _add(study, old, {key: missing[key] for key in made}, list(made.values()), folder)
    return stored(study.name, folder)


def _add(
    study: Study,
    old: pd.DataFrame,
    settings: dict[str, Setting],
    files: list[Path],
    folder: Path,
) -> None:
    """Append runs, their settings by key, to a study's file."""
    rows = kept_columns(study, runs.read(files))
    shown = pd.DataFrame(list(settings.values()))
    shown = shown[[name for name in shown if name not in rows]]
    new = pd.concat([shown, rows], axis=1).assign(
        key=list(settings),
        revision=revision(RESULTS.name),
        code=runs.fingerprint(study.function),
        date=datetime.now(UTC).isoformat(timespec="minutes"),
    )
    whole = pd.concat([old, new], ignore_index=True) if len(old) else new
    with whole_file(folder / f"{study.name}.parquet") as draft:
        whole.to_parquet(draft, index=False, compression="zstd")
    _describe(study, whole, folder)


def _describe(study: Study, kept: pd.DataFrame, folder: Path) -> None:
    """Write into the manifest what a study's file holds and where it comes from."""
    entries = manifest(folder)
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
        "sha256": sha256(study.name, folder),
    }
    write_manifest(entries, folder)


def write_manifest(entries: dict[str, Any], folder: str | Path = RESULTS) -> None:
    """Write the entries of a folder's manifest, sorted by study."""
    with whole_file(Path(folder) / MANIFEST) as draft:
        text = json.dumps(dict(sorted(entries.items())), indent=1)
        draft.write_text(text + "\n", encoding="utf-8")
