"""What a site behind a search form returns, and what a crawler asks it."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

LONGEST_TERM = 1_000  # characters; a search box cuts off what is beyond


class Part(NamedTuple):
    """A piece of a record's text; its node's tag and class, as "h3.title", and depth in the DOM."""

    tag: str
    depth: int
    text: str


Record = tuple[Part, ...]


@dataclass(frozen=True)
class ResultPage:
    """One page of results."""

    total: int | None  # number of records that match, if the site states it
    ids: tuple[Hashable, ...]
    records: tuple[Record, ...]
    more: bool  # whether there is a further page


class Site(Protocol):
    """A database behind a query interface, as a crawler sees it.

    Two members are optional. ``len(site)`` is the number of records; without it a result has no
    coverage. ``page_size`` is the length of a full page, by default that of the longest so far.
    """

    def front_page(self) -> str:
        """Return the text of the page with the form, whose words may start a crawl."""

    def page(self, term: str, number: int) -> ResultPage:
        """Return page 1, 2, ... of the results for a term; page 1 may be empty."""


class Searched(Site, Protocol):
    """A database that also says how many pages of results a term has."""

    def query(self, term: str) -> Any:
        """Return an object with ``pages``."""
