"""The command line of the long runs; see `tres_book.long_runs`."""

import argparse
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from tres_lib.code_hash import RESULTS
from tres_lib.web.recorded.wikispeedia import wikispeedia_folder

from ..study import checking, manifest, results
from ..study.sweep import COST
from .again import verify
from .studies import NAMES, ORDER, study

PATIENCE = 120.0  # CPU seconds; longer runs are made again only where their study is named


def check(studies: Sequence[str], runs: int, seed: int, folder: Path, note: bool) -> int:
    """Make runs of these studies again, default all, and print what came out; 0 if all is well.

    What `note` asks for is written into the manifest.
    """
    kept = {name: results.stored(name, folder) for name in studies or NAMES}
    kept = {name: table for name, table in kept.items() if len(table)}
    if not kept:
        print(f"{folder} has no runs of {', '.join(studies or NAMES)} yet: nothing to check.")
        return 0
    files = list(kept) if studies else sorted(file.stem for file in folder.glob("*.parquet"))
    changed = [name for name in files if not manifest.intact(name, folder)]
    for name in changed:
        print(f"{name}: CHANGED: its file is not the one that was written (sha256 in the manifest)")
    quick = [name for name in kept if studies or kept[name][COST].min() <= PATIENCE]
    for name in kept.keys() - set(quick):
        print(f"{name}: not made again, for a run takes minutes; STUDY={name} does it")
    if wikispeedia_folder() is None:
        for name in [name for name in quick if "wikispeedia" in name]:
            print(f"{name}: not made again, for its data are not at hand; see data/README.md")
            quick.remove(name)
    checked = verify(quick, runs, seed, folder)
    for row in checked.itertuples():
        code = "" if row.same_code else "; made by other code than today's"
        outcome = "the same" if row.same else f"DIFFERENT in {row.differs}"
        outcome += f", fractions to {row.within:.0%}" if row.within >= 0.01 else ""
        print(f"{row.study}: {row.run}: {outcome}{code} ({row.cpu:.0f} CPU seconds)")
    if note:
        for name, part in checked.groupby("study"):
            checking.note(study(str(name)), part, folder)
    total = sum(map(len, kept.values()))
    share = f"{len(checked)} of {total:,} stored runs ({len(checked) / total:.2%})"
    print(f"Made again {share} in {folder}, drawn with SEED={seed}.")
    print(f"{len(files) - len(changed)} of {len(files)} files are intact.")
    return int(bool(changed) or not checked["same"].all())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a run came out otherwise, or a file was changed."""
    parser = argparse.ArgumentParser(
        description="Make runs of the papers' own length, or check stored ones."
    )
    parser.add_argument("command", choices=["run", "verify"])
    parser.add_argument("studies", nargs="*", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--runs", type=int, default=1, help="how many of each study to make again")
    parser.add_argument("--seed", type=int, help="decides which; default: drawn, and printed")
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
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    return check(options.studies, options.runs, seed, options.folder, options.note)


if __name__ == "__main__":
    sys.exit(main())
