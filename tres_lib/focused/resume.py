"""How a crawl goes on after a kill: its journal is read, and told to it again."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tres_webs.files import read_lines

from ..store import Journal
from .crawl import Crawl
from .fetching import Visit


class History:
    """A journal of what was asked and told: a line a visit, with the URLs asked since the last."""

    def __init__(self, journal: Journal | None):
        self._journal = journal
        self._asked: list[str] = []
        self._seeds: list[str] = []  # those of them that came late
        self._passed: set[str] = set()  # what is not replayed: beyond a smaller budget
        self._good = journal.tell() if journal else 0  # where what a failing run leaves ends

    def replay(self, crawl: Crawl, whole: bool = False) -> Iterator[tuple[Visit, dict[str, Any]]]:
        """Tell a crawl what the journal has, within its budget or `whole`; yield visit and row."""
        if not (journal := self._journal):
            return
        place = journal.tell()
        for line in iter(journal.read, None):
            if crawl.ending is not None and not whole:
                return  # of a smaller budget
            visit = self._read(line, crawl, place, whole)
            place = journal.tell()
            if visit.page is not None:
                self._good = place
            if visit.url in crawl.waiting:
                yield visit, crawl.tell(visit.url, visit, visit.seconds)

    def _read(self, line: dict[str, Any], crawl: Crawl, place: int, whole: bool) -> Visit:
        """Return the visit of a line, after what was asked for before it."""
        assert self._journal
        try:
            visit = Visit.from_json(line)
            asked, late = line["asked"], line.get("seeds", [])
            if not all(isinstance(url, str) for url in (visit.url, *asked, *late)):
                raise TypeError("a URL is no text")
        except (ValueError, LookupError, TypeError) as error:
            raise self._journal.damaged(place) from error
        for url in asked:
            if whole or url in late or crawl.may_ask:
                crawl.ask(url, seed=url in late)
            else:
                self._passed.add(url)
        if visit.url not in crawl.waiting and visit.url not in self._passed:
            raise self._journal.damaged(place, f"has {visit.url}, which was not asked for")
        return visit

    def asked(self, url: str, seed: bool = False) -> None:
        """Note that a URL was asked for, which may be a seed that came late, for the next line."""
        if self._journal:
            self._asked.append(url)
            self._seeds += [url] * seed

    def write(self, visit: Visit) -> None:
        """Write a visit at once; StorageError if it cannot be written."""
        if self._journal:
            late = {"seeds": self._seeds} if self._seeds else {}
            self._journal.append({"asked": self._asked, **late, **visit.as_json()})
            self._asked, self._seeds = [], []
            if visit.page is not None:
                self._good = self._journal.tell()

    def forget_failures(self) -> None:
        """Cut off the failures at the journal's end, so that the next run tries them again."""
        if self._journal:
            self._journal.cut(self._good)


def past_of(checkpoint: str | Path | None) -> list[str]:
    """Return the URLs that a journal's crawl has asked for, as far as it can be read."""
    urls: list[str] = []
    if checkpoint is None or not Path(checkpoint).is_file():
        return urls
    for line in islice(read_lines(checkpoint), 1, None):
        try:
            asked = json.loads(line)
            urls += map(str, (asked["url"], *asked["asked"]))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            break  # it is named when it is read to be told
    return urls
