"""What a crawl may fetch: its seeds, the links it follows, and so many pages of a domain."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..checks import count, is_count
from ..web.urls import canonical_url


@dataclass(frozen=True)
class DomainCap:
    """MAX of the TRES paper: how many pages of one registered domain a crawl may fetch.

    Attributes
    ----------
    max_per_domain : None, int or (int, int)
        No cap; a fixed cap; or one that falls from the first to the second number over
        the run: (5, 2), the paper's "5_2", is 5, 3 and 2 in its three thirds.
        ValueError if it is none of these, below 1, or rises.
    budget : int
        Fetches of the crawl, at least 1.

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
        """Return the most pages of a domain at a step.

        Parameters
        ----------
        step : int
            From 1 on.

        Returns
        -------
        float
            Infinite without a cap.
        """
        cap = self.max_per_domain
        if isinstance(cap, (tuple, list)):
            high, low = cap
            return (high, (high + low) // 2, low)[min(3 * (step - 1) // self.budget, 2)]
        return math.inf if cap is None else cap


@dataclass(frozen=True)
class Scope:
    """Which links a crawl follows; the seeds are always fetched. ValueError for a bad value.

    Attributes
    ----------
    allow, deny : tuple of str
        Host names, each with all names below it. Without `allow` all hosts are allowed; `deny`
        prevails.
    include, exclude : tuple of str
        Regular expressions, searched in the URL: with `include` one must be found, of `exclude`
        none.
    max_depth : int, optional
        Links from a seed: 1 for pages that seeds link to.

    Examples
    --------
    >>> scope = Scope(allow=("example.org",), exclude=(r"/tag/",), max_depth=3)
    >>> [scope.follows(f"http://www.example.org/{path}", 3) for path in ("jazz", "tag/jazz")]
    [True, False]
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None

    def __post_init__(self) -> None:
        for name in ("allow", "deny", "include", "exclude"):
            values = getattr(self, name)
            if isinstance(values, str) or not all(isinstance(v, str) and v for v in values):
                raise ValueError(f"{name}={values!r}: give a list of texts")
            object.__setattr__(self, name, tuple(values))
        for host in (*self.allow, *self.deny):
            if canonical_url(f"http://{host}/") != f"http://{host}/":
                raise ValueError(f"allow, deny: {host!r} is no host name, such as 'example.org'")
        for name in ("include", "exclude"):
            for pattern in getattr(self, name):
                try:
                    re.compile(pattern)
                except re.error as error:
                    told = f"{pattern!r} is no regular expression ({error})"
                    raise ValueError(f"{name}: {told}; escape dots as in r'a\\.html'") from None
        if self.max_depth is not None:
            count("max_depth", self.max_depth)

    def follows(self, url: str, depth: int) -> bool:
        """Return whether to follow a link.

        Parameters
        ----------
        url : str
        depth : int
            Number of links from a seed to this URL.

        Returns
        -------
        bool
        """
        if self.max_depth is not None and depth > self.max_depth:
            return False
        try:
            host = f".{urlsplit(url).hostname}"
        except ValueError:  # from a web that gives URLs as it finds them
            return False
        if self.allow and not any(host.endswith(f".{name}") for name in self.allow):
            return False
        if any(host.endswith(f".{name}") for name in self.deny):
            return False
        if self.include and not any(re.search(pattern, url) for pattern in self.include):
            return False
        return not any(re.search(pattern, url) for pattern in self.exclude)


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
