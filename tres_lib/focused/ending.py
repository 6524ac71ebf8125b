"""Why a crawl ended."""

from dataclasses import dataclass
from enum import StrEnum


class Stop(StrEnum):
    """The ways in which a crawl ends, each with its words for people."""

    SPENT = "budget spent"
    EMPTY = "frontier empty"
    NO_SEED = "no seed could be fetched"
    AT_LIMIT = "all domains with links left are at their limit ({number} pages)"
    DECLINED = "nothing left that the policy would take ({number:,} links left)"
    DRY = "ran dry: the policy takes only a domain's first links ({number:,} links left)"
    ERRORS = "{number:,} errors were skipped, more than the crawl may take steps"
    FAILING = "{number} fetches in a row failed, the last one: {cause}"
    UNWRITTEN = "{cause}"  # a journal or an archive
    INTERRUPTED = "stopped by a signal"
    ERROR = "error: {cause}"


@dataclass(frozen=True)
class Ending:
    """Why a crawl ended; as a string, in words.

    Examples
    --------
    >>> str(Ending(Stop.FAILING, 4, "HTTP 500"))
    '4 fetches in a row failed, the last one: HTTP 500'
    """

    stop: Stop
    number: int = 0  # of pages at the limit, links left, errors or failures
    cause: str = ""  # the last failure or the error

    def __str__(self) -> str:
        return self.stop.value.format(number=self.number, cause=self.cause)

    def as_json(self) -> list[str | int]:
        """Return what `from_json` reads."""
        return [self.stop.name, self.number, self.cause]

    @classmethod
    def from_json(cls, data: list) -> "Ending":
        """Return the ending that `as_json` wrote."""
        name, number, cause = data
        return cls(Stop[name], int(number), str(cause))
