"""The steps of a path: Algorithms 2 to 5, 7 and 12, compiled by numba."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from ..numerics import add_product, dot
from .settings import HOUR, WINDOW, Rules

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


class WebArrays(NamedTuple):
    """A news web of n URLs and v versions, as arrays, which compiled code takes."""

    born: np.ndarray  # (v,) seconds, ascending
    url: np.ndarray  # (v,)
    page: np.ndarray  # (v,) identity of the page: the version, or its URL
    date: np.ndarray  # (v,) seconds; -inf for a page without a date
    state: np.ndarray  # (v, k) float32
    first_link: np.ndarray  # (v + 1,) version i links to link[first_link[i] : first_link[i + 1]]
    link: np.ndarray  # URLs, each once per version
    stored: np.ndarray  # of each link: the version that was there when the linking one appeared
    current: np.ndarray  # (n,) version that is on the web; -1 before a URL is there


class AgentLog(NamedTuple):
    """The pages that the reinforcing agent has seen, and its counts by windows of 3 hours."""

    seen: np.ndarray  # (v,) bool: pages accepted as relevant
    found_at: np.ndarray  # (v,) seconds at which a version was accepted; inf: never
    found_url: np.ndarray  # (n,) bool: URLs downloaded
    steps: np.ndarray  # (n,) visits of each URL as the step of a path
    downloaded: np.ndarray  # (windows,)
    sent: np.ndarray
    relevant: np.ndarray


class Memory(NamedTuple):
    """The state of a forager within its paths."""

    status: np.ndarray  # (1,) STATUS
    weight: np.ndarray  # (k,) float32
    frontier: np.ndarray  # (n,) URLs; the status says how many count
    met: np.ndarray  # (n,) path in which a URL last was in the frontier or visited
    stored: np.ndarray  # (n,) version by which a URL's state is known
    marked: np.ndarray  # (v,) bool: pages sent
    value: np.ndarray  # (n,) estimated profit of a URL, if the weights are fixed
    draws: np.ndarray  # (max_step + 1,) uniform random numbers of this path, if it is a random one
    path_url: np.ndarray  # (max_step + 1,) URLs visited in this path
    path_profit: np.ndarray


@register_jitable
def store_pages(
    me: Memory, urls: np.ndarray, versions: np.ndarray, web: WebArrays, rules: Rules
) -> None:
    """Store the versions, also of visited URLs, and compute their values (Algorithm 2)."""
    me.stored[urls] = versions
    if not rules.learning:
        for i, url in enumerate(urls):
            me.value[url] = dot(web.state[versions[i]], me.weight)


@register_jitable
def order_urls(me: Memory, web: WebArrays, rules: Rules) -> int:
    """Return the place in the frontier of the URL of highest estimated profit (Algorithm 3)."""
    urls = me.frontier[: me.status[0]["frontier"]]
    if rules.random:
        return int(me.draws[me.status[0]["step"]] * len(urls))
    if rules.learning:
        values = [dot(web.state[me.stored[url]], me.weight) for url in urls]
        return int(np.argmax(np.array(values)))
    return int(np.argmax(me.value[urls]))


@register_jitable
def update_ordering(
    weight: np.ndarray, last: np.ndarray, this: np.ndarray, profit: float, rules: Rules
) -> None:
    """Learn by the temporal difference from the last step's state to this one's (Algorithm 4)."""
    error = profit + rules.gamma * float(dot(this, weight)) - float(dot(last, weight))
    add_product(weight, np.full(1, rules.alpha * error, np.float32), last.reshape(1, -1))


@register_jitable
def relevant_pages(
    me: Memory, versions: np.ndarray, web: WebArrays, now: float, rules: Rules
) -> np.ndarray:
    """Return the versions that are fresh and that the forager has not yet sent (Algorithm 5)."""
    fresh = versions[web.date[versions] >= now - rules.relevant_hours * HOUR]
    pages = web.page[fresh]
    new = ~me.marked[pages]
    me.marked[pages] = True
    return fresh[new]


@register_jitable
def manage_received_url(
    me: Memory, log: AgentLog, version: int, web: WebArrays, now: float, rules: Rules
) -> bool:
    """Charge a forager for a page sent; reward and report one both new and unseen (Algorithm 7)."""
    status = me.status[0]
    page = web.page[version]
    status["score"] -= rules.send_cost
    if log.seen[page] or web.date[version] < now - rules.relevant_hours * HOUR:
        return False
    log.seen[page] = True
    log.found_at[version] = now
    status["score"] += rules.gain
    return True


@register_jitable
def download(me: Memory, url: int, web: WebArrays, rules: Rules) -> tuple[int, np.ndarray]:
    """Return downloads and versions found of a page and its links, and queue these (Alg. 12)."""
    status = me.status[0]
    version = web.current[url]
    if version < 0:
        return 1, web.current[:0]
    window = slice(web.first_link[version], web.first_link[version + 1])
    links = web.link[window]
    linked = web.stored[window] if rules.stored_links else web.current[links]
    there = links[linked >= 0]
    versions = linked[linked >= 0]
    new = there[me.met[there] != status["path"]]
    me.frontier[status["frontier"] : status["frontier"] + len(new)] = new
    status["frontier"] += len(new)
    me.met[new] = status["path"]
    store_pages(me, there, versions, web, rules)
    pages = np.empty(1 + len(there), np.int64)
    pages[0], pages[1:] = version, versions
    return 1 + len(links), pages  # failed downloads count


@register_jitable
def learn(
    me: Memory, url: int, rewards: float, penalties: float, web: WebArrays, rules: Rules
) -> None:
    """Record a step's profit, and learn from it if the kind does (Algorithm 12, second half)."""
    status = me.status[0]
    profit = rewards + penalties
    me.path_url[status["step"] - 1] = url
    me.path_profit[status["step"] - 1] = profit if rules.penalties else rewards
    version = web.current[url]
    counts = profit != 0 or rules.update_without_reward
    if rules.learning and counts and status["last"] >= 0 and version >= 0:
        update_ordering(me.weight, web.state[status["last"]], web.state[version], profit, rules)
    status["last"] = version


@njit(cache=True)
def forage(
    me: Memory, web: WebArrays, log: AgentLog, now: float, end: float, rules: Rules
) -> float:
    """Step until the path or the time is over, and return the time then (Algorithm 12)."""
    status = me.status[0]
    while now < end and status["step"] <= rules.max_step and status["frontier"] > 0:
        place = order_urls(me, web, rules)
        url = me.frontier[place]  # taken out of the frontier: Algorithm 11 within a path
        status["frontier"] -= 1
        me.frontier[place] = me.frontier[status["frontier"]]
        status["step"] += 1
        downloads, versions = download(me, url, web, rules)
        sent = relevant_pages(me, versions, web, now, rules)
        relevant = 0
        for version in sent:
            relevant += manage_received_url(me, log, version, web, now, rules)
        penalties = rules.penalty * (len(sent) - relevant)
        learn(me, url, rules.reward * relevant, penalties, web, rules)
        window = int(now // WINDOW)
        log.downloaded[window] += downloads
        log.sent[window] += len(sent)
        log.relevant[window] += relevant
        log.steps[url] += 1
        log.found_url[web.url[versions]] = True
        now += downloads * rules.seconds_a_download
    return now
