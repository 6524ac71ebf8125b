"""What a folder is: new, empty, or marked as of its kind; and that all of it lies inside it."""

import os
import re
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from filelock import FileLock

from tres_webs.files import MOST, file_lock, write_whole

MARKS = {"crawl": "crawl.json", "watch": "watch.json", "export": ".tres-export"}
# What a kill leaves while a folder is marked.
BEGUN = re.compile(r"\.tres\.lock|\.(crawl\.json|watch\.json|\.tres-export)\.\d+-[0-9a-f]+\.part")


def open_folder(path: Path, kind: str, name: str = "folder") -> Path:
    """Return a folder that is new, empty or marked as of this kind; it is made if need be.

    ValueError, by the name of the argument, of any other: what is in it is somebody's.
    """
    given = f"{name}={str(path)!r}"
    remedy = f"name a new or an empty folder, --{name} {path}-2"
    if kind != "export":
        for above in path.resolve().parents:
            if others := [other for other in MARKS if _is_of(above, other)]:
                raise ValueError(f"{given} lies in {str(above)!r}, a {others[0]}'s; {remedy}")
    try:
        path.mkdir(parents=True, exist_ok=True)
        there = sorted(each.name for each in path.iterdir() if not BEGUN.fullmatch(each.name))
    except OSError as error:
        problem = f"no folder can be there ({error.strerror}); name another --{name}"
        raise ValueError(f"{given}: {problem}") from None
    if there and not _is_of(path, kind):
        such = next((mark for mark in MARKS.values() if mark in there), there[0])
        raise ValueError(f"{given} holds other files, such as {such!r}; {remedy}")
    return path


def export_folder(path: Path, home: Path) -> None:
    """Make a folder for exports, and mark it, unless it is that of the crawl or watch itself."""
    if path.resolve() != home.resolve():
        write_whole(open_folder(path, "export", "to") / MARKS["export"], "")


def folder_lock(path: Path) -> FileLock:
    """Return the lock of a crawl's or watch's folder."""
    return file_lock(path / "tres")


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


def _is_of(path: Path, kind: str) -> bool:
    """Return whether a folder has the mark of a kind; a copied crawl.json alone is none."""
    marked = (path / MARKS[kind]).exists()
    return marked and (kind == "export" or Path(folder_lock(path).lock_file).exists())
