"""Make runs of all chapters' studies, check stored ones, and say what a chapter rests on.

    python -m tres_book.study run [STUDY ...]
    python -m tres_book.study verify [STUDY ...] [--runs N] [--seed SEED] [--note]
    python -m tres_book.study models
    python -m tres_book.study ledger
    python -m tres_book.study rests 10

The first makes what is missing, all in some 20 CPU hours, and 40 of the third law. Studies share
the processes; the command may be stopped, or killed, and started again.
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
    sound = [
        n for n in names or all_studies() if found.get(f"{n}.parquet", "")[:7] in ("", "MISSING")
    ]
    tables = {name: table for name in sound if len(table := results.stored(name, folder))}
    skipped = _skipped({n: t[results.COST].min() for n, t in tables.items()}, bool(names))
    for name, reason in skipped.items():
        print(f"{name}: not made again, for {reason}")
    drawn = [all_studies()[name] for name in tables if name not in skipped]
    checked = verify_all(drawn, n, seed, folder)
    for row in checked.sort_values("same", ascending=False, kind="stable").itertuples():
        code = "" if row.same_code else "; made by other code than today's"
        outcome = "the same" if row.same else f"DIFFERENT in {row.differs}"
        outcome += f", fractions to {row.within:.0%}" if row.within >= 0.01 else ""
        print(f"{row.study}: {row.run}: {outcome}{code} ({row.cpu:.0f} CPU seconds)")
    for name, part in checked.groupby("study") if noted else ():
        note(all_studies()[str(name)], part, folder)
    total = sum(map(len, tables.values()))
    print(
        f"Made again {len(checked)} of {total:,} stored runs in {folder}, drawn with SEED={seed}."
    )
    print(f"{list(found.values()).count('')} of {len(found)} files are intact.")
    return int(bool(changed) or not checked["same"].all())


def _skipped(least: dict[str, float], chosen: bool) -> dict[str, str]:
    """Return why some studies are not made again, by the CPU seconds of their shortest run."""
    slow = [name for name, seconds in least.items() if seconds > PATIENCE and not chosen]
    reasons = {name: f"a run takes minutes; STUDY={name} does it" for name in slow}
    if wikispeedia_folder() is None:
        missing = "its data are not at hand; see data/README.md"
        reasons |= {name: missing for name in least if "wikispeedia" in name}
    large = [name for name in least if name.startswith("third") and not chosen]
    reasons |= {name: f"its webs take gigabytes; STUDY={name} does it" for name in large}
    for web, studies in {"debian-docs": "real-sites", "real-topics": "real-topics"}.items():
        if sites_here(web) < len(read_manifest(web)):
            missing = f"its web is not on this machine; `tres fetch-web {web}` obtains it"
            reasons |= {name: missing for name in least if name.startswith(studies)}
    return reasons


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tres_book.study", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    run, verify, models = (commands.add_parser(name) for name in ("run", "verify", "models"))
    for command in (run, verify):
        command.add_argument("studies", nargs="*", metavar="STUDY", help="default: all")
    for command in (run, verify, models):
        command.add_argument("--folder", type=Path, default=RESULTS, help="default: results/")
    verify.add_argument("--runs", type=int, default=1, help="how many of each study to make again")
    verify.add_argument("--seed", type=int, help="decides which; default: drawn, and printed")
    verify.add_argument("--note", action="store_true", help="write the outcome into the manifest")
    commands.add_parser("ledger")
    commands.add_parser("rests").add_argument("number", help="of a notebook, such as 10")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a run differs, or a file was changed."""
    parser = _parser()
    options = parser.parse_args(arguments)
    names = getattr(options, "studies", [])
    if unknown := set(names) - set(all_studies() if names else ()):
        parser.error(f"{', '.join(sorted(unknown))}: the studies are {', '.join(all_studies())}")
    if options.command == "run":
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # it stores, as at Ctrl-C
        results.store([all_studies()[name] for name in names or all_studies()], options.folder)
    if options.command == "verify":
        seed = secrets.randbelow(10**6) if options.seed is None else options.seed
        return check(names, options.runs, seed, options.folder, options.note)
    if options.command == "models":
        results.write_models(options.folder)
    try:
        if options.command == "ledger":
            ledger.keep(Claims.load(scale="default"))
        if options.command == "rests":
            book = Book(workspace.root(), workspace.scale())
            (name,) = book.names(options.number)
            modules = sorted(book.modules(name))
            print(*modules, f"{name} rests on {len(modules)} modules.", sep="\n")
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
