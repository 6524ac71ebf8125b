"""One shard: a crawl of the sites that it owns, which posts links to all others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Self

from tres_lib.checks import count
from tres_lib.focused import Ending, Path, Stop
from tres_lib.focused.fetcher import Visit
from tres_lib.focused.loop import Crawler
from tres_lib.store import StorageError
from tres_lib.web.page import Failure, Link, Page, Web

FACTOR = 2862933555777941757  # of a linear congruential generator modulo 2^64


@lru_cache(2**16)
def owner(domain: str, shards: int) -> int:
    """Return the number of the shard that owns a registered domain, with all its hosts.

    Each shard owns about as many domains. Where a shard is added to n, a share 1 / (n + 1) of the
    domains moves, all of them to the new one. `web.domain` gives a URL's registered domain.

    References
    ----------
    Lamping and Veach (2014), A fast, minimal memory, consistent hash algorithm.

    Examples
    --------
    >>> names = [f"site-{i}.example" for i in range(1_000)]
    >>> moved = [(owner(name, 4), owner(name, 5)) for name in names]
    >>> sum(old != new for old, new in moved), {new for old, new in moved if old != new}
    (193, {4})
    """
    count("shards", shards)
    state = int.from_bytes(blake2b(domain.encode(errors="replace"), digest_size=8).digest())
    home = following = 0
    while following < shards:
        home = following
        state = (state * FACTOR + 1) % 2**64
        # The domain stays in its home until the number of shards reaches this one.
        following = int((home + 1) * (2**31 / ((state >> 33) + 1)))
    return home


class Letter(NamedTuple):
    """What another shard must know of a page: where it is, what the path to it was, its links."""

    url: str
    path: tuple[float, int | None, int, int]  # the fields of a `Path`, this page included
    links: list[tuple[str, str]]  # targets and anchors

    @classmethod
    def read(cls, data: Any) -> Self:
        """Return the letter that JSON holds; ValueError or TypeError if it is none."""
        url, (reward, hops, relevant, length), links = data
        path = float(reward), None if hops is None else int(hops), int(relevant), int(length)
        return cls(str(url), path, [(str(link), str(anchor)) for link, anchor in links])


class Order(NamedTuple):
    """What a shard is to do in a round; plain data, so that it can be read again."""

    budget: int
    letters: list[Letter]
    advice: Any = None


class Report(NamedTuple):
    """The result of a shard's round."""

    rows: list[dict[str, Any]]  # of the log
    fetched: int
    relevant: int  # by the classifier
    links: int  # that it may choose from next
    letters: dict[int, list[Letter]]  # by the shard that they are for
    lesson: Any
    teacher: Any  # of the first round, else None
    stopped: Ending | None  # what keeps the crawl from going on, as a full disk
    rests: Ending | None  # why it rests until links come: its fetches fail
    nothing: Ending  # why the shard has no action left; of no meaning while it has one


@dataclass(kw_only=True)
class Shard(Crawler):
    """The crawl of one shard. It owns the URLs of which `owner` gives its `number`."""

    number: int
    owner: Callable[[str], int]
    call: str  # `Job.run` of the call of which it is
    web: Web  # which it may share with others

    def __post_init__(self) -> None:
        super().__post_init__()
        self.played = 0  # rounds
        self.rests: Ending | None = None
        self._full = False  # the policy takes none of the links that it has
        self._posted: dict[int, list[Letter]] = {}  # by the shard that they are for

    def play(self, order: Order) -> Report:
        """Play a round; the first fetches the shard's seeds."""
        first, before = not self.played, len(self.rows)
        self.fetcher.keep_failures()  # other shards know of those of earlier rounds
        # Each time: shards of a process may share a web.
        self.web.ask_only(lambda url: self.owns(url) and self.asks(url))
        ending = stopped = None
        try:
            if first:
                self.begin(list(filter(self.owns, self.settings.seeds)))
            self.policy.heed(order.advice)
            self._receive(order.letters)
            if order.budget:
                ending = self.go_on(self._step + order.budget)
        except StorageError as error:
            stopped = Ending(Stop.UNWRITTEN, cause=str(error))
        self.played += 1
        rows = self.rows[before:]
        fetched = sum(row["step"] > 0 for row in rows)
        if order.budget or order.letters:  # else nothing has changed
            self.rests = ending if ending and ending.stop is Stop.FAILING else None
            self._full = self.rests is None and fetched < order.budget
        letters, self._posted = self._posted, {}
        return Report(
            rows,
            fetched,
            sum(row["step"] > 0 and row["reward"] > 0 for row in rows),
            0 if self._full else len(self.frontier),
            letters,
            self.policy.lesson(),
            self.policy.teacher() if first else None,
            stopped,
            self.rests,
            self.why_nothing(),
        )

    def owns(self, url: str) -> bool:
        """Return whether no other shard may ask for the URL."""
        return self.owner(url) == self.number

    def _receive(self, letters: list[Letter]) -> None:
        """Take in the links that pages of other shards have to own URLs."""
        for letter in letters:
            links = [Link(url, anchor) for url, anchor in letter.links]
            path = Path(*letter.path)
            # Without a text: the policy learns of its links alone. What no page led to, a seed or
            # what a policy suggests, counts as found on a relevant one.
            reward = path.reward if path.length else 1.0
            self.policy.hear(Page(letter.url, 200, "", "", tuple(links)), reward)
            self.policy.add(*self._links_of(links, path, letter.url))

    def _actions_of(self, page: Page | None, path: Path, url: str) -> tuple[Any, Any]:
        if page is not None:
            page = replace(page, links=tuple(self._own(page.links, path, url)))
        return super()._actions_of(page, path, url)

    def _suggested(self, step: int) -> list[str]:
        links = [Link(url, "") for url in super()._suggested(step)]
        return [link.url for link in self._own(links, Path(), "")]

    def _follow_redirect(self, visit: Visit, action: int) -> Visit:
        target = visit.target if visit.failure is Failure.NOT_OURS else ""
        led = visit.page.url if visit.page else target
        if not led or self.owns(led):
            return super()._follow_redirect(visit, action)
        # As if the page before had the link, so that the path is that of a crawl without shards.
        self._own([Link(led, "")], self.frontier.path_to(action), visit.url)
        return visit.refused(Failure.NOT_OURS, f"leads to a page that another shard fetches: {led}")

    def _own(self, links: Iterable[Link], path: Path, url: str) -> list[Link]:
        """Return the links to own URLs; post the others, which the page at a URL has."""
        own: list[Link] = []
        others: dict[int, list[tuple[str, str]]] = {}  # by owner
        for link in links:
            if self.owns(link.url):
                own.append(link)
            elif self.settings.follows(link.url, path.length):
                others.setdefault(self.owner(link.url), []).append((link.url, link.anchor))
        fields = path.reward, path.hops, path.relevant, path.length
        for shard, posted in others.items():
            self._posted.setdefault(shard, []).append(Letter(url, fields, posted))
        return own
