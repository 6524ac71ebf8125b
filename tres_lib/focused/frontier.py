"""The crawl frontier: every action (page, link) met so far, by number.

An action is an edge of the crawled graph (Eq. 1), so a URL found on several pages
is several actions; when it is fetched all of them go. Actions, URLs and domains are
rows of growing arrays: an action takes 20 bytes here, a URL 30 to 38 besides its string.
"""

from __future__ import annotations

from array import array
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
        # Of a URL: its domain, its newest action, the URL of the domain met before it. Arrays
        # of Python's, for they are read and grown one number at a time.
        self._home, self._newest, self._before = array("i"), array("i"), array("i")
        self._fetched = bytearray()
        # Of a domain: its newest URL, pages fetched from it, relevant ones, whether it is closed.
        self._last, self._visits, self._relevant = array("i"), array("i"), array("i")
        self._closed = bytearray()
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
            return not (self._fetched[number] or self._closed[self._home[number]])
        home = self.domains.find(domain(url))
        return home is None or not self._closed[home]

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
        newest = _numbers(self._newest)
        self.n_actions += len(urls)
        self._live += len(urls)
        self._action = grown(self._action, self.n_actions)
        rows = self._action[ids[0] : self.n_actions] if len(urls) else self._action[:0]
        rows["url"], rows["source"], rows["live"] = targets, source, True
        for name, values in zip(OWN, own.T, strict=True):
            rows[name] = values
        rows["next"] = newest[targets]
        newest[targets] = ids
        return ids

    def features(self, ids: np.ndarray) -> np.ndarray:
        """x of the given actions, (n, n_features) float32, domain counts as of now."""
        rows = self._action.take(ids)  # a tenth of the time of self._action[ids]
        x = np.empty((len(rows), self.n_features), np.float32)
        x[:, :3] = self._state.take(rows["source"], axis=0)
        for column, name in enumerate(OWN, start=3):
            x[:, column] = rows[name]
        if self.with_domains:
            homes = _numbers(self._home)[rows["url"]]
            counts = _numbers(self._relevant)[homes], _numbers(self._visits)[homes]
            x[:, 6:] = domain_features(*counts)
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
        return number is not None and bool(self._fetched[number])

    def take(self, url: str) -> list[int]:
        """Mark a URL as fetched; the ids of its live actions, which end with that."""
        number = self._number(url)
        self._fetched[number] = True
        return self._end_actions(number)

    def visit(self, url: str, reward: float) -> None:
        """Count a visit to the URL's domain."""
        home = self._home[self._number(url)]
        self._visits[home] += 1
        self._relevant[home] += bool(reward)

    def close(self, name: str) -> list[int]:
        """Close a domain, which is at its cap; the ids of its live actions, which end."""
        number = self.domains.find(name)
        self._closed[number] = True
        ended, url = [], self._last[number]
        while url != NONE:
            ended += self._end_actions(url)
            url = self._before[url]
        return ended

    def _end_actions(self, url: int) -> list[int]:
        live, before = self._action["live"], self._action["next"]
        ended, action = [], self._newest[url]
        while action != NONE:
            if live[action]:
                ended.append(action)
            action = int(before[action])
        live[ended] = False
        self._newest[url] = NONE
        self._live -= len(ended)
        return ended

    def _number(self, url: str) -> int:
        number = self.urls.find(url)
        if number is None:
            number = self.urls.add(url)
            home = self._number_of_domain(domain(url))
            self._home.append(home)
            self._newest.append(NONE)
            self._before.append(self._last[home])
            self._fetched.append(False)
            self._last[home] = number
        return number

    def _number_of_domain(self, name: str) -> int:
        number = self.domains.find(name)
        if number is None:
            number = self.domains.add(name)
            self._last.append(NONE)
            self._visits.append(0)
            self._relevant.append(0)
            self._closed.append(False)
        return number


def _numbers(values: array) -> np.ndarray:
    """A numpy view of an array; the array cannot grow while the view lives."""
    return np.frombuffer(values, np.int32)
