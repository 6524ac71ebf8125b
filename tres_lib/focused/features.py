"""The state-action vector x(s, a) of TRES (Section 2.4.1, Fig. 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tres_webs.page import Link
from tres_webs.urls import url_words

from ..topics import CachedScorer, KeywordMatcher, anchor_text

#: What the feature vector of a link holds, in its order.
FEATURES = (
    "source reward",  # 0 or 1: whether the page that has the link is relevant
    "inverse distance",  # 0 to 1: 1 / links from the last relevant page on the path; 0: none
    "path ratio",  # 0 to 1: share of relevant pages on the path to the link
    "keyword in URL",  # 0 or 1
    "keyword in anchor",  # 0 or 1
    "anchor probability",  # 0 to 1: that the target is relevant, by the classifier
    "domain ratio",  # 0 to 1: share of relevant pages among those fetched from the target's domain
    "domain known",  # 0.5 or 1: whether a page of the target's domain was fetched
)


@dataclass(frozen=True, slots=True)
class Path:
    """Web path (Definition 1) from a seed to a fetched page, as far as the features need it.

    ``Path()`` is the path before any seed, with zero state features.

    Examples
    --------
    Figure 1 of the paper: a link on C, behind the relevant pages "Seed" and A.

    >>> path = Path().extend(1).extend(1).extend(0)
    >>> [round(value, 2) for value in path.features()]
    [0, 0.5, 0.67]
    """

    reward: float = 0.0  # of the path's last page, 0 or 1
    hops: int | None = None  # links back from the last page to the closest relevant one, if any
    relevant: int = 0  # pages
    length: int = 0  # pages

    def extend(self, reward: float) -> Path:
        """Return the path that goes on to one more page, of reward 0 or 1."""
        hops = 0 if reward else None if self.hops is None else self.hops + 1
        return Path(reward, hops, self.relevant + bool(reward), self.length + 1)

    def features(self) -> tuple[float, float, float]:
        """Return state features 0 to 2 (see `FEATURES`) of the links on the path's last page."""
        nearness = 0.0 if self.hops is None else 1 / (1 + self.hops)
        return self.reward, nearness, self.relevant / self.length if self.length else 0.0


def link_features(
    keywords: Iterable[str], scorer: Any, blind: bool
) -> Callable[[Sequence[Link]], np.ndarray]:
    """Return what gives features 3 to 5 of n links, (n, 3) float32; 0 for a `blind` policy."""
    if blind:
        return lambda links: np.zeros((len(links), 3), np.float32)
    matcher = KeywordMatcher(keywords)
    cached = scorer if isinstance(scorer, CachedScorer) else CachedScorer(scorer)

    def features(links: Sequence[Link]) -> np.ndarray:
        x = np.empty((len(links), 3), np.float32)
        x[:, 0] = [matcher.count(url_words(link.url)) > 0 for link in links]
        x[:, 1] = [matcher.count(link.anchor) > 0 for link in links]
        x[:, 2] = cached.proba([anchor_text(link) for link in links])
        return x

    return features


def domain_features(relevant: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Return features 6 and 7, (n, 2): each domain's harvest ratio, and whether it is known.

    `relevant` and `visits`, (n,) int, count the pages fetched so far from the domain of each URL.
    One never visited has ratio 0.5 by our convention (the paper has none), flag 0.5 by the paper's.

    Examples
    --------
    >>> domain_features(np.array([0, 3]), np.array([0, 4]))
    array([[0.5 , 0.5 ],
           [0.75, 1.  ]])
    """
    known = visits > 0
    x = np.full((len(visits), 2), 0.5)
    np.divide(relevant, visits, out=x[:, 0], where=known)
    x[known, 1] = 1.0
    return x
