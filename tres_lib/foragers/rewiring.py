"""Rewirings of a news web that keep every in-degree and every out-degree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .law import ARTICLE, HOUR, SUBHUB

if TYPE_CHECKING:
    from .newsweb import NewsWeb

REWIRINGS = ("edge", "time", "static", "newsout")
BIN = 6 * HOUR


def permuted(web: NewsWeb, rng: np.random.Generator, kind: str) -> np.ndarray:
    """Destinations of the slots after a rewiring, (m,) int32.

    Parameters
    ----------
    web : NewsWeb
    rng : numpy.random.Generator
    kind : {"edge", "time", "static", "newsout"}
        "edge" permutes the ends of all links, as the paper says. "time" does so among links that
        appear within the same 6 hours, so that hubs go on to list what has just appeared.
        "static" permutes only links to pages other than articles: news stay on their hubs.
        "newsout" exchanges each listing of an article on a hub with a random link
        of a page that is no hub: only the news leave the hubs.

    Raises
    ------
    ValueError
        If the kind is unknown.
    """
    slots = np.arange(len(web.destination))
    if kind == "edge":
        order = rng.permutation(slots)
    elif kind == "time":
        order = _within_groups(slots, np.floor(np.maximum(web.appears, 0) / BIN), rng)
    elif kind == "static":
        order = _among(slots, web.kind[web.destination] != ARTICLE, rng)
    elif kind == "newsout":
        order = _exchanged(slots, web, rng)
    else:
        raise ValueError(f"kind={kind!r}: use one of {', '.join(REWIRINGS)}")
    return web.destination[order]


def _within_groups(slots: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = slots.copy()
    order[np.argsort(group, kind="stable")] = np.lexsort((rng.random(len(slots)), group))
    return order


def _among(slots: np.ndarray, chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = slots.copy()
    order[chosen] = rng.permutation(slots[chosen])
    return order


def _exchanged(slots: np.ndarray, web: NewsWeb, rng: np.random.Generator) -> np.ndarray:
    on_hub = web.kind[web.sources()] <= SUBHUB
    news = slots[on_hub & (web.kind[web.destination] == ARTICLE)]
    others = rng.permutation(slots[~on_hub & (web.kind[web.destination] != ARTICLE)])[: len(news)]
    news = rng.permutation(news)[: len(others)]
    order = slots.copy()
    order[news], order[others] = others, news
    return order
