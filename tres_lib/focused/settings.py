"""What a crawl is: from where, for what, by which policy and within which bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from ..checks import count, is_count, one_of, texts
from ..topics import as_classifier
from ..web.topic import Topic, get_topic
from ..web.urls import canonical_url
from .policy import POLICIES, Context, Policy, policy_name
from .scope import Scope

if TYPE_CHECKING:
    from .baselines.search_engine import SearchEngine


@dataclass(frozen=True)
class Bounds:
    """What bounds a crawl from a step on, in place of its `max_per_domain` and `scope`.

    Links that they let in are taken from the pages so far; those that they bar are dropped. They
    hold earlier if there is nothing left to choose before.
    """

    step: int
    max_per_domain: int | None = None
    scope: Scope | None = None


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


def as_cap(max_per_domain: int | tuple[int, int] | DomainCap | None, budget: int) -> DomainCap:
    """Return the cap of that form; a `DomainCap` is itself, such as one that falls otherwise."""
    if isinstance(max_per_domain, DomainCap):
        return max_per_domain
    return DomainCap(max_per_domain, budget)


class CrawlArguments(TypedDict, total=False):
    """What `crawl` and others take for `CrawlSettings`, beyond seeds and topic."""

    policy: str | Policy | Callable[[Context], Policy]
    budget: int
    max_per_domain: int | tuple[int, int] | DomainCap | None
    classifier: Any
    anchor_classifier: Any
    keywords: Iterable[str] | None
    domain_features: bool
    search: SearchEngine | None
    rng: np.random.Generator | int
    in_flight: int
    patience: int | None
    scope: Scope | None
    errors: Literal["count", "skip"]
    extra: int
    later: tuple[Bounds, ...]
    course: Sequence[str]


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
    # MAX, see `DomainCap`. A domain at its cap leaves the frontier. MAX counts fetches; "ache" and
    # "seedfinder" also take only a domain's first MAX links, as their authors' code does.
    max_per_domain: int | tuple[int, int] | DomainCap | None = None
    # Of pages, in any form that `topics.as_classifier` takes; by default a KwBiLSTM trained once
    # and stored on disk. ACHE and SeedFinder prune by it; without it, and on the topics of
    # data/topics.yaml, by an SVM of their own.
    classifier: Any = None
    # Of links (feature 5), some twenty for each page, in the same forms; by default `classifier`.
    # Give a cheap one where a call of that is slow or costs money.
    anchor_classifier: Any = None
    # Whether a link's features include its domain's history (6, 7); the ablation "NH" is without.
    domain_features: bool = True
    # For policies that query one; by default of "seedfinder" one over a random part of the web.
    search: SearchEngine | None = None
    rng: np.random.Generator | int = 0  # an int if the crawl has a checkpoint
    # Pages that may be waited for at once, by threads; the web must allow that, as `LiveWeb` does.
    # The crawl then depends on the order in which pages arrive, which a journal stores.
    in_flight: int = 1
    # Failed fetches in a row after which to stop, as when the network is gone; by default never.
    # The same call with the same checkpoint tries them again.
    patience: int | None = None
    scope: Scope | None = None  # by default all links are followed
    # Whether an error costs a step as any page does, or is none, as in the code of TRES's authors.
    # An error is a failed fetch, or a page with "404 not found" or "access denied" in the first 100
    # letters of its text. A skipped one is logged. It counts neither in the budget nor in the
    # harvest rate, and nothing is learnt from it; but MAX counts it, because it is a request to the
    # domain. The crawl ends when skipped errors outnumber the steps it may take.
    errors: Literal["count", "skip"] = "count"
    # Fetches beyond the budget. A crawl that is to go on keeps its budget, by which the policy and
    # the cap plan, and its checkpoint: its pages are not fetched again.
    extra: int = 0
    later: tuple[Bounds, ...] = ()  # for a crawl that is to go on, by rising steps; by a checkpoint
    # URLs to fetch first, one by one, whatever the policy would choose. With those of a checkpoint
    # a crawl goes on by another classifier: the policy learns from its pages anew.
    course: Sequence[str] = ()

    def __post_init__(self) -> None:
        for cap in (self.max_per_domain, *(bounds.max_per_domain for bounds in self.later)):
            as_cap(cap, self.budget)
        if isinstance(self.policy, str):
            one_of("policy", self.policy, list(POLICIES))
        for name in ("classifier", "anchor_classifier"):
            if getattr(self, name) is not None:
                as_classifier(getattr(self, name), name)
        if not isinstance(self.rng, np.random.Generator):
            count("rng", self.rng, 0)
        one_of("errors", self.errors, ("count", "skip"))
        count("in_flight", self.in_flight)
        count("extra", self.extra, 0)
        texts("course", self.course)
        if self.patience is not None:
            count("patience", self.patience)
        if not isinstance(self.scope, Scope | None):
            remedy = "give a focused.Scope, such as Scope(max_depth=3)"
            raise ValueError(f"scope={self.scope!r}: {remedy}")
        if self.search is not None and not hasattr(self.search, "query"):
            raise ValueError(f"search={self.search!r}: give a SearchEngine, or search_engine(web)")

    @classmethod
    def of(
        cls, seeds: Iterable[str], topic: str | Topic, **arguments: Unpack[CrawlArguments]
    ) -> CrawlSettings:
        """Return the settings of the arguments of `crawl`, in the forms that it takes."""
        subject, given = get_topic(topic), dict[str, Any](arguments)
        asked = given.pop("keywords", None)
        keywords = subject.keywords if asked is None else texts("keywords", asked)
        return cls(check_seeds(seeds), subject, tuple(keywords), **given)

    @cached_property
    def cap(self) -> DomainCap:
        """How many pages of a domain may be fetched."""
        return as_cap(self.max_per_domain, self.budget)

    def follows(self, url: str, depth: int) -> bool:
        """Return whether a link is in scope; see `Scope.follows`."""
        return self.scope is None or self.scope.follows(url, depth)

    def as_json(self) -> dict[str, Any]:
        """Return the arguments that a checkpoint and a log state, in JSON's types."""
        scope = self.scope and {name: _plain(value) for name, value in asdict(self.scope).items()}
        return {
            "topic": self.topic.name,
            "seeds": self.seeds,
            "policy": policy_name(self.policy),
            "budget": int(self.budget),
            "max_per_domain": _plain(self.cap.max_per_domain),
            "keywords": list(self.keywords),
            "rng": None if isinstance(self.rng, np.random.Generator) else int(self.rng),
            "domain_features": bool(self.domain_features),
            "in_flight": self.in_flight,  # the order of arrival in the journal depends on it
            "scope": scope,
            "errors": self.errors,
        }


def _plain(value: Any) -> Any:
    """Return a value as JSON reads it back: no tuple, no number of numpy's."""
    return np.array(value).tolist()


def check_seeds(seeds: Iterable[str]) -> list[str]:
    """Return the seeds in canonical form, each once; ValueError without any, or for a bad URL."""
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise ValueError(f"seeds={seeds!r}: give a list of URLs, such as [{seeds!r}]")
    given = list(seeds)
    canonical = {url: canonical_url(url) for url in given}
    wrong = [url for url, found in canonical.items() if found is None]
    if wrong or not given:
        raise ValueError(f"seeds={wrong or given!r}: give at least one URL, http(s) and of HTML")
    return list(dict.fromkeys(filter(None, canonical.values())))
