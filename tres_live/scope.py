"""Which links a crawl follows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from tres_webs.checks import count
from tres_webs.urls import BINARY, canonical_url


@dataclass(frozen=True)
class Scope:
    """Which links a crawl follows; the seeds are always fetched. ValueError for a bad value.

    It is a `follow` of `focused.crawl`.

    Examples
    --------
    >>> scope = Scope(allow=("example.org",), exclude=(r"/tag/",), max_depth=3)
    >>> [scope(f"http://www.example.org/{path}", 3) for path in ("jazz", "tag/jazz")]
    [True, False]
    """

    allow: tuple[str, ...] = ()  # host names, each with all names below it; none: all
    deny: tuple[str, ...] = ()  # the same; it prevails
    include: tuple[str, ...] = ()  # patterns of RE2, of which one must be found in the URL
    exclude: tuple[str, ...] = ()  # the same, of which none may be found
    max_depth: int | None = None  # links from a seed: 1 for pages that seeds link to

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
                    _compiled(pattern)
                except ValueError as error:
                    problem = f"{pattern!r} is no regular expression ({error})"
                    raise ValueError(f"{name}: {problem}; escape dots as in r'a\\.html'") from None
        if self.max_depth is not None:
            count("max_depth", self.max_depth)

    def __call__(self, url: str, depth: int) -> bool:
        """Return whether to follow a link to a URL, which is so many links from a seed."""
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
        text = url.encode(errors="replace")
        if self.include and not any(_compiled(each).search(text) for each in self.include):
            return False
        return not any(_compiled(each).search(text) for each in self.exclude)

    follows = __call__

    def requests(self, named: Iterable[str] = ()) -> Callable[[str], bool]:
        """Return what says whether a URL may be asked for, at each hop of every request.

        Named ones may be, such as seeds, and their hosts' robots.txt, which no pattern bars.
        `include` and `max_depth` are of the links to follow, not of hops, feeds and sitemaps.
        """
        urls = {canonical_url(url, None, BINARY) for url in named} - {None}
        hosts = {urlsplit(url).hostname for url in urls}
        hops = replace(self, include=(), max_depth=None)
        of_robots = replace(hops, exclude=())

        def asks(url: str) -> bool:
            if urlsplit(url).path == "/robots.txt":
                return urlsplit(url).hostname in hosts or of_robots(url, 0)
            return url in urls or hops(url, 0)

        return asks


@cache
def _compiled(pattern: str) -> Any:
    """Compile a pattern for RE2, whose time is linear in a URL's length; ValueError if bad."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace")) from None
