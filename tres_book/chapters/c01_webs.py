"""Measures of a web, so that a made-up one can stand beside a real one."""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np
import pandas as pd

from tres_lib.web.page import FetchError, Page, Web
from tres_lib.web.topic import Topic
from tres_lib.web.urls import domain


def links_of(web: Web, urls: Iterable[str]) -> pd.DataFrame:
    """Return the links of some pages: source, target, anchor, and whether it leaves the site."""
    pages = ((url, _page(web, url)) for url in urls)
    rows = [(url, link.url, link.anchor) for url, page in pages if page for link in page.links]
    table = pd.DataFrame(rows, columns=["source", "target", "anchor"])
    table["leaves_site"] = table.source.map(domain) != table.target.map(domain)
    return table


def _page(web: Web, url: str) -> Page | None:
    with suppress(FetchError):
        return web.fetch(url)
    return None


def same_group_share(source: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Return the share of links inside one group, and what chance with the same degrees gives.

    `source` and `target`, (m,), are the groups at the two ends of each link.
    """
    source = np.asarray(source)
    target = np.asarray(target)
    groups = np.unique(np.concatenate([source, target]))
    p = (source[:, None] == groups).mean(axis=0)
    q = (target[:, None] == groups).mean(axis=0)
    return float((source == target).mean()), float(p @ q)


def reach(
    web: Web, start: str, max_pages: int, through: Callable[[str], bool] | None = None
) -> list[str]:
    """Return at most `max_pages` pages reached breadth-first from `start`.

    `through` tells whose links are followed: all, by default.
    """
    reached: list[str] = []
    queue = deque([start])
    seen = {start}
    while queue and len(reached) < max_pages:
        url = queue.popleft()
        if page := _page(web, url):
            reached.append(url)
            if through is None or through(url):
                new = [link.url for link in page.links if link.url not in seen]
                seen.update(new)
                queue.extend(new)
    return reached


def random_harvest(
    web: Web, start: str, topic: str | Topic, steps: int, rng: np.random.Generator | int
) -> float:
    """Return the share of relevant pages among those that a uniformly random crawl fetches.

    An entry is a link, so that a page linked twice is twice as likely; nothing is learnt.
    """
    rng = np.random.default_rng(rng)
    frontier = [link.url for link in web.fetch(start).links]
    seen = {start}
    relevant = 0
    fetched = 0
    while frontier and fetched < steps:
        position = int(rng.integers(len(frontier)))
        frontier[position], frontier[-1] = frontier[-1], frontier[position]
        url = frontier.pop()
        if url in seen:
            continue
        seen.add(url)
        fetched += 1
        relevant += bool(web.is_relevant(url, topic))
        if page := _page(web, url):
            frontier += [link.url for link in page.links if link.url not in seen]
    return relevant / max(fetched, 1)
