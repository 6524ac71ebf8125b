"""One shard: a crawl of the sites that it owns, which posts links to all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.features import Path
from tres_lib.focused.fetcher import Visit
from tres_lib.focused.loop import Crawler
from tres_lib.web.page import Failure, Link, Page


class Letter(NamedTuple):
    """What another shard must know of a page: where it is, what the path to it was, its links."""

    url: str
    path: tuple[float, int | None, int, int]  # the fields of a `Path`, this page included
    links: list[tuple[str, str]]  # targets and anchors

    @classmethod
    def read(cls, data: Any) -> Letter:
        """Return the letter that JSON holds; ValueError or TypeError if it is none."""
        url, (reward, hops, relevant, length), links = data
        path = float(reward), None if hops is None else int(hops), int(relevant), int(length)
        return cls(str(url), path, [(str(link), str(anchor)) for link, anchor in links])


@dataclass
class Shard(Crawler):
    """The crawl of one shard. It owns the URLs of which `owner` gives its `number`."""

    number: int = 0
    owner: Callable[[str], int] = field(default=lambda url: 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._posted: dict[int, list[Letter]] = {}  # by the shard that they are for

    def owns(self, url: str) -> bool:
        """Return whether no other shard may ask for the URL."""
        return self.owner(url) == self.number

    def receive(self, letters: list[Letter]) -> None:
        """Take in the links that pages of other shards have to own URLs."""
        for letter in letters:
            links = [Link(url, anchor) for url, anchor in letter.links]
            path = Path(*letter.path)
            # Without a text: the policy learns of its links alone. What no page led to, a seed or
            # what a policy suggests, counts as found on a relevant one.
            reward = path.reward if path.length else 1.0
            self.policy.hear(Page(letter.url, 200, "", "", tuple(links)), reward)
            self.policy.add(*self._links_of(links, path, letter.url))

    def spend(self, budget: int) -> Ending | None:
        """Fetch so many pages more, or as many as there are; return why if it gives up."""
        ending = self.go_on(self._step + budget)
        return ending if ending.stop is Stop.FAILING else None

    def posted(self) -> dict[int, list[Letter]]:
        """Return the letters since the last call, by the shard that they are for."""
        letters, self._posted = self._posted, {}
        return letters

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
