"""Make runs of all chapters' studies, check stored ones, and say what a chapter rests on.

    python -m tres_book.study run [STUDY ...]
    python -m tres_book.study verify [STUDY ...] [--runs N] [--seed SEED] [--note]
    python -m tres_book.study models
    python -m tres_book.study ledger
    python -m tres_book.study rests 10

The first makes what is missing, all in some 20 CPU hours, and 40 of the third law. It may be
stopped, or killed, and started again.
``models`` writes the hashes of new classifiers or a new Q-network into the manifest, by which
``verify`` knows them.
``ledger`` keeps the records of the last run at default scale in results/, for the sentences.
"""

import argparse
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tres_webs.files import RESULTS
from tres_webs.recorded.manifest import read_manifest
from tres_webs.recorded.pinned import sites_here
from tres_webs.recorded.wikispeedia import wikispeedia_folder

from . import ledger, results, workspace
from .chapters import Book
from .claims import Claims
from .results import all_studies
from .verify import note, verify_all

PATIENCE = 120.0  # CPU seconds; longer runs are made again only where their study is named


def check(names: Sequence[str], n: int, seed: int, folder: Path, noted: bool) -> int:
    """Make runs of these studies again, default all, and print what differs; 0 if nothing does."""
    others = {f"{name}.parquet" for name in all_studies() if names and name not in names}
    found = {file: it for file, it in results.faults(folder).items() if file not in others}
    changed = {file: fault for file, fault in found.items() if fault}
    for file, fault in changed.items():
        print(f"{file}: {fault}")
    drawn, total = [], 0
    for name in names or all_studies():
        if not changed.get(f"{name}.parquet", "MISSING").startswith("MISSING"):
            continue
        table = results.stored(name, folder)
        total += len(table)
        if len(table) and (reason := _obstacle(name, table[results.COST].min(), bool(names))):
            print(f"{name}: not made again, for {reason}")
        elif len(table):
            drawn.append(all_studies()[name])
    checked = verify_all(drawn, n, seed, folder)
    for row in checked.sort_values("same", ascending=False, kind="stable").itertuples():
        code = "" if row.same_code else "; made by other code than today's"
        outcome = "the same" if row.same else f"DIFFERENT in {row.differs}"
        outcome += f", fractions to {row.within:.0%}" if row.within >= 0.01 else ""
        print(f"{row.study}: {row.run}: {outcome}{code} ({row.cpu:.0f} CPU seconds)")
    for name, part in checked.groupby("study") if noted else ():
        note(all_studies()[str(name)], part, folder)
    print(
        f"Made again {len(checked)} of {total:,} stored runs in {folder}, drawn with SEED={seed}."
    )
    print(f"{list(found.values()).count('')} of {len(found)} files are intact.")
    return int(bool(changed) or not checked["same"].all())


def _obstacle(name: str, seconds: float, chosen: bool) -> str:
    """Return why a study is not made again, by the CPU seconds of its shortest run, or ""."""
    if "wikispeedia" in name and wikispeedia_folder() is None:
        return "its data are not at hand; see data/README.md"
    for web, studies in {"debian-docs": "real-sites", "real-topics": "real-topics"}.items():
        if name.startswith(studies) and sites_here(web) < len(read_manifest(web)):
            return f"its web is not on this machine; `tres fetch-web {web}` obtains it"
    if not chosen and (seconds > PATIENCE or name.startswith("third")):
        return f"a run takes minutes, or gigabytes; STUDY={name} does it"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a run differs, or a file was changed."""
    parser = argparse.ArgumentParser("python -m tres_book.study", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("command", choices=("run", "verify", "models", "ledger", "rests"))
    parser.add_argument("names", nargs="*", help="of studies, default all; of a notebook to rests")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="default: results/")
    parser.add_argument("--runs", type=int, default=1, help="how many of each study to make again")
    parser.add_argument("--seed", type=int, help="decides which; default: drawn, and printed")
    parser.add_argument("--note", action="store_true", help="write the outcome into the manifest")
    options = parser.parse_intermixed_args(arguments)
    command, names = options.command, options.names
    if command != "verify" and (options.runs, options.seed, options.note) != (1, None, False):
        parser.error("--runs, --seed and --note are of verify")
    try:
        if command == "ledger":
            ledger.keep(Claims.load(scale="default"))
        elif command == "models":
            results.write_models(options.folder)
        elif command == "rests":
            if len(names) != 1:
                raise ValueError("rests: give the number of one notebook, such as 10")
            book = Book(workspace.root(), workspace.scale())
            (name,) = book.names(*names)
            modules = sorted(book.modules(name))
            print(*modules, f"{name} rests on {len(modules)} modules.", sep="\n")
        elif unknown := set(names) - set(all_studies()):
            there = ", ".join(all_studies())
            raise ValueError(f"{', '.join(sorted(unknown))}: the studies are {there}")
        elif command == "run":
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # it stores, as at Ctrl-C
            for name in names or all_studies():
                results.store(all_studies()[name], options.folder)
    except ValueError as error:
        parser.error(str(error))
    if command != "verify":
        return 0
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    return check(names, options.runs, seed, options.folder, options.note)


if __name__ == "__main__":
    sys.exit(main())
