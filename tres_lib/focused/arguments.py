"""The arguments of a crawl: what is valid, and how a journal names them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..web.urls import canonical_url

LONGEST = 200  # characters of a repr that is worth keeping


@dataclass(frozen=True)
class DomainCap:
    """MAX: how many pages of one registered domain a crawl may fetch.

    Parameters
    ----------
    limit : None, int or (int, int)
        No cap; a fixed cap; or one that goes from the first to the second number over
        the run: (5, 2), the paper's "5_2", is 5, 3 and 2 in its three thirds.
    budget : int

    Raises
    ------
    ValueError
        If the limit is none of these, below 1, or rises; or the budget is below 1.
    """

    limit: int | tuple[int, int] | None
    budget: int

    def __post_init__(self) -> None:
        if not is_count(self.budget) or self.budget < 1:
            raise ValueError(f"budget={self.budget!r}: give a number of fetches, at least 1")
        pair = self.limit if isinstance(self.limit, (tuple, list)) else (self.limit, self.limit)
        valid = len(pair) == 2 and all(is_count(n) and n >= 1 for n in pair) and pair[0] >= pair[1]
        if self.limit is not None and not valid:
            raise ValueError(
                f"max_per_domain={self.limit!r}: use None, a number from 1 on, "
                "or two of them that fall, such as (5, 2)"
            )

    def at(self, step: int) -> float:
        """The cap at a step, 1 to budget."""
        if self.limit is None:
            return math.inf
        if not isinstance(self.limit, (tuple, list)):
            return self.limit
        high, low = self.limit
        return (high, (high + low) // 2, low)[3 * (step - 1) // self.budget]

    def as_json(self) -> int | list[int] | None:
        """The limit in JSON's types."""
        if isinstance(self.limit, (tuple, list)):
            return [int(n) for n in self.limit]
        return None if self.limit is None else int(self.limit)


def check_count(name: str, value: object) -> None:
    """ValueError if the argument of that name is no int from 1 on."""
    if not is_count(value) or value < 1:
        raise ValueError(f"{name}={value!r}: give a number from 1 on")


def check_seeds(seeds: Iterable[str]) -> list[str]:
    """The seeds in canonical form, each once; ValueError if one has none or there is no seed."""
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise ValueError(f"seeds={seeds!r}: give a list of URLs, such as [{seeds!r}]")
    given = list(seeds)
    canonical = {url: canonical_url(url) for url in given}
    wrong = [url for url, found in canonical.items() if found is None]
    if wrong or not given:
        raise ValueError(
            f"seeds={wrong or given!r}: give at least one URL, each http(s) and of HTML"
        )
    return list(dict.fromkeys(canonical.values()))


def check_keywords(keywords: Iterable[str]) -> tuple[str, ...]:
    """The keywords as a tuple; ValueError if they are one string, or no strings."""
    several = isinstance(keywords, Iterable) and not isinstance(keywords, str)
    words = tuple(keywords) if several else ()
    if not several or not all(isinstance(word, str) for word in words):
        raise ValueError(f"keywords={keywords!r}: give a list of words, such as ['ripe fruit']")
    return words


def check_objects(
    web: object, classifier: object | None, anchor_classifier: object | None = None
) -> None:
    """ValueError unless web and classifiers have the methods that a crawl calls."""
    if not (hasattr(web, "fetch") and hasattr(web, "is_relevant")):
        raise ValueError(
            f"web={web!r}: give an object with fetch(url) and is_relevant(url, topic), "
            "such as VitalWeb, ReplayWeb or LiveWeb"
        )
    for name, judge in (("classifier", classifier), ("anchor_classifier", anchor_classifier)):
        if judge is not None and not hasattr(judge, "proba"):
            raise ValueError(f"{name}={judge!r}: give an object with proba(texts) -> (n,)")


def check_rng(rng: object, checkpoint: object | None) -> None:
    """ValueError unless rng is a Generator or, as a crawl with a checkpoint needs it, a seed."""
    if is_count(rng) and rng >= 0:
        return
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng={rng!r}: give an int from 0 on or a numpy.random.Generator")
    if checkpoint is not None:
        raise ValueError(f"rng={rng!r}: a crawl with a checkpoint needs an int as its seed")


def is_count(n: object) -> bool:
    """Whether n is an integer, of Python or numpy."""
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool)


def named(**things: object) -> dict[str, str]:
    """The objects that say what they are, by a short repr of their own.

    A journal can tell two of these apart; of others nothing is known that would be
    the same in another process.
    """
    known = {name: thing for name, thing in things.items() if thing is not None}
    texts = {name: repr(thing) for name, thing in known.items() if _has_repr(thing)}
    return {
        name: text for name, text in texts.items() if len(text) <= LONGEST and " at 0x" not in text
    }


def _has_repr(thing: object) -> bool:
    return type(thing).__repr__ is not object.__repr__
