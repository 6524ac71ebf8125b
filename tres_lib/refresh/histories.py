"""Change histories: the public PoliteCrawling set, read line by line, or drawn from a stated law.

The set belongs to A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to date with online
content changes using reinforcement learning for scheduling, NeurIPS 2019, and is published with
the repository microsoft/Optimal-Freshness-Crawl-Scheduling. It has 14 weeks of about 18 million
URLs, without the pages that never changed in that time. Of its tab-separated files without a
header, plain or ``.gz``, three are read. URL_ID is an integer, and times are in days:

``urlid_imp.txt``
    URL_ID, importance (a number, at least 0)
``urlid_offset_history.txt``
    URL_ID, time of the first visit, and a list ``[[gap, bit], ...]``: the time since the
    visit before, and 1 if the page had changed since, else 0
``urlid_chrate_compl_obs_hist.txt``
    URL_ID, change rate, for the few pages whose sitemap told all changes
"""

import gzip
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import count, generator, positive

IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"
MIDDLE = 10**-0.5  # changes per day of a drawn page, about one in three days


@dataclass(frozen=True, eq=False)
class PageHistory:
    """A crawler's visits to one page.

    Attributes
    ----------
    page, offset : int, float
        URL_ID, and time of the first visit, in days since the collection began.
    gaps, changed : ndarray of float and bool, (n,)
        Days since the visit before, and whether the page had changed since then.
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
    histories : list of PageHistory, m
    importance, known_rates : ndarray, (m,)
        The latter are changes per day by complete observation, NaN for most pages.
    """

    histories: list[PageHistory]
    importance: np.ndarray
    known_rates: np.ndarray

    def flat(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return indicators, gaps and page numbers as `estimate_change_rates` takes them."""
        pages = np.repeat(np.arange(len(self.histories)), [len(h.gaps) for h in self.histories])
        changed = np.concatenate([np.zeros(0, bool), *(h.changed for h in self.histories)])
        return changed, np.concatenate([np.zeros(0), *(h.gaps for h in self.histories)]), pages


def polite_crawling_folder(path: str | os.PathLike | None = None) -> Path | None:
    """Return the folder of the PoliteCrawling files.

    Parameters
    ----------
    path : path, optional
        The folder; by default $TRES_DATA/polite_crawling, or else $TRES_DATA.

    Returns
    -------
    Path or None
        None unless all three files are there, plain or ``.gz``.
    """
    data = os.environ.get("TRES_DATA")
    places = [Path(path)] if path else [Path(data, "polite_crawling"), Path(data)] if data else []
    files = (IMPORTANCE, HISTORY, COMPLETE)
    return next((p for p in places if all(_existing(p / name) for name in files)), None)


def load_histories(path: str | os.PathLike, limit: int | None = None) -> Histories:
    """Return the first `limit` histories (by default all) of the three files in a folder.

    Memory grows with `limit`, not with the files.

    Parameters
    ----------
    path : path
        The folder.
    limit : int, optional

    Returns
    -------
    Histories

    Raises
    ------
    ValueError
        If a file is missing, a line is malformed (naming file and line), a page occurs twice in a
        file, or has a history but no importance.
    """
    folder = Path(path)
    limit = limit if limit is None else count("limit", limit)
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
    r"""Read the histories of ``urlid_offset_history.txt``, line by line.

    Parameters
    ----------
    path : path
        Of the file, without ``.gz``.

    Returns
    -------
    iterator of PageHistory

    Raises
    ------
    ValueError
        On iteration, if the file is missing or a line is malformed (naming file and line).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, HISTORY)
    ...     _ = file.write_text("7\t0.5\t[[1.0, 0], [2.0, 1]]\n")
    ...     page = next(read_histories(file))
    >>> page
    PageHistory(page=7, offset=0.5, gaps=array([1., 2.]), changed=array([False,  True]))
    """
    return _lines(Path(path), 3, _history)


def read_numbers(path: str | os.PathLike) -> Iterator[tuple[int, float]]:
    r"""Read pairs of URL_ID and number (importance or change rate, at least 0), line by line.

    Parameters
    ----------
    path : path
        As for `read_histories`, which raises the same errors.

    Yields
    ------
    (int, float)

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, IMPORTANCE)
    ...     _ = file.write_text("7\t0.25\n8\t3\n")
    ...     list(read_numbers(file))
    [(7, 0.25), (8, 3.0)]
    """
    return _lines(Path(path), 2, lambda page, value: (int(page), _at_least_0(value)))


def _column(path: Path, rows: dict[int, int]) -> np.ndarray:
    """Return the numbers of a file by the rows of their pages, NaN where it has none."""
    column = np.full(len(rows), np.nan)
    for page, value in read_numbers(path):
        if page not in rows:
            continue
        if not np.isnan(column[rows[page]]):
            raise ValueError(f"{path.name}: URL_ID {page} occurs twice; give each page one line")
        column[rows[page]] = value
    return column


def _lines(path: Path, width: int, parse: Callable[..., Any]) -> Iterator[Any]:
    file = _existing(path)
    if file is None:
        raise ValueError(f"path: there is no file {path}, nor {path.name}.gz")
    opener = gzip.open if file.suffix == ".gz" else open
    with opener(file, "rt", encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            fields = line.rstrip("\r\n").split("\t")
            try:
                if len(fields) != width:
                    raise ValueError(f"{len(fields)} columns instead of {width}")
                yield parse(*fields)
            except (ValueError, TypeError, OverflowError) as error:
                raise ValueError(f"{file.name}, line {number}: {error}") from error


def _existing(path: Path) -> Path | None:
    files = (path, path.with_name(path.name + ".gz"))
    return next((file for file in files if file.is_file()), None)


def _history(page: str, offset: str, pairs: str) -> PageHistory:
    table = np.array(json.loads(pairs), float)
    if table.shape == (0,):
        table = np.zeros((0, 2))
    if table.ndim != 2 or table.shape[1] != 2:
        raise ValueError("the history is no list of pairs [gap, bit]")
    gaps, bits = table.T
    if not (np.isfinite(gaps) & (gaps >= 0) & np.isin(bits, (0, 1))).all():
        raise ValueError("give gaps as finite numbers of days, at least 0, and bits 0 or 1")
    return PageHistory(int(page), _at_least_0(offset), gaps, bits == 1)


def _at_least_0(text: str) -> float:
    value = float(text)
    if not 0 <= value < np.inf:
        raise ValueError(f"{text!r} is not a finite number, at least 0")
    return value


def sample_pages(
    n: int, rng: np.random.Generator | int, *, decades: float = 3.0, tail: float = 2.0
) -> tuple[np.ndarray, np.ndarray]:
    """Draw change and request rates per day of n pages, two independent (n,) arrays.

    Parameters
    ----------
    n : int
    rng : numpy.random.Generator or int
    decades : float
        The logarithm of a change rate is uniform over so many powers of ten around
        10^-0.5 per day; three are from one change in a hundred days to ten per day.
    tail : float
        Request rates are Pareto, at least 1 per day: a share x^-tail is above x. ValueError
        unless `n` is a count, and `decades` and `tail` are above 0.
    """
    count("n", n)
    rng = generator("rng", rng)
    spread = positive("decades", decades) / 2
    change_rates = MIDDLE * 10 ** rng.uniform(-spread, spread, n)
    return change_rates, 1 + rng.pareto(positive("tail", tail), n)


def sample_histories(n: int, rng: np.random.Generator | int, days: int = 98) -> Histories:
    """Draw histories such as the PoliteCrawling set has, of n pages by `sample_pages`.

    Visits are half a day to one and a half apart. Pages that never changed are left out; the true
    rates of all others are known.

    Parameters
    ----------
    n, rng
        As for `sample_pages`, with the same errors.
    days : int
        Visits to each page, about one a day; ValueError below 1.
    """
    rng = generator("rng", rng)
    rates, importance = sample_pages(n, rng)
    gaps = rng.uniform(0.5, 1.5, (n, count("days", days)))
    changed = rng.random(gaps.shape) < -np.expm1(-rates[:, None] * gaps)
    kept = np.flatnonzero(changed.any(axis=1))
    histories = [PageHistory(int(i), 0.0, gaps[i], changed[i]) for i in kept]
    return Histories(histories, importance[kept], rates[kept])
