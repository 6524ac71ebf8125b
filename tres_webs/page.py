"""What every crawler sees of the web: `Page`, `Link`, and `Web`, where pages come from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from .checks import generator
from .topic import Topic


class Failure(StrEnum):
    """Why a fetch gave no page that a crawl can use."""

    OTHER = "failed"
    ROBOTS = "robots"  # robots.txt disallows it
    COPY = "copy"  # of another page
    ERROR_PAGE = "error page"  # a copy of what its host answers to any address
    NOT_OURS = "not ours"  # it leads to a URL that `Web.ask_only` excludes
    DUPLICATE = "duplicate"  # it leads to a page that was fetched before
    OUT_OF_SCOPE = "out of scope"  # so is the page that it leads to


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a page: its absolute canonical target, and the text that a reader clicks.

    Links are equal by these two. The path is the tags that lead to it from the root, each with its
    classes and id, as in "html body div#main ul.toc.wide li a"; empty where nobody kept it.

    Examples
    --------
    >>> Link("http://a.example/songs", anchor="Songs").anchor
    'Songs'
    """

    url: str
    anchor: str
    path: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page.

    Examples
    --------
    >>> page = Page("http://a.example/", 200, "Jazz", "Songs", links=())
    >>> page.title, page.links, page.truncated
    ('Jazz', (), False)
    """

    url: str  # after redirects
    status: int  # of HTTP; `parse_page` always sets 200
    title: str
    text: str  # what a reader sees, one line per block
    links: tuple[Link, ...]  # each target once, in the document's order
    html: bytes | None = None  # the document in UTF-8
    fetched_at: float | None = None  # Unix time in seconds
    truncated: bool = False  # whether only the first part of a document beyond a limit was read


def link_rows(links: Iterable[Link]) -> tuple[list[tuple[str, str, int]], list[str]]:
    """Return links for JSON: URL, anchor and number of the path of each, and the distinct paths."""
    paths: dict[str, int] = {}
    rows = [(link.url, link.anchor, paths.setdefault(link.path, len(paths))) for link in links]
    return rows, list(paths)


def links_of(rows: Iterable[Sequence[Any]], paths: Sequence[str]) -> tuple[Link, ...]:
    """Return the links that `link_rows` wrote; rows of URL and anchor alone have no path."""
    return tuple(Link(url, anchor, *(paths[i] for i in of)) for url, anchor, *of in rows)


class Revisit(NamedTuple):
    """What another look at a page brought: the page, or None if it is as it was (304).

    The conditions are request headers by which the next look may ask whether this still holds.

    Examples
    --------
    >>> again = Revisit(None, {"If-None-Match": '"v1"'})
    >>> again.page is None
    True
    """

    page: Page | None
    conditions: Mapping[str, str]


class FetchError(Exception):
    """A page could not be fetched.

    The reason is for people; programs compare `failure`. The status is HTTP's, if there was one;
    the target is the URL of what it is a copy of or leads to, or else "".
    """

    def __init__(
        self,
        url: str,
        reason: str,
        status: int | None = None,
        failure: Failure = Failure.OTHER,
        target: str = "",
    ):
        super().__init__(url, reason, status, failure, target)
        self.url, self.reason, self.status = url, reason, status
        self.failure, self.target = failure, target

    def __str__(self) -> str:
        return f"{self.url}: {self.reason}"


class Web:
    """Where pages come from: the only way in which any crawler sees them.

    A subclass needs `fetch` alone; an object of any other class, which `as_web` completes,
    `is_relevant` as well.

    Examples
    --------
    >>> from tres_webs import parse_page
    >>> class Shelf:
    ...     def fetch(self, url):
    ...         return parse_page(url, "<title>A page</title>")
    ...     def is_relevant(self, url, topic):
    ...         return None
    >>> as_web(Shelf()).fetch("http://a.example/").title
    'A page'
    >>> as_web(Shelf()).kind("http://a.example/")
    'article'
    """

    def fetch(self, url: str) -> Page:
        """Return the page at a URL; a crawl logs a FetchError and goes on."""
        raise NotImplementedError

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """Return whether the page is on the topic, the ground truth. Default: None, unknown."""

    def seeds(self, topic: str | Topic, n: int, rng: np.random.Generator | int) -> list[str]:
        """Return n relevant pages by their URLs, none linking to another. Default: ValueError."""
        raise ValueError(f"web={self!r} knows no seeds: name pages of your own")

    def urls(self) -> list[str]:
        """Return all pages, if the web can list them. Default: none."""
        return []

    def random_article_pages(self, n: int, rng: np.random.Generator | int) -> list[str]:
        """Return up to n random pages to index. Default: distinct, a tenth of `urls` or one."""
        urls = self.urls()
        size = min(len(urls), max(1, min(n, len(urls) // 10)))
        return [urls[i] for i in generator("rng", rng).choice(len(urls), size, replace=False)]

    def kind(self, url: str) -> str:
        """Return the kind of page at a URL, for tables. Default: "article"."""
        return "article"

    def html(self, url: str) -> bytes | None:
        """Return the document at a URL whose `Page` has none. Default: None."""
        return None

    def look(self, url: str, conditions: Mapping[str, str]) -> Revisit:
        """Return the page, or that it has not changed since the `Revisit` of these conditions.

        Default: the page.
        """
        return Revisit(self.fetch(url), {})

    def ask_only(self, owns: Callable[[str], bool]) -> None:
        """Restrict requests to URLs for which `owns` returns True. Default: no restriction.

        A redirect to another URL raises a FetchError that has `Failure.NOT_OURS` and that target.
        """

    def pause(self, url: str) -> float:
        """Return for how many seconds from now its host asks to be left alone. Default: 0."""
        return 0.0

    def remember(self, url: str, page: Page) -> None:
        """Take note of a page that was asked for at `url`, of a resumed crawl. Default: nothing."""

    def remember_failure(self, url: str, error: FetchError) -> None:
        """Take note of a failure, of a resumed crawl. Default: nothing."""


def as_web(web: object) -> Web:
    """Return a web itself, or with the defaults of `Web` for the members that it lacks."""
    if isinstance(web, Web):
        return web
    names = [name for name in dir(Web) if not name.startswith("_")]
    own = {name: getattr(web, name, None) for name in names}
    complete = Web()
    vars(complete).update({name: member for name, member in own.items() if callable(member)})
    return complete
