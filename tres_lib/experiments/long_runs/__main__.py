"""The command line of the long runs; see `tres_lib.experiments.long_runs`."""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from tqdm.auto import tqdm

from ...code_hash import RESULTS
from ...study import manifest, results
from ...study.processes import worker_pools
from .studies import NAMES, ORDER, study

PATIENCE = 120.0  # CPU seconds; longer runs are made again only where their study is named


def verify(names: Sequence[str], runs: int, seed: int, folder: Path) -> pd.DataFrame:
    """Return `results.verify` of studies in one table; several share the cores."""
    check = partial(_verified, runs=runs, seed=seed, folder=folder)
    workers = min(len(names), int(os.environ.get("TRES_WORKERS") or os.cpu_count() or 1))
    if workers < 2:
        return pd.concat(map(check, tqdm(names, unit="study")))
    with worker_pools([workers], {"OMP_NUM_THREADS": "1"}) as (pool,):
        tables = pool.map(check, names)
        return pd.concat(list(tqdm(tables, total=len(names), unit="study")))


def _verified(name: str, runs: int, seed: int, folder: Path) -> pd.DataFrame:
    return results.verify(study(name), runs, seed, folder).assign(study=name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a run came out otherwise, or a file was changed."""
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
    kept = {name: len(results.stored(name, options.folder)) for name in names}
    if not any(kept.values()):
        print(f"{options.folder} has no runs of {', '.join(names)} yet: nothing to check.")
        return 0
    some, total = [name for name in names if kept[name]], sum(kept.values())
    if not options.studies:
        slow = [name for name in some if results.cheapest(name, options.folder) > PATIENCE]
        some = [name for name in some if name not in slow]
        for name in slow:
            print(f"{name}: not made again, for a run takes minutes; STUDY={name} does it")
    files = some if options.studies else sorted(f.stem for f in options.folder.glob("*.parquet"))
    changed = [name for name in files if not manifest.intact(name, options.folder)]
    for name in changed:
        print(f"{name}: CHANGED: its file is not the one that was written (sha256 in the manifest)")
    checked = verify(some, options.runs, options.seed, options.folder)
    for row in checked.itertuples():
        code = "" if row.same_code else "; made by other code than today's"
        outcome = "the same" if row.same else f"DIFFERENT in {row.differs}"
        print(f"{row.study}: {row.run}: {outcome}{code} ({row.cpu:.0f} CPU seconds)")
    if options.note:
        for name, part in checked.groupby("study"):
            results.note(study(str(name)), part, options.folder)
    share = f"{len(checked)} of {total:,} stored runs ({len(checked) / total:.2%})"
    print(f"Made again {share} in {options.folder}.")
    print(f"{len(files) - len(changed)} of {len(files)} files are intact.")
    return int(bool(changed) or not checked["same"].all())


if __name__ == "__main__":
    sys.exit(main())
