"""A recording as of a moment: of each URL what was recorded last until then."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping

from ... import checks
from .recording import HOPS, Document, Recording
from .warc import Response


class AsOf(Mapping[str, Document]):
    """The last document of each URL until the moment that a clock shows, in days since 1970."""

    def __init__(self, responses: Iterable[Response], clock: Callable[[], float]):
        if not callable(clock):
            raise ValueError(f"clock={clock!r}: give a function that returns the time in days")
        self._clock = clock
        self._responses: dict[str, list[Response]] = {}
        for response in sorted(responses, key=lambda response: response.day):
            self._responses.setdefault(response.url, []).append(response)

    def latest(self, url: str) -> Document | str | None:
        """Return a URL's last document, or where it last led; None if it was not recorded yet."""
        responses = self._responses.get(url, [])
        day = checks.number("clock()", self._clock())
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
    """A recording whose documents and redirects are those as of a moment."""

    def __init__(self, documents: AsOf):
        super().__init__(documents)
        self._documents = documents

    def end(self, url: str) -> str:
        """Return where a URL leads after redirects as of the moment."""
        for _ in range(HOPS):
            target = self._documents.latest(url)
            if not isinstance(target, str):
                break
            url = target
        return url
