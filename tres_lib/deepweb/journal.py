"""A site whose pages are kept in a journal, so that a killed crawl can go on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

from ..journal import Journal
from .records import Part, ResultPage, Site


class JournalledSite:
    """A site whose pages are read from a journal if they are there, and else added to it.

    The arguments' line is followed by the front page and by each page of results, which is written
    before the next is asked for. The site's record ids must be numbers or strings.
    """

    def __init__(self, site: Site, path: str | Path, arguments: Mapping[str, Any]):
        self._site = site
        self._journal = Journal(path, arguments)
        self._pages: dict[tuple[str, int], ResultPage] = {}
        try:
            self._front = self._read()
        except BaseException:
            self._journal.close()
            raise

    def front_page(self) -> str:
        """Return the site's front page as it was at the start."""
        return self._front

    def page(self, term: str, number: int) -> ResultPage:
        """Return a page of results, from the journal if it is there."""
        if (term, number) not in self._pages:
            page = self._site.page(term, number)
            self._journal.append({"term": term, "number": number, **vars(page)})
            self._pages[term, number] = page
        return self._pages[term, number]

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _read(self) -> str:
        """Read all pages of the journal, and return the front page."""
        first = self._journal.read()
        if first is None:
            first = {"front": self._site.front_page()}
            self._journal.append(first)
        start = self._journal.tell()
        try:
            while (line := self._journal.read()) is not None:
                self._pages[line["term"], line["number"]] = _page(line)
                start = self._journal.tell()
            return str(first["front"])
        except (KeyError, TypeError) as error:
            raise self._journal.damaged(start) from error


def _page(line: Mapping[str, Any]) -> ResultPage:
    records = tuple(tuple(Part(*part) for part in record) for record in line["records"])
    ids: tuple[Hashable, ...] = tuple(line["ids"])
    return ResultPage(line["total"], ids, records, line["more"])
