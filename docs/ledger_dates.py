"""Write into data/ledger_dates.json when rules, and runs that test them, were committed, by git.

python docs/ledger_dates.py        # after a rule or runs were committed

A clone may be shallow, so what git says is kept. A test compares the two.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any

import yaml

from tres_book.study.workspace import git, root

FILE = root() / "data" / "ledger_dates.json"
WAITING = ("third_law", "matched", "in_flight")  # whose rules wait for their runs


def dates_of_git() -> dict[str, Any]:
    """Return by claim its rules, each with its first commit, and by study its earliest runs."""
    rules: dict[str, list[dict[str, Any]]] = {}
    waiting = [f"data/{name}_rules.yaml" for name in WAITING]
    for commit, date, text in chain(*map(_versions, waiting), _versions("data/claims.yaml")):
        for claim, entry in yaml.load(text, Loader=yaml.CSafeLoader).items():
            known = rules.setdefault(claim, [])
            if entry["rule"] not in (earlier["rule"] for earlier in known):
                chapter = f"notebooks/{entry['notebook']}.ipynb" in _changed(commit)
                came = {"commit": commit, "date": date, "with_chapter": chapter}
                known.append({"rule": entry["rule"], **came})
    runs: dict[str, dict[str, str]] = {}
    for commit, date, text in _versions("results/manifest.json"):
        for study, entry in json.loads(text).items():
            if "dates" in entry:
                first = runs.setdefault(study, {"run": date, "commit": commit, "committed": date})
                first["run"] = min(first["run"], entry["dates"][0], key=datetime.fromisoformat)
    return {"rules": rules, "runs": runs}


@cache
def _changed(commit: str) -> list[str]:
    return git("show", "--name-only", "--format=", commit).splitlines()


def _versions(path: str) -> Iterator[tuple[str, str, str]]:
    """Yield the commits that changed a file, their dates and its text then, the earliest first."""
    lines = git("log", "--full-history", "--format=%H %cI", "--", path).splitlines()
    for line in sorted(lines, key=lambda line: datetime.fromisoformat(line.split()[1])):
        commit, date = line.split()
        yield commit, date, git("show", f"{commit}:{path}")


if __name__ == "__main__":
    FILE.write_text(json.dumps(dates_of_git(), indent=1, ensure_ascii=False) + "\n", "utf-8")
