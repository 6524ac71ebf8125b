"""A site whose pages are kept in a journal, so that a killed crawl can go on."""

from ..journal import Journal
from .records import Part, ResultPage, Site


class JournalledSite:
    """A site whose pages are read from a journal if they are there, and else added to it.

    The front page comes first. The site's record ids must be numbers or strings.
    """

    def __init__(self, site: Site, journal: Journal):
        self._site = site
        self._journal = journal
        self._pages: dict[tuple[str, int], ResultPage] = {}
        first = journal.read()
        if first is None:
            first = {"front": site.front_page()}
            journal.append(first)
        start = journal.tell()
        try:
            while (line := journal.read()) is not None:
                records = tuple(tuple(Part(*part) for part in record) for record in line["records"])
                page = ResultPage(line["total"], tuple(line["ids"]), records, line["more"])
                self._pages[line["term"], line["number"]] = page
                start = journal.tell()
            self._front = str(first["front"])
        except (KeyError, TypeError) as error:
            raise journal.damaged(start) from error

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
