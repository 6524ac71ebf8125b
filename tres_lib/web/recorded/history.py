"""A recording of responses: of each URL the last one, or the last until a moment."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from ... import checks
from ..page import Page
from .recording import Document, Recording, parsed
from .warc import Response


class History(Recording):
    """The last document of each URL until the moment that a clock shows, in days since 1970.

    Without a clock the last response counts, whatever its date.
    """

    def __init__(self, responses: Iterable[Response], clock: Callable[[], float] | None):
        if clock is not None and not callable(clock):
            raise ValueError(f"clock={clock!r}: give a function that returns the time in days")
        super().__init__({})
        self._clock = clock
        for response in sorted(responses, key=lambda r: r.day) if clock else responses:
            earlier = self.data.setdefault(response.url, [])
            earlier[:] = [*earlier, response] if clock else [response]

    def latest(self, url: str) -> Document | str | None:
        """Return a URL's last document, or where it last led; None if it was not recorded yet."""
        responses = self.data.get(url, [])
        day = checks.number("clock()", self._clock()) if self._clock else math.inf
        seen = bisect_right(responses, day, key=lambda response: response.day)
        return responses[seen - 1].answer if seen else None

    def target(self, url: str) -> str | None:
        """Return where a URL last led; None if it last had a page."""
        return answer if isinstance(answer := self.latest(url), str) else None

    def __getitem__(self, url: str) -> Page:
        if isinstance(answer := self.latest(url), Document):
            return parsed(url, answer)
        raise KeyError(url)

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and isinstance(self.latest(url), Document)

    def __iter__(self) -> Iterator[str]:
        return (url for url in self.data if url in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
