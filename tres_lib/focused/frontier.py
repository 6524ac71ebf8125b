"""The crawl frontier: every action (page, link) met so far, by number.

An action is an edge of the crawled graph (Eq. 1), so a URL found on several pages is several
actions, which end together. An action takes 20 bytes, a URL about 100 besides its string.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tres_webs.page import Link
from tres_webs.urls import domain

from .features import FEATURES, Path, domain_features

NONE = -1  # end of a chain

OWN = {"keyword_in_url": "?", "keyword_in_anchor": "?", "probability": "f4"}  # features 3 to 5
PLACE = {"url": "i4", "source": "i4", "next": "i4", "live": "?", "rests": "?"}
UNKNOWN_DOMAIN = domain_features(np.zeros(1, int), np.zeros(1, int))[0]
ACTION = np.dtype([*PLACE.items(), *OWN.items()], align=True)
# Linked lists: `newest` and an action's `next` run over the actions of a URL, `last` and `before`
# over the URLs of a site, a domain.
URL = np.dtype([("site", "i4"), ("newest", "i4"), ("before", "i4"), ("fetched", "?")], align=True)
SITE = np.dtype([("last", "i4"), ("visits", "i4"), ("relevant", "i4"), ("closed", "?")], align=True)


class Frontier:
    """Actions of a crawl, by id, with their features as of now. It alone knows which are live."""

    n_features = len(FEATURES)

    def __init__(self) -> None:
        self.n_actions = 0  # ended ones included
        self.taken: Counter[str] = Counter()  # fetches by domain, as MAX counts them
        self.limited = False  # whether a domain's cap has kept out a link
        self._paths: list[Path] = []  # by page number
        self._pages: list[str] = []  # by page number, the URL that was asked for
        self._state = np.zeros((0, 3), np.float32)  # by page number
        self._action = np.zeros(0, ACTION)
        self._n_live = 0
        self.n_resting = 0  # of the live ones
        self._new: Sequence[Link] = ()  # of the actions added last
        self._number_of_url: dict[str, int] = {}
        self._urls: list[str] = []  # by number
        self._url = np.zeros(0, URL)
        self._number_of_domain: dict[str, int] = {}
        self._site = np.zeros(0, SITE)
        self._domain_x = np.zeros((0, 2), np.float32)  # by number of a site: features 6 and 7
        self._any_closed = False
        self.add_page(Path())  # page 0, from which the seeds are reached

    def __len__(self) -> int:
        return self._n_live

    def add_page(self, path: Path, url: str = "") -> int:
        """Return the number of a new page, reached by this path and asked for at this URL."""
        self._paths.append(path)
        self._pages.append(url)
        self._state = grown(self._state, len(self._paths))
        self._state[len(self._paths) - 1] = path.features()
        return len(self._paths) - 1

    def is_open(self, url: str) -> bool:
        """Return whether a link to it may become an action: not yet fetched, domain not closed."""
        if self.fetched(url):
            return False
        if not self._any_closed:  # so that most crawls need no domain here
            return True
        site = self._number_of_domain.get(domain(url))
        closed = site is not None and bool(self._site["closed"][site])
        self.limited |= closed
        return not closed

    def add(self, source: int, links: Sequence[Link], own: np.ndarray) -> np.ndarray:
        """Return the ids of new actions from a page along links to distinct open URLs, (n,)."""
        self._new = links
        ids = np.arange(self.n_actions, self.n_actions + len(links))
        targets = np.array([self._number(link.url) for link in links], np.int32)
        self.n_actions += len(links)
        self._n_live += len(links)
        self._action = grown(self._action, self.n_actions)
        rows = self._action[self.n_actions - len(links) : self.n_actions]
        rows["url"] = targets
        rows["source"] = source
        rows["live"] = True
        for name, values in zip(OWN, own.T, strict=True):
            rows[name] = values
        rows["next"] = self._url["newest"][targets]
        self._url["newest"][targets] = ids
        return ids

    def new_links(self, ids: np.ndarray) -> list[Link]:
        """Return the links of actions that the last `add` made; older ones' are not kept."""
        first = self.n_actions - len(self._new)
        return [self._new[action - first] for action in ids.tolist()]

    def features(self, ids: np.ndarray) -> np.ndarray:
        """Return x of the given actions, (n, n_features) float32, domain counts as of now."""
        rows = self._action.take(ids)  # a tenth of the time of self._action[ids]
        x = np.empty((len(rows), self.n_features), np.float32)
        x[:, :3] = self._state.take(rows["source"], axis=0)
        for column, name in enumerate(OWN, start=3):
            x[:, column] = rows[name]
        x[:, 6:] = self._domain_x.take(self.sites_of(rows["url"]), axis=0)
        return x

    def is_live(self, ids: np.ndarray | int) -> np.ndarray | bool:
        """Return whether each action has not ended; ids are from 0 to n_actions - 1."""
        return self._action["live"][ids]

    def live(self) -> np.ndarray:
        """Return the ids of all actions that can be chosen, (n,) int64, oldest first."""
        rows = self._action[: self.n_actions]
        return np.flatnonzero(rows["live"] & ~rows["rests"] if self.n_resting else rows["live"])

    def urls_of(self, ids: np.ndarray) -> np.ndarray:
        """Return the numbers of the URLs that actions lead to, (n,) int32."""
        return self._action.take(ids)["url"]

    def sites_of(self, urls: np.ndarray) -> np.ndarray:
        """Return the numbers of the domains of URLs, given by number, (n,) int32."""
        return self._url["site"][urls]

    def numbers(self, urls: Sequence[str]) -> np.ndarray:
        """Return the numbers of URLs, (n,) int32; -1 for one that was never met."""
        return np.array([self._number_of_url.get(url, NONE) for url in urls], np.int32)

    def url_of(self, action: int) -> str:
        """Return the URL that the action leads to."""
        return self._urls[self._action["url"][action]]

    def action_to(self, url: str) -> int:
        """Return the newest action that leads to a URL; -1 if none can be chosen."""
        number = self._number_of_url.get(url)
        return NONE if number is None else int(self._url["newest"][number])

    def path_to(self, action: int) -> Path:
        """Return the path to the page that the action starts from."""
        return self._paths[self._action["source"][action]]

    def parent_of(self, action: int) -> str:
        """Return the URL of the page that the action starts from, as it was asked for."""
        return self._pages[self._action["source"][action]]

    def fetched(self, url: str) -> bool:
        """Return whether the URL was fetched, or reached by a redirect."""
        number = self._number_of_url.get(url)
        return number is not None and bool(self._url["fetched"][number])

    def take(self, url: str) -> list[int]:
        """Mark a URL as fetched; return its live actions' ids, which can no longer be chosen."""
        number = self._number(url)
        self._url["fetched"][number] = True
        return self._end_actions(number)

    def visit(self, url: str, reward: float) -> None:
        """Count a visit to the URL's domain."""
        number = self._url["site"][self._number(url)]
        site = self._site[number]
        site["visits"] += 1
        site["relevant"] += bool(reward)
        self._domain_x[number] = site["relevant"] / site["visits"], 1.0  # `domain_features`

    def count(self, name: str, cap: float) -> list[int]:
        """Count a fetch from a domain; close it if that was the last of its cap, MAX."""
        self.taken[name] += 1
        return self.close(name) if self.taken[name] >= cap else []

    def close(self, name: str) -> list[int]:
        """Close a domain at its cap; return its live actions, which can no longer be chosen."""
        site = self._site[self._site_number(name)]
        site["closed"] = self._any_closed = True
        ended: list[int] = []
        url = site["last"]
        while url != NONE:
            ended += self._end_actions(url)
            url = self._url["before"][url]
        self.limited |= bool(ended)
        return ended

    def rest(self, name: str) -> list[int]:
        """Let the live actions of a domain rest; return the ids of those that did not."""
        ids = [i for i in self._actions_of(name) if not self._action["rests"][i]]
        self._action["rests"][ids] = True
        self.n_resting += len(ids)
        return ids

    def wake(self, name: str) -> list[int]:
        """End the rest of a domain's actions; return the ids of those that are live."""
        ids = [i for i in self._actions_of(name) if self._action["rests"][i]]
        self._action["rests"][ids] = False
        self.n_resting -= len(ids)
        return ids

    def _actions_of(self, name: str) -> Iterator[int]:
        """Yield the live actions of a domain."""
        url = self._site["last"][self._number_of_domain[name]]
        while url != NONE:
            action = int(self._url["newest"][url])
            while action != NONE:
                if self._action["live"][action]:
                    yield action
                action = int(self._action["next"][action])
            url = self._url["before"][url]

    def _end_actions(self, url: int) -> list[int]:
        live = self._action["live"]
        ended = []
        action = int(self._url["newest"][url])
        while action != NONE:
            if live[action]:
                ended.append(action)
            action = int(self._action["next"][action])
        live[ended] = False
        if self.n_resting:
            self.n_resting -= int(self._action["rests"][ended].sum())
        self._url["newest"][url] = NONE
        self._n_live -= len(ended)
        return ended

    def _number(self, url: str) -> int:
        number = self._number_of_url.get(url)
        if number is None:
            number = self._number_of_url[url] = len(self._urls)
            site = self._site_number(domain(url))
            self._urls.append(url)
            self._url = grown(self._url, len(self._urls))
            self._url[number] = site, NONE, self._site["last"][site], False
            self._site["last"][site] = number
        return number

    def _site_number(self, name: str) -> int:
        number = self._number_of_domain.get(name)
        if number is None:
            number = self._number_of_domain[name] = len(self._number_of_domain)
            self._site = grown(self._site, number + 1)
            self._domain_x = grown(self._domain_x, number + 1)
            self._site["last"][number] = NONE
            self._domain_x[number] = UNKNOWN_DOMAIN
        return number


def grown(values: np.ndarray, rows: int) -> np.ndarray:
    """Return `values` itself if it has that many rows, else a copy with an eighth more, of 0."""
    if rows <= len(values):
        return values
    # Not double: at 800,000 entries the slack would weigh as much as the entries.
    room = max(rows, len(values) + len(values) // 8 + 64)
    bigger = np.zeros((room, *values.shape[1:]), values.dtype)
    bigger[: len(values)] = values
    return bigger
