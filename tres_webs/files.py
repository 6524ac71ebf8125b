"""Where files lie, and files that are whole or absent."""

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

WEBS = Path(__file__).resolve().parent
DRAFT = re.compile(r"\.(\d{1,9})-[0-9a-f]{8}\.part$")  # with its process
MOST = 2**28  # bytes of a line, or of a file that is read at once


class StorageError(OSError):
    """What must be stored could not be written, as on a full disk; a crawl stops then."""


def repository() -> Path | None:
    """Return the folder of the checkout that the packages are used from, None of a wheel."""
    folder = WEBS.parent
    return folder if (folder / "pyproject.toml").exists() else None


# Folders that come with the packages: the repository's, or in a wheel a copy.
_SHIPPED = WEBS if (WEBS / "data").is_dir() else WEBS.parent
DATA, RESULTS = _SHIPPED / "data", _SHIPPED / "results"


def root() -> Path:
    """Return the repository's folder, or the working folder if there is no repository."""
    return repository() or Path.cwd()


def build_dir() -> Path:
    """Return the folder of what runs store: $TRES_BUILD, else build/ or the user's cache folder."""
    named = os.environ.get("TRES_BUILD")
    checkout = repository()
    if named or checkout:
        return Path(named or f"{checkout}/build")
    import pooch

    return Path(pooch.os_cache("tres")) / "build"


def data_places(name: str, folder: str | os.PathLike | None = None) -> list[Path]:
    """Return folders that may hold data: the one given, or TRES_DATA's, or the user's cache."""
    import pooch

    data = os.environ.get("TRES_DATA")
    named = [Path(data, name), Path(data)] if data else []
    return [Path(folder)] if folder else [*named, Path(pooch.os_cache("tres"))]


def file_lock(path: Path) -> FileLock:
    """Return the lock of a file or folder, a hidden file beside it; it ends with the process."""
    real = path.resolve()
    lock = real.with_name(f".{real.name}.lock")
    if lock.is_symlink():  # an older filelock would empty the file that it leads to
        raise ValueError(f"{str(lock)!r} is a link; take it away")
    return FileLock(lock, thread_local=False)


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


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a draft's path; rename the draft to `path` at the end, or remove it after an error.

    Drafts of processes that were killed are removed.
    """
    for old in path.parent.glob(f".{escape(path.name)}.*.part"):
        if (of := DRAFT.search(old.name)) and not _lives(int(of[1])):
            old.unlink(missing_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    draft.touch(exist_ok=False)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, which is whole or as it was."""
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def folder_name(topic: str) -> str:
    """Return a topic's name as that of a folder, such as "early-jazz", of at most 60 bytes."""
    name = "-".join(re.findall(r"[^\W_]+", topic.lower()))
    return name.encode()[:60].decode(errors="ignore") or "topic"


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
