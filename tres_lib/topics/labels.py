"""What a person said of pages while looking at them, kept in a file at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ..store import StorageError

LONGEST_TEXT = 50_000  # characters of a page that are kept


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
    is torn or damaged is passed over. The last answer on a URL counts.

    Parameters
    ----------
    path : str or Path
        Made, with its folder, at the first answer.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "labels.jsonl")
    >>> Labels(path).add("http://a.example/", "A band plays jazz.", True)
    >>> [(label.url, label.relevant) for label in Labels(path)]
    [('http://a.example/', True)]
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._by_url: dict[str, Label] = {}
        if self.path.is_file():
            for line in self.path.read_bytes().splitlines():
                self._read(line)

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

    def _read(self, line: bytes) -> None:
        try:
            label = Label(**dict(json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            return
        texts = isinstance(label.url, str) and isinstance(label.text, str)
        if texts and (label.relevant is None or isinstance(label.relevant, bool)):
            self._by_url[label.url] = label


def answers(labels: Labels | str | Path | None) -> list[Label]:
    """Return the answers that are not skipped, of labels or of the file that holds them."""
    if labels is None:
        return []
    kept = labels if isinstance(labels, Labels) else Labels(labels)
    return [label for label in kept if label.relevant is not None]
