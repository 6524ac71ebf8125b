"""A person's answers about pages, each written to a file at once."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tres_lib.store import StorageError

LONGEST_TEXT = 50_000  # characters of a page that are stored
FORMAT = '{"url": "http://...", "text": "of the page", "relevant": true, "time": ""}'
START = b'{"url": "'  # of a line that `Labels.add` writes

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Label:
    """One answer: None for a skipped page; the time as ISO 8601 in UTC.

    `text` is that by which the page is classified.
    """

    url: str
    text: str
    relevant: bool | None
    time: str


class Labels:
    """Answers by URL, in a file of JSON lines that only grows; the last one on a URL counts.

    Each answer is written before the next question, so a killed program loses none. A torn or
    damaged line is skipped, with a warning. A line is
    ``{"url": "http://...", "text": "of the page", "relevant": true, "time": ""}``, where `relevant`
    is true, false, or null for a skipped page.

    Parameters
    ----------
    path : str or Path, optional
        Made, with its folder, at the first answer. Without it answers stay in memory.

    Raises
    ------
    ValueError
        If `path` is no path, or the file has lines but no answer.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "labels.jsonl")
    >>> Labels(path).add("http://a.example/", "A band plays jazz.", True)
    >>> [(label.url, label.relevant) for label in Labels(path)]
    [('http://a.example/', True)]
    """

    def __init__(self, path: str | Path | None = None):
        if not isinstance(path, str | os.PathLike | None):
            raise ValueError(f"path={path!r}: give the path of a file of labels")
        self.path = None if path is None else Path(path)
        self._by_url: dict[str, Label] = {}
        if self.path is not None and self.path.is_file():
            self._read_all(self.path.read_bytes())

    def __len__(self) -> int:
        """Return the number of pages with an answer, skipped ones included."""
        return len(self._by_url)

    def __iter__(self) -> Iterator[Label]:
        """Yield the answers, one a URL, in the order of the first answers."""
        return iter(list(self._by_url.values()))

    def __contains__(self, url: object) -> bool:
        """Return whether this URL has an answer, so that nobody is asked twice."""
        return url in self._by_url

    def __repr__(self) -> str:
        return f"Labels({str(self.path or 'in memory')!r}: {len(self)} answers)"

    def answers(self) -> list[Label]:
        """Return the answers that are yes or no."""
        return [label for label in self if label.relevant is not None]

    def add(self, url: str, text: str, relevant: bool | None) -> None:
        """Store an answer about a page, given the text by which it is classified.

        Raises
        ------
        ValueError
            If `relevant` is not True, False, or None for a skipped page.
        StorageError
            If the file cannot be written.
        """
        if relevant is not None and not isinstance(relevant, (bool, np.bool_)):
            raise ValueError(f"relevant={relevant!r}: give True, False, or None to skip the page")
        answer = None if relevant is None else bool(relevant)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        label = Label(url, text[:LONGEST_TEXT], answer, time)
        if self.path is not None:
            _append(self.path, json.dumps(asdict(label)))
        self._by_url[url] = label

    def _read_all(self, content: bytes) -> None:
        lines = content.splitlines()
        wrong = [i for i, line in enumerate(lines, 1) if line.strip() and not self._read(line)]
        if not wrong:
            return
        torn = content.startswith(START[: len(content)]) and b"\n" not in content
        problem = f"{self.path}: line {wrong[0]} is no answer"
        if not self._by_url and not torn:
            raise ValueError(f"labels: {problem}, nor is another; each is a line such as {FORMAT}")
        more = f", nor are {len(wrong) - 1} more" if len(wrong) > 1 else ""
        logger.warning("%s%s; skipped", problem, more)

    def _read(self, line: bytes) -> bool:
        """Take the answer of a line, and return whether it is one."""
        try:
            label = Label(**dict(json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            return False
        texts = isinstance(label.url, str) and isinstance(label.text, str)
        if not texts or not isinstance(label.relevant, bool | None):
            return False
        self._by_url[label.url] = label
        return True


def as_labels(labels: Labels | str | Path) -> Labels:
    """Return labels as they are, or those of a path, which need not exist; else ValueError."""
    if not isinstance(labels, Labels | str | os.PathLike):
        raise ValueError(f"labels={labels!r}: give Labels, or the path of their file")
    return labels if isinstance(labels, Labels) else Labels(labels)


def _append(path: Path, line: str) -> None:
    """Write a line at the end of a file, apart from a last line that is torn."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a+b") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 1))
            torn = b"" if file.read(1) in (b"", b"\n") else b"\n"
            file.write(torn + line.encode("ascii") + b"\n")
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror}") from error
