"""The tool: watch a topic for weeks, and fetch what serves most."""

import logging
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any, Self

from tres_lib import topics
from tres_lib.focused.settings import check_seeds
from tres_webs import Page, Topic, as_web, get_topic
from tres_webs.checks import count, instance, members, number, positive, texts

from ..scope import Scope
from ..topic.own import own_classifier
from .clock import DAY, SLOWEST, WallClock
from .judging import Judge
from .report import Report
from .session import Session
from .store import Row, Store
from .visits import Visitor

PAUSE = 900.0  # seconds after which it looks around again, where nothing may be fetched
LEAST = 1e-3  # seconds of a wait
logger = logging.getLogger(__name__)
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Watch(Report):
    """A watch and its store, which only this process may write; made by `watch`.

    It reports as a `Report` does, and is closed like it at the end of a ``with`` block.
    """

    def __init__(self, session: Session, visitor: Visitor, clock: WallClock, until: float | None):
        super().__init__(session.store, clock)
        self._session = session
        self._visitor = visitor
        self._until = until
        self._stop = Event()
        self._waited = 0.0  # seconds, in the last step
        self._since = time.monotonic()  # that step

    def run(self, on_look: Callable[[Row], object] | None = None) -> Self:
        """Watch until the time is over or a signal comes.

        Ctrl-C and SIGTERM let a look end; a second one does what it did before. After an error the
        store is closed: `watch` goes on with it, as after a kill. StorageError if it cannot be
        written, as on a full disk. `on_look` gets the row of each look, as in the log.
        """
        self._stop.clear()
        try:
            with _signals(self._stop):
                while self._step(on_look):
                    pass
        except BaseException:
            self.close()  # what is in memory may be ahead of it
            raise
        return self

    @property
    def stopped(self) -> bool:
        """Whether a signal ended the last `run`."""
        return self._stop.is_set()

    def _step(self, on_look: Callable[[Row], object] | None) -> bool:
        """Wait or look once; return whether there is more to do."""
        session = self._session
        before = session.at
        passed = max(self._waited, time.monotonic() - self._since)
        self._waited, self._since = 0.0, time.monotonic()
        now = session.now(self._clock.now(), passed)
        if now > before + passed + DAY:
            days = (now - before) / DAY
            logger.warning("%.1f days passed at once: stopped, asleep, or the clock was set", days)
        left = float("inf") if self._until is None else session.began + self._until * DAY - now
        if self._stop.is_set() or left <= 0:
            return False
        wait = session.wait(now)
        day = session.day(now)
        choice = session.choose(day) if wait == 0 else None
        if choice is not None:
            row = self._visitor.visit(choice, now)
            if on_look:
                on_look(row)
            return True
        if wait == 0:
            wait = min(PAUSE, (session.calendar.next_due() - day) * DAY)
        self._waited = min(max(wait, LEAST), left, DAY)
        self._clock.wait(self._waited, self._stop)
        return True


def watch(
    web: Any,
    seeds: Iterable[str],
    topic: str | Topic,
    *,
    store: str | Path,
    bandwidth: float = 1_000,
    until: float | None = None,
    classifier: Any = None,
    keywords: Iterable[str] | None = None,
    importance: Callable[[Page], float] | None = None,
    half_life: float = 1.5,
    lasting: float = 0.2,
    scope: Scope | None = None,
    max_per_domain: int | None = None,
    rng: int = 0,
    clock: WallClock | None = None,
) -> Watch:
    """Watch a topic for weeks by `Watch.run`: one bandwidth for new links, known pages and hubs.

    Each fetch goes to the link or page that is expected to serve the most requests. The same store
    goes on where it was stopped or killed; a look is one transaction.

    Parameters
    ----------
    web : Web
        Where pages come from; a polite `LiveWeb` as a rule, with ``feeds=True``. A web that has
        ``look(url, conditions)``, as that has, is asked only whether known pages have changed. What
        servers, feeds and sitemaps say of changes is believed as far as it held for their host; how
        often a feed or sitemap is read follows from its new links alone.
    seeds : iterable of str
        URLs to start from; those that a store does not know are added.
    topic : str or Topic
        A name of ``data/topics.yaml``, or a topic of your own.
    store : path
        File of the watch. ValueError if it is of another topic, or in use by another process.
    bandwidth : float
        Fetches a day; at most what an hour brings is saved up.
    until : float, optional
        Days from the beginning after which `run` ends. Default: none.
    classifier : object or callable, optional
        See `topics.as_classifier`. Default: `tres_live.own_classifier` of the topic.
    keywords : iterable of str, optional
        Words that describe the topic, in place of its own.
    importance : callable, optional
        Page -> requests a day for a relevant page that is new; default: 1.
    half_life : float
        Days in which half of the interest in a new page fades.
    lasting : float
        The share of it, from 0 to 1, that stays until the page ends.
    scope : Scope, optional
        Which links to follow, by host and URL; see `tres_live.Scope`. Redirects, feeds and sitemaps
        keep to it as well, which binds the web. Default: all.
    max_per_domain : int, optional
        Known pages of a registered domain from which on no link to it is followed. Default: none.
        Whatever the limit, a domain among ten or more gets at most a fifth of the fetches while
        others have one worth it.
    rng : int
        Seed of the classifier that is trained where none is given.
    clock : WallClock or VirtualClock, optional
        Default: that of this machine.

    Examples
    --------
    Thirty days pass at once on a virtual clock:

    >>> import tempfile
    >>> import tres_live
    >>> import tres_webs as web
    >>> pages = {"http://a.example/": "<title>Jazz</title><a href=/b>more jazz</a>",
    ...          "http://a.example/b": "<title>Jazz again</title>"}
    >>> with tres_live.watch(web.ReplayWeb.from_pages(pages), ["http://a.example/"], "food",
    ...                     store=tempfile.mkdtemp() + "/jazz.sqlite", bandwidth=2, until=30,
    ...                     classifier=lambda texts: ["Jazz" in text for text in texts],
    ...                     clock=tres_live.VirtualClock()) as watched:
    ...     watched.run().table()["title"].tolist()
    ['Jazz', 'Jazz again']
    """
    members("web", web, "fetch(url)")
    urls = check_seeds(texts("seeds", seeds, least=1))
    number("bandwidth", bandwidth, SLOWEST)
    positive("half_life", half_life)
    number("lasting", lasting, 0, 1)
    count("rng", rng, 0)
    if until is not None:
        positive("until", until)
    if importance is not None and not callable(importance):
        raise ValueError(f"importance={importance!r}: give a function of a Page")
    if scope is not None:
        instance("scope", scope, Scope)
    if max_per_domain is not None:
        count("max_per_domain", max_per_domain)
    topic = get_topic(topic)
    if keywords is not None:
        topic = Topic(topic.name, tuple(keywords), topic.rules, examples=topic.examples)
    if classifier is None:
        classifier = own_classifier(topic, seed=rng)
    judge = Judge(topics.as_classifier(classifier), importance)
    clock = clock or WallClock()
    opened = Store(store)
    as_web(web).ask_only((scope or Scope()).requests(urls))
    try:
        settings = half_life, lasting, bandwidth, clock.now(), max_per_domain
        session = Session(opened, topic.name, *settings)
        visitor = Visitor(web, judge, scope, session)
        visitor.add_seeds(urls)
    except BaseException:
        opened.close()
        raise
    return Watch(session, visitor, clock, until)


@contextmanager
def _signals(stop: Event) -> Iterator[None]:
    """Let a first Ctrl-C or SIGTERM set an event, where signals come: in the main thread."""
    with ExitStack() as restored:

        def end(*_: object) -> None:
            stop.set()
            restored.close()

        if current_thread() is main_thread():
            for name in SIGNALS:
                restored.callback(signal.signal, name, signal.signal(name, end))
        yield
