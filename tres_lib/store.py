"""Objects that are stored by the hash of what makes them."""

import errno
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from tres_webs.files import build_dir, file_lock

LIBRARY = Path(__file__).resolve().parent
DRAFT = re.compile(r"\.(\d{1,9})-[0-9a-f]{8}\.part$")  # with its process
MOST = 2**28  # bytes of a line, or of a file that is read at once


class _Storable(Protocol):
    def save(self, directory: str | Path) -> None: ...


Stored = TypeVar("Stored", bound=_Storable)


def open_file(path: str | Path, mode: str = "rb", **how: Any) -> IO[Any]:
    """Open a file; ValueError if it is a link, a folder, or what may never end, as a FIFO."""
    return open(path, mode, opener=_regular, **how)


def read_file(path: str | Path) -> bytes:
    """Return what a file holds; ValueError as of `open_file`, or if it has more than `MOST`."""
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size > MOST:
            raise ValueError(f"{str(path)!r} has more than {MOST:,} bytes")
        return file.read(MOST)


def read_lines(path: str | Path) -> Iterator[bytes]:
    """Yield a file's lines; ValueError as of `open_file`, or if one has more than `MOST` bytes."""
    with open_file(path) as file:
        while line := file.readline(MOST):
            if len(line) == MOST:
                raise ValueError(f"{str(path)!r} has a line of more than {MOST:,} bytes")
            yield line


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, or a link alone, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def stored_folder(kind: str, name: str, code: Iterable[Path], *facts: object) -> Path:
    """Return build folder KIND/NAME-HASH, by facts (JSON's types or sets) and files of code."""
    digest = hashlib.sha256(json.dumps(facts, default=sorted).encode())
    for path in code:
        for file in sorted(path.rglob("*.py")) or [path]:
            digest.update(file.read_bytes())
    return build_dir() / kind / f"{name}-{digest.hexdigest()[:16]}"


def load_or_make(
    folder: Path, load: Callable[[Path], Stored], make: Callable[[], Stored]
) -> Stored:
    """Load an object from its folder; the first time, one process makes it while others wait."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(folder):
            if not folder.exists():
                made = make()
                save_whole(made, folder)
                return made
    return load(folder)


def save_whole(made: _Storable, folder: Path) -> None:
    """Save an object in a draft of its folder, which then gets its name."""
    draft = folder.with_name(f"{folder.name}.part")
    remove(draft)  # of a process that was killed
    made.save(draft)
    draft.rename(folder)


def _regular(path: str, flags: int) -> int:
    # Without O_NONBLOCK the call itself would wait for the other end of a FIFO.
    what = f"{path!r} is a link, a folder or a device; put the file itself there"
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link; a FIFO that nobody reads
            raise ValueError(what) from None
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise ValueError(what)
    return file


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        pass
    return True
