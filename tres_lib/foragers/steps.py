"""The steps of a path: Algorithms 2 to 5, 7 and 12, named as in the paper. Loads numba.

The functions are plain Python on NumPy arrays, and numba compiles the same source:
`compiled_forage` is `forage`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from .law import HOUR
from .settings import Rules
from .site import WINDOW, Desk, Site

STATUS = np.dtype(
    [
        ("score", "f8"),
        ("path", "i8"),  # number of the path, from 1 on
        ("step", "i8"),  # steps made in it
        ("frontier", "i8"),  # URLs to choose from
        ("last", "i8"),  # version visited in the last step; -1 without one
    ],
    align=True,
)


class Memory(NamedTuple):
    """What a forager remembers while it steps."""

    status: np.ndarray  # (1,) STATUS
    weight: np.ndarray  # (k,) float32
    frontier: np.ndarray  # (n,) URLs; the status says how many count
    met: np.ndarray  # (n,) path in which a URL last was in the frontier or visited
    stored: np.ndarray  # (n,) version by which a URL's state is known
    marked: np.ndarray  # (v,) bool: pages sent
    value: np.ndarray  # (n,) estimated profit of a URL, if the weights are fixed
    luck: np.ndarray  # (max_step + 1,) uniform random numbers of this path, if it is a random one
    path_url: np.ndarray  # (max_step + 1,) URLs visited in this path
    path_profit: np.ndarray


@register_jitable
def store_pages(
    me: Memory, urls: np.ndarray, versions: np.ndarray, site: Site, rules: Rules
) -> None:
    """Algorithm 2: know these URLs by the state vectors of these versions.

    The paper leaves visited URLs out, whose stored states are never read.
    """
    me.stored[urls] = versions
    if not rules.learning:
        me.value[urls] = np.dot(site.state[versions], me.weight)


@register_jitable
def order_urls(me: Memory, site: Site, rules: Rules) -> int:
    """Algorithm 3: place in the frontier of the URL with the highest estimated profit."""
    urls = me.frontier[: me.status[0]["frontier"]]
    if rules.random:
        return int(me.luck[me.status[0]["step"]] * len(urls))
    if rules.learning:
        return int(np.argmax(np.dot(site.state[me.stored[urls]], me.weight)))
    return int(np.argmax(me.value[urls]))


@register_jitable
def update_ordering(
    weight: np.ndarray, last: np.ndarray, this: np.ndarray, profit: float, rules: Rules
) -> None:
    """Algorithm 4: temporal differences, from the state of the last step to that of this one."""
    error = profit + rules.gamma * float(np.dot(this, weight)) - float(np.dot(last, weight))
    weight += np.float32(rules.alpha * error) * last


@register_jitable
def relevant_pages(
    me: Memory, versions: np.ndarray, site: Site, now: float, rules: Rules
) -> np.ndarray:
    """Algorithm 5: those of the versions that are fresh and that the forager has not yet sent."""
    fresh = versions[site.date[versions] >= now - rules.relevant_hours * HOUR]
    pages = site.page[fresh]
    new = ~me.marked[pages]
    me.marked[pages] = True
    return fresh[new]


@register_jitable
def manage_received_url(
    me: Memory, desk: Desk, version: int, site: Site, now: float, rules: Rules
) -> bool:
    """Algorithm 7: the agent charges a forager for what it sent; whether that is relevant.

    It is if the agent has not seen it and it is not too old; then the score rises.
    """
    status, page = me.status[0], site.page[version]
    status["score"] -= rules.send_cost
    if desk.seen[page] or site.date[version] < now - rules.relevant_hours * HOUR:
        return False
    desk.seen[page] = True
    desk.found_at[version] = now
    status["score"] += rules.gain
    return True


@register_jitable
def next_url(me: Memory, site: Site, rules: Rules) -> int:
    """Algorithm 11 within a path: take the best URL out of the frontier."""
    status = me.status[0]
    place = order_urls(me, site, rules)
    url = me.frontier[place]
    status["frontier"] -= 1
    me.frontier[place] = me.frontier[status["frontier"]]
    status["step"] += 1
    return int(url)


@register_jitable
def download(me: Memory, url: int, site: Site, rules: Rules) -> tuple[int, np.ndarray]:
    """Algorithm 12, first half: the page and all pages linked from it; new ones can be next.

    Returns
    -------
    downloads : int
        Those of pages that are not there count.
    versions : (d,) int
        Of the pages that are there, the URL's own first.
    """
    status, version = me.status[0], site.current[url]
    if version < 0:
        return 1, site.current[:0]
    links = site.link[site.first_link[version] : site.first_link[version + 1]]
    linked = site.current[links]
    there, versions = links[linked >= 0], linked[linked >= 0]
    new = there[me.met[there] != status["path"]]
    me.frontier[status["frontier"] : status["frontier"] + len(new)] = new
    status["frontier"] += len(new)
    me.met[new] = status["path"]
    store_pages(me, there, versions, site, rules)
    pages = np.empty(1 + len(there), np.int64)
    pages[0], pages[1:] = version, versions
    return 1 + len(links), pages


@register_jitable
def learn(me: Memory, url: int, rewards: float, penalties: float, site: Site, rules: Rules) -> None:
    """Algorithm 12, second half: note what a step brought, and learn from it if the kind does."""
    status, profit = me.status[0], rewards + penalties
    me.path_url[status["step"] - 1] = url
    me.path_profit[status["step"] - 1] = profit if rules.penalties else rewards
    version, counts = site.current[url], profit != 0 or rules.update_without_reward
    if rules.learning and counts and status["last"] >= 0 and version >= 0:
        update_ordering(me.weight, site.state[status["last"]], site.state[version], profit, rules)
    status["last"] = version


@register_jitable
def forage(
    me: Memory,
    site: Site,
    desk: Desk,
    now: float,
    end: float,
    rules: Rules,
) -> float:
    """Algorithm 12: step until the path or the time is over; what time it is then."""
    status = me.status[0]
    while now < end and status["step"] <= rules.max_step and status["frontier"] > 0:
        url = next_url(me, site, rules)
        downloads, versions = download(me, url, site, rules)
        sent = relevant_pages(me, versions, site, now, rules)
        relevant = 0
        for version in sent:
            relevant += manage_received_url(me, desk, version, site, now, rules)
        not_relevant = len(sent) - relevant
        learn(me, url, rules.reward * relevant, rules.penalty * not_relevant, site, rules)
        window = int(now // WINDOW)
        desk.downloaded[window] += downloads
        desk.sent[window] += len(sent)
        desk.relevant[window] += relevant
        desk.steps[url] += 1
        desk.found_url[site.url[versions]] = True
        now += downloads * rules.seconds_a_download
    return now


compiled_forage = njit(forage)
