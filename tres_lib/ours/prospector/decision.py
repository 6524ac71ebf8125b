"""Why a URL was chosen: the evidence of that moment, in words and by its weight."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from . import evidence as of
from .model import FEATURES


class Decision(NamedTuple):
    """A URL's evidence when it was chosen, and what each part of it added to f(u)."""

    url: np.ndarray  # its row of `Tables.url`
    site: np.ndarray  # its site's row of `Tables.site`
    words: np.ndarray  # numbers of its words
    of_features: np.ndarray  # effects: weight times distance from the usual value
    of_words: np.ndarray  # effects


def reasons(decision: Decision, words: list[str]) -> pd.DataFrame:
    """Return the reasons for a choice, the weightiest first: ``feature``, ``evidence``, ``effect``.

    The effect is on the log-odds of being relevant, from those of a usual link in the frontier.
    """
    with_words = [f'"{word}" in its address or an anchor' for word in words]
    effects = np.concatenate([decision.of_features, decision.of_words])
    columns = {
        "feature": [*FEATURES, *(["word"] * len(words))],
        "evidence": [*_in_words(decision.url, decision.site), *with_words],
        "effect": effects,
    }
    order = np.argsort(-np.abs(effects), kind="stable")
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _in_words(u: np.ndarray, s: np.ndarray) -> list[str]:
    """Return the evidence of each feature, in the order of `FEATURES`."""
    counts = u[of.PARENTS], u[of.NEAR], s[of.FETCHED], s[of.POINTERS]
    parents, near, fetched, pointers = map(int, counts)
    best = 1 / (1 + np.exp(-u[of.BEST]))
    return [
        "any link",
        f"its best anchor has a probability of {best:.2f}",
        f"the mean of its anchors, over {parents} links",
        f"{u[of.LABELS]:.1f} of {parents} pages that link to it are relevant",
        f"relevant pages that link to it: {u[of.LABELS]:.1f}",
        f"pages that link to it: {parents}",
        f"relevant pages of other sites that link to it: {u[of.ABROAD]:.1f}",
        f"{u[of.NEAR_LABELS]:.1f} of {near} pages linked beside it are relevant",
        f"{s[of.RELEVANT]:.1f} of {fetched} pages of its site are relevant",
        f"pages of its site fetched before: {fetched}",
        f"{s[of.POINTING]:.1f} of {pointers} pages that link into its site are relevant",
        "the anchors of its site's pages",
        "its own site links to it" if u[of.OWN] else "its own site does not link to it",
        "a keyword in its address" if u[of.IN_URL] else "no keyword in its address",
        "a keyword in an anchor" if u[of.IN_ANCHOR] else "no keyword in an anchor",
        "its latest anchor is empty" if u[of.EMPTY] else "its latest anchor has text",
        "it is a front page" if u[of.FRONT] else "it is no front page",
    ]
