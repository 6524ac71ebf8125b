"""The result of a crawl of a database."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {"query": int, "term": str, "total": float, "returned": int, "new": int, "df": int}
COLUMNS |= {"pages": int, "acquired": int, "cost": float, "once": int, "twice": int}
COLUMNS |= {"estimate": float, "expected_size": float, "expected_new": float}


@dataclass(frozen=True)
class SurfacingResult:
    """The result of a crawl of a database.

    Attributes
    ----------
    log : DataFrame
        One row a query: ``query`` (1, 2, ...), ``term``, ``total`` (matches, as the site states),
        ``returned`` (records), ``new``, ``df`` (acquired records with the word, at its issue),
        ``pages``, ``acquired`` (records so far), ``cost`` (so far), ``once`` and ``twice`` (records
        that were in one response, and in two), ``estimate`` (Chao1, of the database's size),
        ``expected_size`` and ``expected_new`` (by the policy; nan where it has none).
    ids : tuple of hashable
        The acquired records, in their order.
    stopped : {"cost", "candidates", "estimate"}
        Why the crawl ended: the cost limit, no candidate left, or enough of the estimated size.
    size : int or None
        Number of records of the site; None if it does not tell.
    """

    log: pd.DataFrame
    ids: tuple[Hashable, ...]
    stopped: str
    size: int | None

    def coverage(self, queries: ArrayLike) -> np.ndarray | float:
        """Return the share of the site's records that were acquired.

        Parameters
        ----------
        queries : array_like of int, shape (...)
            After so many queries, or at the end if there were fewer.

        Raises
        ------
        ValueError
            If a number is negative, or the site does not tell its size.
        """
        if self.size is None:
            raise ValueError("size=None: the site does not tell it; see the log's estimate")
        number = np.asarray(queries)
        if not (number >= 0).all():
            raise ValueError(f"queries={queries!r}: give numbers of queries, from 0 on")
        acquired = np.concatenate([[0], self.log["acquired"].to_numpy()])
        share = acquired[np.minimum(number.astype(int), len(self.log))] / self.size
        return share if number.ndim else float(share)


def make_log(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the log of these rows, with the columns of `SurfacingResult.log`."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)
