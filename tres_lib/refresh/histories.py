"""Real change histories: the public PoliteCrawling set, read line by line.

The set belongs to A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to date with online
content changes using reinforcement learning for scheduling, NeurIPS 2019, and is published with
the repository microsoft/Optimal-Freshness-Crawl-Scheduling. It has 14 weeks of about 18 million
URLs. Pages that never changed in that time were left out of it. Of its tab-separated files
without a header this module reads three; URL_ID is an integer and times are in days:

``urlid_imp.txt``
    URL_ID, importance (a number, at least 0)
``urlid_offset_history.txt``
    URL_ID, time of the first visit, and a list ``[[gap, bit], ...]``: the time since the
    visit before, and 1 if the page had changed since, else 0
``urlid_chrate_compl_obs_hist.txt``
    URL_ID, change rate, for the few pages whose sitemap told all changes

Empty lines are passed over. Names that end in ``.gz`` are read as well, compressed.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"
FILES = (IMPORTANCE, HISTORY, COMPLETE)
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class PageHistory:
    """What a crawler saw of one page.

    Attributes
    ----------
    page : URL_ID
    offset : time of the first visit, in days since the collection began
    gaps : (n,) days since the visit before
    changed : (n,) bool, whether the page had changed since then
    """

    page: int
    offset: float
    gaps: np.ndarray
    changed: np.ndarray


@dataclass(frozen=True, eq=False)
class Histories:
    """Histories with their pages' importance, and change rates where they are known.

    Attributes
    ----------
    histories : list of PageHistory
    importance : (m,)
    known_rates : (m,) changes a day by complete observation, nan for most pages
    """

    histories: list[PageHistory]
    importance: np.ndarray
    known_rates: np.ndarray

    def flat(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bits, gaps and page numbers (0 to m - 1) as `estimate_change_rates` takes them."""
        sizes = [len(h.gaps) for h in self.histories]
        pages = np.repeat(np.arange(len(sizes)), sizes)
        changed, gaps = ([getattr(h, name) for h in self.histories] for name in ("changed", "gaps"))
        empty = [np.zeros(0)]
        return np.concatenate(changed + empty).astype(bool), np.concatenate(gaps + empty), pages


def polite_crawling_folder(path: str | os.PathLike | None = None) -> Path | None:
    """The folder with the three files, or None if there is none.

    Looked for in `path` if given, else in the folder that TRES_DATA names and in its sub-folder
    ``polite_crawling``.
    """
    data = os.environ.get("TRES_DATA")
    places = [Path(path)] if path else [Path(data, "polite_crawling"), Path(data)] if data else []
    return next((p for p in places if all(map(_found, (p / n for n in FILES)))), None)


def load_histories(path: str | os.PathLike, limit: int | None = None) -> Histories:
    """Read the first pages of the three files in a folder.

    Memory grows with `limit`, not with the files: importance and known rates are kept only
    of pages whose history was read.

    Parameters
    ----------
    path : folder
    limit : int, optional
        How many histories; default all.

    Raises
    ------
    ValueError
        If a file is missing, a line is not as described above (naming file and line), a page
        occurs twice in a file, or has a history but no importance.
    """
    folder = Path(path)
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: give a number of pages, at least 1, or None")
    histories = list(islice(read_histories(folder / HISTORY), limit))
    rows = {h.page: row for row, h in enumerate(histories)}
    if len(rows) < len(histories):
        raise ValueError(f"{HISTORY}: a URL_ID occurs twice; give each page one line")
    importance, known = (_column(folder / name, rows) for name in (IMPORTANCE, COMPLETE))
    if np.isnan(importance).any():
        page = histories[int(np.isnan(importance).argmax())].page
        raise ValueError(f"{IMPORTANCE}: no line for URL_ID {page}, which has a history")
    return Histories(histories, importance, known)


def read_histories(path: str | os.PathLike) -> Iterator[PageHistory]:
    """Histories of ``urlid_offset_history.txt``, one at a time.

    Raises
    ------
    ValueError
        Naming the file and the line.
    """
    return _lines(Path(path), 3, _history)


def read_numbers(path: str | os.PathLike) -> Iterator[tuple[int, float]]:
    """Pairs of URL_ID and importance or change rate, one at a time, from the other two files.

    Raises
    ------
    ValueError
        Naming the file and the line.
    """
    return _lines(Path(path), 2, lambda page, value: (int(page), _at_least_0(value)))


def _column(path: Path, rows: dict[int, int]) -> np.ndarray:
    """Numbers of a file by the rows of their pages, nan where it has none."""
    column = np.full(len(rows), np.nan)
    for page, value in read_numbers(path):
        row = rows.get(page)
        if row is None:
            continue
        if not np.isnan(column[row]):
            raise ValueError(f"{path.name}: URL_ID {page} occurs twice; give each page one line")
        column[row] = value
    return column


def _lines(path: Path, width: int, parse: Callable[..., Value]) -> Iterator[Value]:
    if not _found(path):
        raise ValueError(f"path: there is no file {path}, nor {path.name}.gz")
    zipped = path if path.exists() else path.with_name(path.name + ".gz")
    opener = gzip.open if zipped.suffix == ".gz" else open
    with opener(zipped, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            fields = line.rstrip("\r\n").split("\t")
            try:
                if len(fields) != width:
                    raise ValueError(f"{len(fields)} columns instead of {width}")
                yield parse(*fields)
            except (ValueError, TypeError) as error:
                raise ValueError(f"{zipped.name}, line {number}: {error}") from error


def _found(path: Path) -> bool:
    return path.is_file() or path.with_name(path.name + ".gz").is_file()


def _history(page: str, offset: str, pairs: str) -> PageHistory:
    table = np.array(json.loads(pairs), float)
    if table.size == 0:
        table = table.reshape(0, 2)
    if table.ndim != 2 or table.shape[1] != 2:
        raise ValueError("the history is no list of pairs [gap, bit]")
    gaps, bits = table.T
    if not (np.isfinite(gaps) & (gaps >= 0)).all():
        raise ValueError("a gap is not a finite number of days, at least 0")
    if not np.isin(bits, (0, 1)).all():
        raise ValueError("a bit is neither 0 nor 1")
    return PageHistory(int(page), _at_least_0(offset), gaps, bits == 1)


def _at_least_0(text: str) -> float:
    value = float(text)
    if not 0 <= value < np.inf:
        raise ValueError(f"{text!r} is not a finite number, at least 0")
    return value
