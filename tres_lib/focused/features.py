"""The state-action vector x(s, a) of TRES (Section 2.4.1, Fig. 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..topics import anchor_text
from ..web.page import Link
from ..web.urls import url_words

if TYPE_CHECKING:
    from ..topics import CachedScorer, KeywordMatcher

FEATURES = (
    "source reward",
    "inverse distance",
    "path ratio",
    "keyword in URL",
    "keyword in anchor",
    "anchor probability",
    "domain ratio",
    "domain known",
)
N_DOMAIN_FEATURES = 2  # the last two, which the ablation "NH" drops


@dataclass(frozen=True, slots=True)
class Path:
    """Web path (Definition 1) from a seed to a fetched page, as far as the features need it.

    ``Path()`` is the path before any seed, with zero state features.

    Attributes
    ----------
    reward : float
        Reward of the path's last page, 0 or 1.
    hops : int or None
        Links back from the last page to the closest relevant one, 0 if the last page
        is relevant itself; None if no page of the path is.
    relevant : int
        Number of relevant pages on the path.
    length : int
        Number of pages on the path.

    Examples
    --------
    Figure 1 of the paper: a link on C, behind the relevant pages "Seed" and A.

    >>> path = Path().extend(1).extend(1).extend(0)
    >>> [round(value, 2) for value in path.features()]
    [0, 0.5, 0.67]
    """

    reward: float = 0.0
    hops: int | None = None
    relevant: int = 0
    length: int = 0

    def extend(self, reward: float) -> Path:
        """Return the path that goes on to a page of this reward."""
        hops = 0 if reward else None if self.hops is None else self.hops + 1
        return Path(reward, hops, self.relevant + bool(reward), self.length + 1)

    def features(self) -> tuple[float, float, float]:
        """Return state features 0 to 2: reward, inverse distance, relevance ratio.

        The distance counts the step to the new page, so that a relevant source gives
        1 and a source one link behind a relevant page 1/2.
        """
        nearness = 0.0 if self.hops is None else 1 / (1 + self.hops)
        return self.reward, nearness, self.relevant / self.length if self.length else 0.0


def link_features(
    links: Sequence[Link], keywords: KeywordMatcher, scorer: CachedScorer
) -> np.ndarray:
    """Return action features 3 to 5 of n links, (n, 3) float32.

    They are: keyword in the URL's path and query, keyword in the anchor, and the scorer's
    probability of each anchor joined with the words of its URL.
    """
    x = np.zeros((len(links), 3), np.float32)
    if links:
        x[:, 0] = [keywords.count(url_words(link.url)) > 0 for link in links]
        x[:, 1] = [keywords.count(link.anchor) > 0 for link in links]
        x[:, 2] = scorer.proba([anchor_text(link) for link in links])
    return x


def domain_features(relevant: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Return action features 6 and 7, the harvest ratio of each domain and whether it is known.

    A domain never visited has ratio 0.5 by our convention (the paper gives none), and
    0.5 as its flag by the paper's; a visited one has flag 1.

    Parameters
    ----------
    relevant : (n,) int
        Relevant pages fetched so far from the domain of each URL.
    visits : (n,) int
        All pages fetched so far from it.

    Returns
    -------
    (n, 2) float64

    Examples
    --------
    >>> import numpy as np
    >>> domain_features(np.array([0, 3]), np.array([0, 4]))
    array([[0.5 , 0.5 ],
           [0.75, 1.  ]])
    """
    known = visits > 0
    x = np.full((len(visits), 2), 0.5)
    np.divide(relevant, visits, out=x[:, 0], where=known)
    x[known, 1] = 1.0
    return x
