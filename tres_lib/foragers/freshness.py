"""Freshness and age of what a fleet found, under the definitions that the paper's text admits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .law import DAY, HOUR
from .site import WINDOW

if TYPE_CHECKING:
    import pandas as pd

    from .newsweb import NewsWeb

SCOPES = {"window": WINDOW, "day": DAY, "all": np.inf}


def freshness_and_age(
    newsweb: NewsWeb,
    found_at: np.ndarray,
    scope: str = "window",
    since: str = "last",
    obsolete_only: bool = False,
) -> pd.DataFrame:
    """How up to date the found relevant documents are at the end of each 3-hour window.

    A document is current if it is what its URL shows. The text leaves open of which documents it
    speaks, from which change an obsolete one ages, and over which the mean age goes.

    Parameters
    ----------
    newsweb : NewsWeb
    found_at : (v,) float
        Seconds at which each version was found; inf for those that were not.
    scope : {"window", "day", "all"}
        Documents found in the window (as under Figure 3), in the last 24 hours, or so far.
    since : {"last", "first"}
        Age counts from the URL's last change on the web (the text), or from the first change after
        the document (Cho and Garcia-Molina, to whom it refers).
    obsolete_only : bool
        Mean age of obsolete documents, rather than of all with 0 for current ones.

    Returns
    -------
    DataFrame
        One row a window: ``hours`` (its end), ``documents``, ``freshness`` and ``age_hours``, which
        are NaN where there is no document.

    Raises
    ------
    ValueError
        If scope or since is unknown, or found_at does not fit the web.
    """
    import pandas as pd

    if scope not in SCOPES:
        raise ValueError(f"scope={scope!r}: use one of {', '.join(SCOPES)}")
    if since not in ("last", "first"):
        raise ValueError(f"since={since!r}: use 'last' or 'first'")
    if np.shape(found_at) != newsweb.url.shape:
        raise ValueError(
            f"found_at: shape {np.shape(found_at)}; give a time for each of the web's "
            f"{len(newsweb.url)} versions, inf for what was not found"
        )
    found = np.flatnonzero(np.isfinite(found_at))
    times, changes = found_at[found], _Changes(newsweb)
    rows = []
    for end in np.arange(WINDOW, newsweb.days * DAY + WINDOW - 1e-6, WINDOW):
        stored = found[(times < end) & (times >= end - SCOPES[scope])]
        replaced = changes.first_after(stored)
        obsolete = replaced <= end
        changed = replaced if since == "first" else changes.last_until(stored, end)
        age = np.where(obsolete, end - changed, 0.0)
        aged = age[obsolete] if obsolete_only else age
        rows.append((end / HOUR, len(stored), _mean(~obsolete), _mean(aged) / HOUR))
    return pd.DataFrame(rows, columns=["hours", "documents", "freshness", "age_hours"])


class _Changes:
    """When the URLs of versions change."""

    def __init__(self, newsweb: NewsWeb) -> None:
        self._order = np.lexsort((newsweb.born, newsweb.url))
        self._place = np.argsort(self._order)
        self._url, self._born = newsweb.url[self._order], newsweb.born[self._order]

    def first_after(self, versions: np.ndarray) -> np.ndarray:
        """Birth of the next version of the same URL; inf without one."""
        place = self._place[versions]
        after = np.minimum(place + 1, len(self._url) - 1)
        follows = (after > place) & (self._url[after] == self._url[place])
        return np.where(follows, self._born[after], np.inf)

    def last_until(self, versions: np.ndarray, end: float) -> np.ndarray:
        """Birth of the newest version of the same URL that is not younger than `end`."""
        place = self._place[versions]
        born = self._born[place]
        while True:
            after = np.minimum(place + 1, len(self._url) - 1)
            moves = (after > place) & (self._url[after] == self._url[place])
            moves &= self._born[after] <= end
            if not moves.any():
                return born
            place = np.where(moves, after, place)
            born = self._born[place]


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
