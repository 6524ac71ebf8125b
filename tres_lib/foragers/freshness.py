"""Freshness and age of the pages found, under the definitions that the paper's text admits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import one_of
from .parameters import DAY, HOUR, WINDOW

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
    """Return freshness and age of the found documents at the end of each window of 3 hours.

    A document is current while its URL shows it. The text leaves open which documents count, from
    which change an obsolete one ages, and over which documents the mean age goes.

    Parameters
    ----------
    newsweb : NewsWeb
    found_at : (v,) array
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
        One row per window: ``hours`` (its end), ``documents``, ``freshness`` and ``age_hours``,
        which are NaN where there is no document.

    Raises
    ------
    ValueError
        If scope or since is unknown, or found_at does not fit the web.
    """
    import pandas as pd

    one_of("scope", scope, [*SCOPES])
    one_of("since", since, ["last", "first"])
    if np.shape(found_at) != newsweb.url.shape:
        raise ValueError(
            f"found_at: shape {np.shape(found_at)}; give a time for each of the web's "
            f"{len(newsweb.url)} versions, inf for what was not found"
        )
    url = newsweb.url
    born = newsweb.born
    found = np.flatnonzero(np.isfinite(found_at))
    times = found_at[found]
    replacement = _replacements(newsweb)
    current = np.zeros(len(newsweb), np.int64)  # the version that each URL shows
    rows = []
    for end in np.arange(WINDOW, newsweb.days * DAY + WINDOW - 1e-6, WINDOW):
        known = np.searchsorted(born, end, side="right")
        current[url[:known]] = np.arange(known)  # of a URL's versions the last stays
        stored = found[(times < end) & (times >= end - SCOPES[scope])]
        obsolete = replacement[stored] <= end
        changed = replacement[stored] if since == "first" else born[current[url[stored]]]
        age = np.where(obsolete, end - changed, 0.0)
        aged = age[obsolete] if obsolete_only else age
        rows.append((end / HOUR, len(stored), _mean(~obsolete), _mean(aged) / HOUR))
    return pd.DataFrame(rows, columns=["hours", "documents", "freshness", "age_hours"])


def _replacements(newsweb: NewsWeb) -> np.ndarray:
    """Return the birth of the next version of each version's URL, (v,) seconds; inf without one."""
    order = np.argsort(newsweb.url, kind="stable")
    same = np.diff(newsweb.url[order]) == 0
    births = np.full(len(order), np.inf)
    births[order[:-1][same]] = newsweb.born[order[1:][same]]
    return births


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
