"""What a killed program goes on from: a journal, and objects that are stored by a hash."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import accumulate, takewhile
from pathlib import Path
from typing import IO, Any

from filelock import Timeout

from tres_webs.files import (
    MOST,
    StorageError,
    build_dir,
    file_lock,
    open_file,
    read_lines,
    remove,
)

LIBRARY = Path(__file__).resolve().parent


def stored_folder(kind: str, name: str, code: Iterable[Path], *facts: object) -> Path:
    """Return build folder KIND/NAME-HASH, by facts (JSON's types or sets) and files of code."""
    digest = hashlib.sha256(json.dumps(facts, default=sorted).encode())
    for path in code:
        for file in sorted(path.rglob("*.py")) or [path]:
            digest.update(file.read_bytes())
    return build_dir() / kind / f"{name}-{digest.hexdigest()[:16]}"


def load_or_make(folder: Path, load: Callable[[Path], Any], make: Callable[[], Any]) -> Any:
    """Load an object from its folder; the first time, one process makes it while others wait."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(folder):
            if not folder.exists():
                made = make()
                save_whole(made, folder)
                return made
    return load(folder)


def save_whole(made: Any, folder: Path) -> None:
    """Save an object in a draft of its folder, which then gets its name."""
    draft = folder.with_name(f"{folder.name}.part")
    remove(draft)  # of a process that was killed
    made.save(draft)
    draft.rename(folder)


class Journal:
    """A file of JSON objects, one per line: the arguments of a run, then what it has received.

    ValueError if an argument differs, or if it is no journal, a link, or open already, here or not.
    """

    def __init__(self, path: str | Path, arguments: Mapping[str, Any]):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = open_file(self.path, "a+b")
        self._lock = file_lock(self.path)
        try:
            self._lock.acquire(blocking=False)
            self._file.seek(0)
            self._open({"journal": 1, **arguments})
        except Timeout:
            self._file.close()
            problem = "is in use by another crawl: wait for its end or name another file"
            raise ValueError(f"checkpoint={str(self.path)!r} {problem}") from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> dict[str, Any] | None:
        """Return the next line; None at the end, where a torn line is cut off."""
        start = self._file.tell()
        line = self._file.readline(MOST)
        if len(line) == MOST:
            raise self.damaged(start)
        if not line.endswith(b"\n"):
            self._file.truncate(start)
            return None
        try:
            return dict(json.loads(line))
        except (ValueError, TypeError, RecursionError) as error:
            raise self.damaged(start) from error

    def append(self, data: Mapping[str, Any]) -> None:
        """Write a line at the end at once; StorageError if it cannot be written."""
        try:
            self._file.write(_line(data))
            self._file.flush()
        except OSError as error:
            raise StorageError(f"the journal could not be written: {error.strerror}") from error

    def tell(self) -> int:
        """Return the position in the file, in bytes."""
        return self._file.tell()

    def cut(self, position: int) -> None:
        """Cut off all that stands from a position on."""
        self._file.truncate(position)

    def close(self) -> None:
        """Close the file; errors are ignored: `append` has already reported a full disk."""
        with suppress(OSError):
            self._file.close()
        self._lock.release()

    def damaged(self, position: int, problem: str = "is damaged") -> ValueError:
        """Return the error of the line at a position."""
        ends = accumulate(map(len, read_lines(self.path)))
        line = sum(1 for _ in takewhile(lambda end: end <= position, ends)) + 1
        remedy = "cut this line off with all that follow, or name another file"
        return ValueError(f"checkpoint={str(self.path)!r}, line {line} {problem}: {remedy}")

    def _open(self, header: dict[str, Any]) -> None:
        line = self._file.readline(MOST)
        if not line.endswith(b"\n") and _line(header).startswith(line):
            self._file.truncate(0)  # new, or killed while the first line was written
            self.append(header)
            return
        try:
            before = dict(json.loads(line))
        except (ValueError, TypeError, RecursionError):
            before = {}
        if "journal" not in before:
            problem = "is no journal, or line 1 was changed: name another file"
            raise ValueError(f"checkpoint={str(self.path)!r} {problem}")
        different = [n for n in sorted(header.keys() & before.keys()) if before[n] != header[n]]
        if different:
            changes = "; ".join(f"{n} was {before[n]!r}, is {header[n]!r}" for n in different)
            raise ValueError(
                f"checkpoint={str(self.path)!r} is of a run with other arguments: {changes}; "
                "repeat that call or name another file"
            )


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"
