"""What came of a URL: a page, or a failure and its reason."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from traceback import format_exc
from typing import Any

from tres_webs.checks import is_count, number
from tres_webs.files import StorageError
from tres_webs.page import Failure, FetchError, Page, Web, link_rows, links_of
from tres_webs.parsing import printable

logger = logging.getLogger(__name__)
ERRORS = {Failure.OTHER, Failure.ROBOTS, Failure.ERROR_PAGE}  # others come from hosts that answer
ERROR_TEXTS = "404 not found", "access denied"  # in the first letters of a page
FIRST = 100  # letters


@dataclass(frozen=True)
class Visit:
    """A page, or None and why; `seconds` since the crawl's start."""

    url: str
    page: Page | None
    seconds: float
    status: int | None = None
    failure: Failure | None = None
    reason: str = ""  # for people
    target: str = ""  # URL of the page that it is a copy of or leads to

    @classmethod
    def of(cls, url: str, came: Page | FetchError, seconds: float = 0.0) -> "Visit":
        """Return the visit of a page, or of a failure."""
        if not isinstance(came, FetchError):
            return cls(url, came, seconds, came.status)
        status = came.status if _is_status(came.status) else None
        reason = str(came.reason) or "FetchError"
        reason = reason.encode("utf-8", "backslashreplace").decode()  # the log's strings are UTF-8
        return cls(url, None, seconds, status, came.failure, reason, came.target)

    @property
    def error(self) -> FetchError:
        """The failure, as the web raised it."""
        failure = self.failure or Failure.OTHER
        return FetchError(self.url, self.reason, self.status, failure, self.target)

    @property
    def is_error(self) -> bool:
        """Whether there is no page, or one that says of itself that it is an error."""
        if self.page is None:
            return self.failure in ERRORS
        opening = self.page.text[:FIRST].lower()
        return any(words in opening for words in ERROR_TEXTS)

    def refused(self, failure: Failure, reason: str) -> "Visit":
        """Return the visit without its page."""
        return replace(self, page=None, failure=failure, reason=reason)

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        data: dict[str, Any] = {"url": self.url, "seconds": self.seconds}
        page = self.page
        if page is None:
            names = "status", "failure", "reason", "target"
            return data | {name: getattr(self, name) for name in names}
        rows, paths = link_rows(page.links)
        return data | {
            "page": [page.url, page.status, page.title, page.text],
            "links": rows,
            "paths": paths,
            "fetched_at": page.fetched_at,
            "truncated": page.truncated,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Visit":
        """Return the visit that `as_json` wrote; raise an error if it is none."""
        seconds = number("seconds", data["seconds"], 0)
        if "page" not in data:
            status, reason, target = data["status"], data["reason"], data["target"]
            texts = isinstance(reason, str) and isinstance(target, str)
            if not (texts and (status is None or _is_status(status))):
                raise TypeError("neither a page nor a failure")
            failure = Failure(data["failure"])
            return cls(data["url"], None, seconds, status, failure, reason, target)
        url, status, title, text = data["page"]
        links = links_of(data["links"], data.get("paths", ()))
        fetched_at = data["fetched_at"]
        if fetched_at is not None:
            number("fetched_at", fetched_at)
        page = Page(url, status, title, text, links, None, fetched_at, data.get("truncated", False))
        return cls(data["url"], _checked(page), seconds, page.status)


def fetched(web: Web, url: str, clock: Callable[[], float], known: bool = True) -> Visit:
    """Fetch a page; all that goes wrong but StorageError becomes a visit's reason.

    A web that is not `known` to give pages, and gives something else, raises WebError.
    """
    try:
        return Visit.of(url, _checked(web.fetch(url), known), clock())
    except FetchError as error:
        return Visit.of(url, error, clock())
    except (StorageError, WebError):  # to go on would lose this page and those that follow
        raise
    except Exception as error:  # one bad page must not end a crawl of thousands
        logger.warning("%s could not be read\n%s", url, printable(format_exc()))
        return Visit.of(url, FetchError(url, f"{type(error).__name__}: {error}"), clock())


class WebError(ValueError):
    """A web gives no pages from the first on: a mistake in the program, not in a page."""


def _checked(page: Page, known_web: bool = True) -> Page:
    """Return the page itself; raise unless the crawl can use all its parts."""
    if isinstance(page, str | bytes):
        remedy = "give a Page, as web.parse_page(url, html) makes it"
        found = f"web: its fetch returned a {type(page).__name__}, {page[:40]!r}; {remedy}"
        raise TypeError(found) if known_web else WebError(found)
    # What is no str raises here.
    "".join([page.title, page.text, *[link.anchor + link.path for link in page.links]])
    "".join([page.url, *[link.url for link in page.links]]).encode()  # as the log must hold it
    if not _is_status(page.status):
        raise TypeError(f"the page's status is no int: {page.status!r}")
    return page


def _is_status(value: Any) -> bool:
    return is_count(value) and abs(value) < 2**63  # what the log can hold
