"""When rules and the runs that test them were committed, by git.

A clone may be shallow, so what git says is kept in data/ledger_dates.json. A test compares the two.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from .workspace import git, root

FILE = Path("data") / "ledger_dates.json"
CLAIMS, RUNS = "data/claims.yaml", "results/manifest.json"


def from_git() -> dict[str, Any]:
    """Return by claim its rules, each with its first commit, and by study its earliest runs."""
    return {"rules": _rules(), "runs": _runs()}


def write() -> None:
    """Write what git says into the repository."""
    text = json.dumps(from_git(), indent=1, ensure_ascii=False)
    (root() / FILE).write_text(text + "\n", encoding="utf-8")


def _rules() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for commit, date in _commits(CLAIMS):
        changed = git("show", "--name-only", "--format=", commit).splitlines()
        entries = yaml.load(git("show", f"{commit}:{CLAIMS}"), Loader=yaml.CSafeLoader)
        for claim, entry in entries.items():
            rules = found.setdefault(claim, [])
            if entry["rule"] not in (known["rule"] for known in rules):
                chapter = f"notebooks/{entry['notebook']}.ipynb" in changed
                came = {"commit": commit, "date": date, "with_chapter": chapter}
                rules.append({"rule": entry["rule"], **came})
    return found


def _runs() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for commit, date in _commits(RUNS):
        entries = json.loads(git("show", f"{commit}:{RUNS}"))
        for study, entry in entries.items():
            if "dates" in entry:
                first = found.setdefault(study, {"run": date, "commit": commit, "committed": date})
                first["run"] = min(first["run"], entry["dates"][0], key=datetime.fromisoformat)
    return found


def _commits(path: str) -> Iterator[tuple[str, str]]:
    """Yield the commits that changed a file and their dates, the earliest first."""
    lines = git("log", "--full-history", "--format=%H %cI", "--", path).splitlines()
    for line in sorted(lines, key=lambda line: datetime.fromisoformat(line.split()[1])):
        commit, date = line.split()
        yield commit, date
