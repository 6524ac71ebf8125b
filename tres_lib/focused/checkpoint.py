"""A crawl's checkpoint: a journal of its visits, from which the same call goes on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..journal import Journal
from ..web.page import FetchError, Web, as_web
from .fetcher import Fetcher, Visit


class JournalledFetcher(Fetcher):
    """Serves the pages of a journal in their order, then fetches and journals new ones.

    A visit is written, in the order of arrival, before it is handed out. A web is told of the
    journal's visits by its methods `remember` and `remember_failure`.
    """

    def __init__(self, web: Web, path: str | Path, arguments: dict[str, Any], in_flight: int = 1):
        super().__init__(web, in_flight)
        self._journal = Journal(path, arguments)
        self._replaying = True
        self._seconds = 0.0
        self._good = self._journal.tell()  # byte at which the last visit ends that is to stay

    def next(self) -> Visit:
        """Return the next visit of the journal as far as it goes, then the first to arrive."""
        visit = self._replayed() if self._replaying else None
        if visit is None:
            visit = super().next()
            self._journal.append(visit.as_json())
        self._seconds = visit.seconds
        if visit.page is not None:
            self._good = self._journal.tell()
        return visit

    def keep_failures(self) -> None:
        """Let the failures so far stay, whatever `forget_failures` cuts off."""
        self._good = self._journal.tell()

    def forget_failures(self) -> None:
        """Cut off the failures at the journal's end, so that the same call tries them again."""
        self._journal.cut(self._good)

    def close(self) -> None:
        """Close the journal too."""
        super().close()
        self._journal.close()

    def _replayed(self) -> Visit | None:
        """Return the journal's next visit; None where it ends, and from then on."""
        start = self._journal.tell()
        data = self._journal.read()
        if data is None:
            self._replaying = False
            self._start = time.perf_counter() - self._seconds
            return None
        try:
            visit = Visit.from_json(data)
        except (ValueError, KeyError, TypeError) as error:
            raise self._journal.damaged(start) from error
        if visit.url not in self._asked:
            told = f"has {visit.url} where this crawl takes {' or '.join(self._asked)}"
            why = "the program, the policy, the classifier or the file has changed"
            raise self._journal.damaged(start, f"{told}; {why}")
        self._asked.remove(visit.url)
        web = as_web(self._web)
        if visit.page is not None:
            self._gives_pages = True
            web.remember(visit.url, visit.page)
        else:
            web.remember_failure(visit.url, FetchError(visit.url, visit.reason, visit.status))
        return visit
