"""The base of webs that show another web with something changed."""

from collections.abc import Callable

import numpy as np

from .checks import members
from .page import FetchError, Page, Web, as_web
from .topic import Topic


class Wrapper(Web):
    """Another web. A subclass overrides what it changes; the rest is passed on.

    `html` and `look` keep the defaults of `Web`: passed on, they would show the page as it was
    before the change.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tres_webs import ReplayWeb
    >>> class Untitled(Wrapper):
    ...     def fetch(self, url):
    ...         return replace(super().fetch(url), title="")
    >>> pages = {"http://a.example/": "<title>Jazz</title>"}
    >>> untitled = Untitled(ReplayWeb.from_pages(pages))
    >>> untitled.fetch("http://a.example/").title, untitled.urls()
    ('', ['http://a.example/'])
    """

    def __init__(self, web: Web):
        members("web", web, "fetch(url)")
        self.web = web
        self._whole = as_web(web)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.web!r})"

    def inner(self, url: str) -> str:
        """Return the URL under which the other web has a page. Default: the same."""
        return url

    def outer(self, url: str) -> str:
        """Return the URL by which a page of the other web is shown. Default: the same."""
        return url

    def fetch(self, url: str) -> Page:
        return self.web.fetch(self.inner(url))

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        return self._whole.is_relevant(self.inner(url), topic)

    def seeds(self, topic: str | Topic, n: int, rng: np.random.Generator | int) -> list[str]:
        return list(map(self.outer, self._whole.seeds(topic, n, rng)))

    def urls(self) -> list[str]:
        return list(map(self.outer, self._whole.urls()))

    def random_article_pages(self, n: int, rng: np.random.Generator | int) -> list[str]:
        return list(map(self.outer, self._whole.random_article_pages(n, rng)))

    def kind(self, url: str) -> str:
        return self._whole.kind(self.inner(url))

    def ask_only(self, owns: Callable[[str], bool]) -> None:
        same = type(self).outer is Wrapper.outer
        self._whole.ask_only(owns if same else lambda url: owns(self.outer(url)))

    def pause(self, url: str) -> float:
        return self._whole.pause(self.inner(url))

    def remember(self, url: str, page: Page) -> None:
        self._whole.remember(self.inner(url), page)

    def remember_failure(self, url: str, error: FetchError) -> None:
        self._whole.remember_failure(self.inner(url), error)
