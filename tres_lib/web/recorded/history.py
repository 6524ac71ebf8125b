"""A recording of responses: of each URL the last one, or the last until a moment."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping

from ... import checks
from .recording import HOPS, Document, Recording
from .warc import Response


class LastResponses(Mapping[str, Document]):
    """The last document of each URL until the moment that a clock shows, in days since 1970.

    Without a clock the last response counts, whatever its date.
    """

    def __init__(self, responses: Iterable[Response], clock: Callable[[], float] | None):
        if clock is not None and not callable(clock):
            raise ValueError(f"clock={clock!r}: give a function that returns the time in days")
        self._clock = clock
        self._responses: dict[str, list[Response]] = {}
        for response in sorted(responses, key=lambda r: r.day) if clock else responses:
            earlier = self._responses.setdefault(response.url, [])
            earlier[:] = [*earlier, response] if clock else [response]

    def latest(self, url: str) -> Document | str | None:
        """Return a URL's last document, or where it last led; None if it was not recorded yet."""
        responses = self._responses.get(url, [])
        day = checks.number("clock()", self._clock()) if self._clock else math.inf
        seen = bisect_right(responses, day, key=lambda response: response.day)
        return responses[seen - 1].answer if seen else None

    def __getitem__(self, url: str) -> Document:
        if isinstance(answer := self.latest(url), Document):
            return answer
        raise KeyError(url)

    def __iter__(self) -> Iterator[str]:
        return (url for url in self._responses if isinstance(self.latest(url), Document))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class History(Recording):
    """A recording whose documents and redirects are the last ones."""

    def __init__(self, responses: Iterable[Response], clock: Callable[[], float] | None):
        self._last = LastResponses(responses, clock)
        super().__init__(self._last)

    def end(self, url: str) -> str:
        """Return where a URL leads after redirects."""
        for _ in range(HOPS):
            target = self._last.latest(url)
            if not isinstance(target, str):
                break
            url = target
        return url
