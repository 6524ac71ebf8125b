"""What a folder is: new, empty, or marked as of its kind; and that all of it lies inside it."""

import os
import re
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from tres_lib.store import MOST, write_whole

KINDS = ("crawl", "watch", "export")  # each is marked by a file, such as crawl.json
# What a kill may leave while the mark is made.
BEGUN = re.compile(rf"\.(?:{'|'.join(KINDS)})\.json\.(?:lock|\d+-[0-9a-f]+\.part)")


def open_folder(path: Path, kind: str, name: str = "folder") -> Path:
    """Return a folder that is new, empty or marked as of this kind; it is made if need be.

    ValueError, by the name of the argument, of any other: what is in it is somebody's.
    """
    remedy = f"name a new or an empty folder, --{name} {path}-2"
    given = f"{name}={str(path)!r}"
    if kind != "export":
        for above in path.resolve().parents:
            if other := next((other for other in KINDS[:2] if _locked(above, other)), None):
                raise ValueError(f"{given} lies in the {other} {str(above)!r}; {remedy}")
    try:
        path.mkdir(parents=True, exist_ok=True)
        there = sorted(each.name for each in path.iterdir() if not BEGUN.fullmatch(each.name))
    except OSError as error:
        problem = f"no folder can be there ({error.strerror}); name another --{name}"
        raise ValueError(f"{given}: {problem}") from None
    if there and mark(kind) not in there:
        others = [other for other in KINDS if mark(other) in there]
        holds = f"a {others[0]}" if others else f"other files, such as {there[0]!r}"
        raise ValueError(f"{given} holds {holds}; {remedy}")
    return path


def export_folder(path: Path, home: Path) -> None:
    """Make a folder for exports, and mark it, unless it is that of the crawl or watch itself."""
    if path.resolve() != home.resolve():
        open_folder(path, "export", "to")
        write_whole(path / mark("export"), "{}\n")


def mark(kind: str) -> str:
    """Return the name of the file that marks a folder of this kind."""
    return f"{kind}.json"


def inside(folder: Path, name: str, whole: bool = False) -> Path:
    """Return the path of a file or folder of ours in a folder.

    ValueError if it is a link or a special file, or has one in it: reading it could show another
    file, or never end. `whole`: also if a file is too large to be read at once.
    """
    path = folder / name
    below = (Path(at, each) for at, *names in os.walk(path) for each in (*names[0], *names[1]))
    for each in (path, *below):
        try:
            found = each.lstat()
        except FileNotFoundError:
            continue
        if not S_ISDIR(found.st_mode) and not S_ISREG(found.st_mode):
            remedy = "put what it stands for there, or take it away"
            raise ValueError(f"{str(each)!r} is a link or a device; {remedy}")
        if whole and found.st_size > MOST:
            raise ValueError(f"{str(each)!r} has more than {MOST:,} bytes; it is none of ours")
    return path


def _locked(path: Path, kind: str) -> bool:
    """Return whether a folder has a mark and its lock, as only `tres` makes them."""
    return (path / mark(kind)).exists() and (path / f".{mark(kind)}.lock").exists()
