"""Change histories: the public PoliteCrawling set, read line by line, or drawn from a stated model.

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
    URL_ID, change rate, for the few pages whose sitemap listed all changes
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

from tres_webs.checks import count, generator, positive
from tres_webs.files import data_places

IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"
MIDDLE = 10**-0.5  # changes per day of a drawn page, about one in three days


@dataclass(frozen=True, eq=False)
class PageHistory:
    """A crawler's n visits to one page."""

    page: int  # URL_ID
    offset: float  # time of the first visit, in days since the collection began
    gaps: np.ndarray  # (n,) days since the visit before
    changed: np.ndarray  # (n,) bool: whether the page had changed since then


@dataclass(frozen=True, eq=False)
class Histories:
    """Histories of m pages with their importance, and change rates where they are known."""

    histories: list[PageHistory]
    importance: np.ndarray  # (m,)
    known_rates: np.ndarray  # (m,) changes per day by complete observation, NaN for most pages

    def flat(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return indicators, gaps and page numbers as `estimate_change_rates` takes them."""
        pages = np.repeat(np.arange(len(self.histories)), [len(h.gaps) for h in self.histories])
        changed = np.concatenate([np.zeros(0, bool), *(h.changed for h in self.histories)])
        return changed, np.concatenate([np.zeros(0), *(h.gaps for h in self.histories)]), pages


def polite_crawling_folder(path: str | os.PathLike | None = None) -> Path | None:
    """Return the folder, sought where all data are, if it has all three files, else None."""
    places, files = data_places("polite_crawling", path), (IMPORTANCE, HISTORY, COMPLETE)
    return next((p for p in places if all(_existing(p / name) for name in files)), None)


def load_histories(path: str | os.PathLike, limit: int | None = None) -> Histories:
    """Return the first `limit` histories (by default all) of the three files in a folder.

    Memory grows with `limit`. A malformed line is a ValueError that names file and line; so is a
    page that occurs twice in a file, or has a history but no importance.
    """
    folder = Path(path)
    limit = limit if limit is None else count("limit", limit)
    histories = list(islice(read_histories(folder / HISTORY), limit))
    rows = {h.page: row for row, h in enumerate(histories)}
    if len(rows) < len(histories):
        raise ValueError(f"{HISTORY}: a URL_ID occurs twice; give each page one line")
    importance, rates = (_column(folder / name, rows) for name in (IMPORTANCE, COMPLETE))
    if np.isnan(importance).any():
        page = histories[int(np.isnan(importance).argmax())].page
        raise ValueError(f"{IMPORTANCE}: no line for URL_ID {page}, which has a history")
    return Histories(histories, importance, rates)


def read_histories(path: str | os.PathLike) -> Iterator[PageHistory]:
    r"""Read ``urlid_offset_history.txt`` line by line, named without ``.gz``.

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


def _column(path: Path, rows: dict[int, int]) -> np.ndarray:
    """Return the numbers of a file by the rows of their pages, NaN where it has none."""
    column = np.full(len(rows), np.nan)
    for page, value in _lines(path, 2, lambda page, value: (int(page), _at_least_0(value))):
        row = rows.get(page)
        if row is None:
            continue
        if not np.isnan(column[row]):
            raise ValueError(f"{path.name}: URL_ID {page} occurs twice; give each page one line")
        column[row] = value
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

    The logarithm of a change rate is uniform over so many decades around 10^-0.5 per day. Request
    rates are Pareto, at least 1 per day: a share x^-tail is above x.
    """
    count("n", n)
    rng = generator("rng", rng)
    spread = positive("decades", decades) / 2
    change_rates = MIDDLE * 10 ** rng.uniform(-spread, spread, n)
    return change_rates, 1 + rng.pareto(positive("tail", tail), n)


def sample_histories(n: int, rng: np.random.Generator | int, days: int = 98) -> Histories:
    """Draw histories such as the PoliteCrawling set has, of n pages by `sample_pages`.

    A page has `days` visits, half a day to one and a half apart. Pages that never changed are left
    out; the true rates of all others are known.
    """
    rng = generator("rng", rng)
    rates, importance = sample_pages(n, rng)
    gaps = rng.uniform(0.5, 1.5, (n, count("days", days)))
    changed = rng.random(gaps.shape) < -np.expm1(-rates[:, None] * gaps)
    pages = np.flatnonzero(changed.any(axis=1))
    histories = [PageHistory(int(i), 0.0, gaps[i], changed[i]) for i in pages]
    return Histories(histories, importance[pages], rates[pages])
