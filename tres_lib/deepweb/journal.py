"""A journal of result pages, so that a crawl which was cut off can go on.

A crawl is a pure function of its arguments and of the pages it is given. So its checkpoint is
the pages: the same call reads them again, and asks the site for what comes after them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .records import Part, ResultPage, Site


class JournalledSite:
    """A site whose pages are kept in a file of JSON lines, and read from there if known.

    The first line has the crawl's arguments and the front page; each page of results is written
    before the next is asked for. A last line torn by a crash is cut off.

    Parameters
    ----------
    site : Site
        Its record ids must be numbers or strings.
    path : str or Path
        Made if it is not there.
    arguments : dict
        Of the crawl, in JSON's types.

    Raises
    ------
    ValueError
        If the file is no journal, is damaged, or is of a crawl with other arguments.
    """

    def __init__(self, site: Site, path: str | Path, arguments: dict[str, Any]):
        self._site, self._path = site, Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()
        lines = self._read(arguments)
        if not lines:
            lines = [{"surfacing": arguments, "front": site.front_page()}]
            self._append(lines[0])
        self._front = lines[0]["front"]
        self._pages = {(line["term"], line["number"]): _page(line) for line in lines[1:]}

    def front_page(self) -> str:
        """The site's own, as it was at the start."""
        return self._front

    def page(self, term: str, number: int) -> ResultPage:
        """A page of results, from the journal if it is there."""
        if (term, number) not in self._pages:
            page = self._site.page(term, number)
            self._append({"term": term, "number": number, **vars(page)})
            self._pages[term, number] = page
        return self._pages[term, number]

    def _read(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        """The lines of the file; none if it is new, or torn in the first."""
        data = self._path.read_bytes()
        end = data.rfind(b"\n") + 1
        try:
            lines = [dict(json.loads(line)) for line in data[:end].splitlines()]
        except (ValueError, TypeError) as error:
            raise self._refusal("is damaged, or no journal") from error
        begun = _line({"surfacing": arguments})[:-2]
        if not lines and not begun.startswith(data[: len(begun)]):
            raise self._refusal("is no journal")
        if lines and lines[0].get("surfacing") != arguments:
            raise self._refusal(f"is of {lines[0].get('surfacing')}, and this crawl of {arguments}")
        if end < len(data):
            self._path.write_bytes(data[:end])
        return lines

    def _append(self, data: dict[str, Any]) -> None:
        with self._path.open("ab") as file:
            file.write(_line(data))

    def _refusal(self, reason: str) -> ValueError:
        return ValueError(f"checkpoint={str(self._path)!r} {reason}: name another file")


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def _page(line: dict[str, Any]) -> ResultPage:
    records = tuple(tuple(Part(*part) for part in record) for record in line["records"])
    return ResultPage(line["total"], tuple(line["ids"]), records, line["more"])
