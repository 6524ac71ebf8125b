"""What a person said of pages while looking at them, kept in a file at once."""

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

LONGEST_TEXT = 50_000  # characters of a page that are kept
FORMAT = '{"url": "http://...", "text": "of the page", "relevant": true, "time": ""}'
START = b'{"url": "'  # of a line that `Labels.add` writes

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Label:
    """One answer.

    Attributes
    ----------
    url, text : str
        The page, and the text by which it is classified.
    relevant : bool or None
        None if the person skipped it.
    time : str
        When, as ISO 8601 in UTC.
    """

    url: str
    text: str
    relevant: bool | None
    time: str


class Labels:
    """Answers in a file of JSON lines, one answer a line, that only grows.

    Each answer is written before the next question, so a killed program loses none; a line that
    is torn or damaged is passed over, with a warning. The last answer on a URL counts. A line is
    ``{"url": "http://...", "text": "of the page", "relevant": true, "time": ""}``, where `relevant`
    is true, false, or null for a skipped page.

    Parameters
    ----------
    path : str or Path
        Made, with its folder, at the first answer.

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

    def __init__(self, path: str | Path):
        if not isinstance(path, str | os.PathLike):
            raise ValueError(f"path={path!r}: give the path of a file of labels")
        self.path = Path(path)
        self._by_url: dict[str, Label] = {}
        if self.path.is_file():
            self._read_all(self.path.read_bytes())

    def __len__(self) -> int:
        """Return the number of pages with an answer, those skipped included."""
        return len(self._by_url)

    def __iter__(self) -> Iterator[Label]:
        """Yield the answers, one a URL, in the order in which the URLs came up."""
        return iter(list(self._by_url.values()))

    def __contains__(self, url: object) -> bool:
        """Return whether this URL has an answer, so that nobody is asked twice."""
        return url in self._by_url

    def __repr__(self) -> str:
        return f"Labels({str(self.path)!r}: {len(self)} answers)"

    def add(self, url: str, text: str, relevant: bool | None) -> None:
        """Keep an answer.

        Parameters
        ----------
        url, text : str
            The page, and its text as a classifier reads it.
        relevant : bool or None
            None for a skipped page.

        Raises
        ------
        ValueError
            If `relevant` is anything else.
        StorageError
            If the file cannot be written.
        """
        if relevant is not None and not isinstance(relevant, (bool, np.bool_)):
            raise ValueError(f"relevant={relevant!r}: give True, False, or None to skip the page")
        answer = None if relevant is None else bool(relevant)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        label = Label(url, text[:LONGEST_TEXT], answer, time)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a+b") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - 1))
                torn = b"" if file.read(1) in (b"", b"\n") else b"\n"
                file.write(torn + json.dumps(asdict(label)).encode("ascii") + b"\n")
        except OSError as error:
            raise StorageError(f"{self.path} could not be written: {error.strerror}") from error
        self._by_url[url] = label

    def _read_all(self, content: bytes) -> None:
        lines = content.splitlines()
        wrong = [i for i, line in enumerate(lines, 1) if line.strip() and not self._read(line)]
        if not wrong:
            return
        torn = content.startswith(START[: len(content)]) and b"\n" not in content
        told = f"{self.path}: line {wrong[0]} is no answer"
        if not self._by_url and not torn:
            raise ValueError(f"labels: {told}, nor is another; each is a line such as {FORMAT}")
        more = f", nor are {len(wrong) - 1} more" if len(wrong) > 1 else ""
        logger.warning("%s%s; passed over", told, more)

    def _read(self, line: bytes) -> bool:
        """Keep the answer of a line, and return whether it is one."""
        try:
            label = Label(**dict(json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            return False
        texts = isinstance(label.url, str) and isinstance(label.text, str)
        if not texts or not (label.relevant is None or isinstance(label.relevant, bool)):
            return False
        self._by_url[label.url] = label
        return True


def answers(labels: Labels | str | Path | None) -> list[Label]:
    """Return the answers that are not skipped, of labels or of the file that holds them.

    ValueError if they are neither, or there is no such file.
    """
    if labels is None:
        return []
    kept = as_labels(labels)
    if kept is not labels and not kept.path.is_file():
        raise ValueError(f"labels={str(labels)!r}: there is no such file")
    return [label for label in kept if label.relevant is not None]


def as_labels(labels: Labels | str | Path) -> Labels:
    """Return labels as they are, or those of a path, which need not exist; else ValueError."""
    if not isinstance(labels, Labels | str | os.PathLike):
        raise ValueError(f"labels={labels!r}: give Labels, or the path of their file")
    return labels if isinstance(labels, Labels) else Labels(labels)
