"""Change histories: the public PoliteCrawling set, or drawn from a stated model."""

import json
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from tres_lib.refresh import sample_pages
from tres_webs.checks import count, generator
from tres_webs.files import data_places

# Tab-separated, without a header, of one URL_ID a line, an integer, and: its importance; the time
# of the first visit and a list [[days since the visit before, 1 if changed since], ...]; the change
# rate a day, for the few pages whose sitemap listed all changes.
IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"


@dataclass(frozen=True, eq=False)
class PageHistory:
    """A crawler's n visits to one page."""

    page: int  # URL_ID
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
    folders, files = data_places("polite_crawling", path), (IMPORTANCE, HISTORY, COMPLETE)
    return next((f for f in folders if all((f / name).is_file() for name in files)), None)


def load_histories(path: str | os.PathLike, limit: int | None = None) -> Histories:
    """Return the first `limit` histories (by default all) of PoliteCrawling's folder.

    It has 14 weeks of about 18 million URLs, without the pages that never changed in that time.

    References
    ----------
    A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to date with online content changes
    using reinforcement learning for scheduling, NeurIPS 2019; the repository
    microsoft/Optimal-Freshness-Crawl-Scheduling has the set.
    """
    folder = polite_crawling_folder(path)
    if folder is None:
        raise ValueError(f"path={str(path)!r}: give a folder with {IMPORTANCE} and its like")
    with open(folder / HISTORY, encoding="utf-8") as lines:
        histories = [_history(line) for line in islice(lines, limit)]
    pages = [history.page for history in histories]
    importance, rates = (_column(folder / name, pages) for name in (IMPORTANCE, COMPLETE))
    return Histories(histories, importance, rates)


def _history(line: str) -> PageHistory:
    page, _, pairs = line.split("\t")
    gaps, bits = np.array(json.loads(pairs), float).reshape(-1, 2).T
    return PageHistory(int(page), gaps, bits == 1)


def _column(path: Path, pages: list[int]) -> np.ndarray:
    """Return the numbers of a file for these pages, NaN where it has none."""
    import pandas as pd

    return pd.read_csv(path, sep="\t", header=None, index_col=0)[1].reindex(pages).to_numpy(float)


def sample_histories(n: int, rng: np.random.Generator | int, days: int = 98) -> Histories:
    """Draw histories such as the PoliteCrawling set has, of n pages by `sample_pages`.

    A page has `days` visits about a day apart; of those that changed the true rates are known.
    """
    rng = generator("rng", rng)
    rates, importance = sample_pages(n, rng)
    gaps = rng.uniform(0.5, 1.5, (n, count("days", days)))
    changed = rng.random(gaps.shape) < -np.expm1(-rates[:, None] * gaps)
    pages = np.flatnonzero(changed.any(axis=1))
    histories = [PageHistory(int(i), gaps[i], changed[i]) for i in pages]
    return Histories(histories, importance[pages], rates[pages])
