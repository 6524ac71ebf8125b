"""What a crawl is: from where, for what, by which policy and within which bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from tres_webs.checks import count, is_count, one_of, texts
from tres_webs.topic import Topic, get_topic
from tres_webs.urls import canonical_url

from ..topics import as_classifier
from .policy import POLICIES, Context, Policy, policy_name


@dataclass(frozen=True)
class DomainCap:
    """MAX of the TRES paper: how many pages of one registered domain a crawl may fetch.

    `max_per_domain` is None for no cap; a fixed cap; or one that falls over the `budget`, in
    fetches: (5, 2), the paper's "5_2", is 5, 3 and 2 in its three thirds.

    Examples
    --------
    >>> cap = DomainCap((5, 2), budget=9)
    >>> [cap.at(step) for step in range(1, 10)]
    [5, 5, 5, 3, 3, 3, 2, 2, 2]
    """

    max_per_domain: int | tuple[int, int] | None
    budget: int

    def __post_init__(self) -> None:
        count("budget", self.budget)
        cap = self.max_per_domain
        if cap is None:
            return
        pair = cap if isinstance(cap, (tuple, list)) else (cap, cap)
        if len(pair) != 2 or not all(is_count(n) for n in pair) or not pair[0] >= pair[1] >= 1:
            raise ValueError(f"max_per_domain={cap!r}: use None, 1 or more, or such as (5, 2)")

    def at(self, step: int) -> float:
        """Return the most pages of a domain at a step, from 1 on; infinite without a cap."""
        cap = self.max_per_domain
        if isinstance(cap, (tuple, list)):
            high, low = cap
            return (high, (high + low) // 2, low)[min(3 * (step - 1) // self.budget, 2)]
        return math.inf if cap is None else cap


class CrawlArguments(TypedDict, total=False):
    """What `crawl` and others take for `CrawlSettings`, beyond seeds and topic."""

    policy: str | Policy | Callable[[Context], Policy]
    budget: int
    max_per_domain: int | tuple[int, int] | DomainCap | None
    classifier: Any
    anchor_classifier: Any
    keywords: Iterable[str] | None
    errors: Literal["count", "skip"]
    in_flight: int
    rng: np.random.Generator | int
    follow: Callable[[str, int], bool] | None


@dataclass(frozen=True, eq=False)
class CrawlSettings:
    """What a crawl is. Equal settings on an unchanged web give equal crawls.

    ValueError for a bad value, with its name; `of` also takes the looser forms of `crawl`.

    Examples
    --------
    >>> settings = CrawlSettings.of(["http://a.example/#top"], "sports", budget=10)
    >>> settings.seeds, settings.topic.name, settings.policy
    (['http://a.example/'], 'sports', 'tres')
    """

    seeds: list[str]  # canonical URLs of relevant pages
    topic: Topic
    keywords: tuple[str, ...]  # for features 3 and 4; `of`: by default the topic's seed keywords
    # A key of `POLICIES`; an object with a policy's methods; or a class or function that takes a
    # `Context` and returns a policy.
    policy: str | Policy | Callable[[Context], Policy] = "tres"
    budget: int = 20_000  # fetches after the seeds
    # MAX, see `DomainCap`. A domain at its cap leaves the frontier. MAX counts fetches, and of a
    # redirect to another domain that one, too. "ache" and "seedfinder" also take only a domain's
    # first MAX links, as their authors' code does.
    max_per_domain: int | tuple[int, int] | DomainCap | None = None
    # Of pages, in any form that `topics.as_classifier` takes; by default a KwBiLSTM trained once
    # and stored on disk. ACHE and SeedFinder prune by it; without it, and on the topics of
    # data/topics.yaml, by an SVM of their own.
    classifier: Any = None
    # Of links (feature 5), some twenty for each page, in the same forms; by default `classifier`.
    # Give a cheap one where a call of that is slow or costs money.
    anchor_classifier: Any = None
    # Whether an error costs a step as any page does, or is none, as in the code of TRES's authors.
    # An error is a failed fetch, or a page with "404 not found" or "access denied" in the first 100
    # letters of its text. A skipped one is logged. It counts neither in the budget nor in the
    # harvest rate, and nothing is learnt from it; but MAX counts it, because it is a request to the
    # domain. The crawl ends when skipped errors outnumber the steps it may take.
    errors: Literal["count", "skip"] = "count"
    # Pages that may be waited for at once, by threads; the web must allow that, as `LiveWeb` does.
    # The crawl then depends on the order in which pages arrive, which a journal stores.
    in_flight: int = 1
    rng: np.random.Generator | int = 0  # an int if the crawl has a checkpoint
    # Whether to follow a link to a URL that is so many links from a seed; by default all. Seeds are
    # always fetched.
    follow: Callable[[str, int], bool] | None = None

    def __post_init__(self) -> None:
        _ = self.cap
        if isinstance(self.policy, str):
            one_of("policy", self.policy, list(POLICIES))
        for name in ("classifier", "anchor_classifier"):
            if getattr(self, name) is not None:
                as_classifier(getattr(self, name), name)
        if not isinstance(self.rng, np.random.Generator):
            count("rng", self.rng, 0)
        one_of("errors", self.errors, ("count", "skip"))
        count("in_flight", self.in_flight)
        if self.follow is not None and not callable(self.follow):
            raise ValueError(f"follow={self.follow!r}: give a function of a URL and its depth")

    @classmethod
    def of(
        cls, seeds: Iterable[str], topic: str | Topic, **arguments: Unpack[CrawlArguments]
    ) -> CrawlSettings:
        """Return the settings of the arguments of `crawl`, in the forms that it takes."""
        subject, given = get_topic(topic), dict[str, Any](arguments)
        asked = given.pop("keywords", None)
        keywords = subject.keywords if asked is None else texts("keywords", asked)
        return cls(check_seeds(seeds, 0), subject, tuple(keywords), **given)

    @cached_property
    def cap(self) -> DomainCap:
        """How many pages of a domain may be fetched; a `DomainCap` may fall otherwise."""
        cap = self.max_per_domain
        return cap if isinstance(cap, DomainCap) else DomainCap(cap, self.budget)

    def as_json(self) -> dict[str, Any]:
        """Return the arguments that a log states, in JSON's types."""
        return {
            "topic": self.topic.name,
            "seeds": self.seeds,
            "policy": policy_name(self.policy),
            "budget": int(self.budget),
            "max_per_domain": _plain(self.cap.max_per_domain),
            "keywords": list(self.keywords),
            "rng": None if isinstance(self.rng, np.random.Generator) else int(self.rng),
            "in_flight": self.in_flight,
            "errors": self.errors,
        }


def _plain(value: Any) -> Any:
    """Return a value as JSON reads it back: no tuple, no number of numpy's."""
    return np.array(value).tolist()


def check_seeds(seeds: Iterable[str], least: int = 1) -> list[str]:
    """Return the seeds in canonical form, each once; ValueError for too few, or for a bad URL."""
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise ValueError(f"seeds={seeds!r}: give a list of URLs, such as [{seeds!r}]")
    given = list(seeds)
    canonical = {url: canonical_url(url) for url in given}
    wrong = [url for url, found in canonical.items() if found is None]
    if wrong or len(given) < least:
        raise ValueError(f"seeds={wrong or given!r}: give at least one URL, http(s) and of HTML")
    return list(dict.fromkeys(filter(None, canonical.values())))
