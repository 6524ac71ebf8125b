"""The command line of the long runs; see `tres_lib.experiments.long_runs`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from tqdm.auto import tqdm

from ...code_hash import RESULTS
from ...study import results
from .studies import NAMES, ORDER, study


def verify(names: Sequence[str], runs: int, seed: int, folder: Path) -> pd.DataFrame:
    """Return `results.verify` of the studies that have stored runs, in one table."""
    some = [name for name in names if len(results.stored(name, folder))]
    tables = (results.verify(study(name), runs, seed, folder) for name in tqdm(some, unit="study"))
    return pd.concat([table.assign(study=name) for name, table in zip(some, tables, strict=True)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a stored run came out otherwise."""
    parser = argparse.ArgumentParser(
        description="Make runs of the papers' own length, or check stored ones."
    )
    parser.add_argument("command", choices=["run", "verify"])
    parser.add_argument("studies", nargs="*", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--runs", type=int, default=1, help="how many of each study to make again")
    parser.add_argument("--seed", type=int, default=0, help="decides which")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="default: results/")
    parser.add_argument("--note", action="store_true", help="write the outcome into the manifest")
    options = parser.parse_args(arguments)
    names = options.studies or list(NAMES)
    if unknown := set(names) - set(NAMES):
        parser.error(f"{', '.join(sorted(unknown))}: the studies are {', '.join(NAMES)}")
    if options.command == "run":
        for batch in ORDER:
            if chosen := [study(name) for name in batch if name in names]:
                results.run(*chosen, folder=options.folder)
        return 0
    total = sum(len(results.stored(name, options.folder)) for name in names)
    if not total:
        print(f"{options.folder} has no runs of {', '.join(names)} yet: nothing to check.")
        return 0
    checked = verify(names, options.runs, options.seed, options.folder)
    for row in checked.itertuples():
        code = "" if row.same_code else "; made by other code than today's"
        outcome = "the same" if row.same else f"DIFFERENT in {row.differs}"
        print(f"{row.study}: {row.run}: {outcome}{code} ({row.cpu:.0f} CPU seconds)")
    if options.note:
        for name, part in checked.groupby("study"):
            results.note(study(str(name)), part, options.folder)
    print(f"Made again {len(checked)} of {total} stored runs in {options.folder}.")
    return int(not checked["same"].all())


if __name__ == "__main__":
    sys.exit(main())
