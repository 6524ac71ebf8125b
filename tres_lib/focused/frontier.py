"""The crawl frontier: every action (page, link) met so far, by number.

An action is an edge of the crawled graph (Eq. 1), so a URL found on several pages
is several actions; when it is fetched all of them go. Actions, URLs and domains are
rows of growing arrays: an action takes 20 bytes here, a URL 33 to 41 besides its string.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..web.urls import domain
from .arrays import grown
from .features import FEATURES, N_DOMAIN_FEATURES, Path, domain_features
from .numbering import Numbering

NONE = -1  # end of a chain

OWN = ("keyword_in_url", "keyword_in_anchor", "probability")  # features 3 to 5
ACTION = np.dtype(
    [("url", "i4"), ("source", "i4"), ("next", "i4"), ("live", "?")]
    + list(zip(OWN, ("?", "?", "f4"), strict=True)),
    align=True,
)
URL = np.dtype([("domain", "i4"), ("first", "i4"), ("next", "i4"), ("fetched", "?")], align=True)
DOMAIN = np.dtype(
    [("first", "i4"), ("visits", "i4"), ("relevant", "i4"), ("closed", "?")], align=True
)


class Frontier:
    """Actions of a crawl, with their features as of now.

    Row numbers of actions are the ids that policies see: dense, in order of discovery.
    ``urls[u]``, ``paths[p]`` and ``domains[d]`` name URLs, fetched pages and domains;
    page 0 is the empty path from which the seeds are reached.

    Parameters
    ----------
    with_domains : bool
        Whether features 6 and 7 exist (without them: the ablation "NH").
    """

    def __init__(self, with_domains: bool = True):
        self.with_domains = with_domains
        self.n_features = len(FEATURES) - (0 if with_domains else N_DOMAIN_FEATURES)
        self.urls = Numbering()
        self.domains = Numbering()
        self.paths: list[Path] = []
        self.n_actions = 0
        self._live = 0
        self._action = np.zeros(0, ACTION)
        self._url = np.zeros(0, URL)
        self._domain = np.zeros(0, DOMAIN)
        self._state = np.zeros((0, 3), np.float32)
        self.add_page(Path())

    def __len__(self) -> int:
        """Number of actions that can be taken."""
        return self._live

    def add_page(self, path: Path) -> int:
        """Number of a new fetched page, reached by that path."""
        self.paths.append(path)
        self._state = grown(self._state, len(self.paths))
        self._state[len(self.paths) - 1] = path.features()
        return len(self.paths) - 1

    def is_open(self, url: str) -> bool:
        """Whether a link to this URL is an action: not yet fetched, domain not closed."""
        number = self.urls.find(url)
        if number is not None:
            row = self._url[number]
            return not (row["fetched"] or self._domain["closed"][row["domain"]])
        known = self.domains.find(domain(url))
        return known is None or not self._domain["closed"][known]

    def add(self, source: int, urls: Sequence[str], own: np.ndarray) -> np.ndarray:
        """Ids of the new actions "from this page to these URLs".

        Parameters
        ----------
        source : int
            Number of the page the links were found on.
        urls : sequence of n distinct str
            Open URLs (see `is_open`).
        own : (n, 3) float32
            Action features 3 to 5; of the first two it matters whether they are 0.

        Returns
        -------
        (n,) int64
        """
        ids = np.arange(self.n_actions, self.n_actions + len(urls))
        targets = np.array([self._number(url) for url in urls], np.int32)
        self.n_actions += len(urls)
        self._live += len(urls)
        self._action = grown(self._action, self.n_actions)
        rows = self._action[ids[0] : self.n_actions] if len(urls) else self._action[:0]
        rows["url"], rows["source"], rows["live"] = targets, source, True
        for name, values in zip(OWN, own.T, strict=True):
            rows[name] = values
        rows["next"] = self._url["first"][targets]
        self._url["first"][targets] = ids
        return ids

    def features(self, ids: np.ndarray) -> np.ndarray:
        """x of the given actions, (n, n_features) float32, domain counts as of now."""
        rows = self._action[ids]
        x = np.empty((len(rows), self.n_features), np.float32)
        x[:, :3] = self._state[rows["source"]]
        x[:, 3:6] = np.column_stack([rows[name] for name in OWN])
        if self.with_domains:
            counts = self._domain[self._url["domain"][rows["url"]]]
            x[:, 6:] = domain_features(counts["relevant"], counts["visits"])
        return x

    def is_live(self, action: int) -> bool:
        """Whether this id can be chosen."""
        return 0 <= action < self.n_actions and bool(self._action["live"][action])

    def live(self) -> np.ndarray:
        """Ids (len(self),) of all actions that can be chosen."""
        return np.flatnonzero(self._action["live"][: self.n_actions])

    def url_of(self, action: int) -> str:
        """URL that the action leads to."""
        return self.urls[self._action["url"][action]]

    def source_of(self, action: int) -> int:
        """Number of the page that the action starts from."""
        return int(self._action["source"][action])

    def fetched(self, url: str) -> bool:
        """Whether the URL was fetched, or reached by a redirect."""
        number = self.urls.find(url)
        return number is not None and bool(self._url["fetched"][number])

    def take(self, url: str) -> list[int]:
        """Mark a URL as fetched; the ids of its live actions, which end with that."""
        number = self._number(url)
        self._url["fetched"][number] = True
        return self._end_actions(number)

    def visit(self, url: str, reward: float) -> None:
        """Count a visit to the URL's domain."""
        home = self._url["domain"][self._number(url)]
        self._domain["visits"][home] += 1
        self._domain["relevant"][home] += bool(reward)

    def close(self, name: str) -> list[int]:
        """Close a domain, which is at its cap; the ids of its live actions, which end."""
        number = self.domains.find(name)
        self._domain["closed"][number] = True
        ended, url = [], self._domain["first"][number]
        while url != NONE:
            ended += self._end_actions(url)
            url = self._url["next"][url]
        return ended

    def _end_actions(self, url: int) -> list[int]:
        ended, action = [], self._url["first"][url]
        while action != NONE:
            if self._action["live"][action]:
                ended.append(int(action))
            action = self._action["next"][action]
        self._action["live"][ended] = False
        self._url["first"][url] = NONE
        self._live -= len(ended)
        return ended

    def _number(self, url: str) -> int:
        number = self.urls.find(url)
        if number is None:
            number = self.urls.add(url)
            self._url = grown(self._url, len(self.urls))
            home = self._number_of_domain(domain(url))
            self._url[number] = home, NONE, self._domain["first"][home], False
            self._domain["first"][home] = number
        return number

    def _number_of_domain(self, name: str) -> int:
        number = self.domains.find(name)
        if number is None:
            number = self.domains.add(name)
            self._domain = grown(self._domain, len(self.domains))
            self._domain["first"][number] = NONE
        return number
