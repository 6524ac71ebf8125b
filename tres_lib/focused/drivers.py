"""What drives a `Crawl`: pages one by one or several in flight, and the journal to go on from."""

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Unpack, cast
from urllib.parse import urlsplit

import numpy as np
from tqdm.auto import tqdm

from tres_webs.checks import count, members
from tres_webs.files import StorageError, read_lines
from tres_webs.page import Web, as_web
from tres_webs.topic import Topic, get_topic

from ..store import Journal
from .crawl import Crawl
from .fetching import Visit, fetched
from .policy import policy_name
from .result import CrawlResult, Ending, Stop
from .settings import CrawlArguments, check_seeds

logger = logging.getLogger(__name__)
LONG_PAUSE = 10.0  # seconds, of a host; the links of its domain rest so long
GROW = 20  # rows of the log for each further page in flight; fixed on development webs


def crawl(
    web: Web,
    seeds: Iterable[str],
    topic: str | Topic,
    *,
    checkpoint: str | Path | None = None,
    progress: bool = True,
    on_row: Callable[[dict[str, Any]], object] = lambda row: None,
    patience: int | None = None,
    grow: int = GROW,
    **settings: Unpack[CrawlArguments],
) -> CrawlResult:
    """Crawl from the seeds for pages on a topic, letting a policy choose each link.

    A page has reward 1 if the classifier gives it a probability of at least 0.5, else 0. A fetch
    that fails costs a step, unless ``errors="skip"``. Seeds are taken as relevant, and count
    towards neither the budget, nor the harvest rate, nor the limit per domain. Equal arguments give
    equal crawls, one page at a time and where no host asks for a long pause.

    Parameters
    ----------
    topic : str or Topic
        One of data/topics.yaml or of the web's `topics` by name, or of one's own.
    checkpoint : path, optional
        A journal, made if need be. A call with the same topic, seeds and `rng`, an int, goes on
        where the last one ended, killed or not. The budget, the bounds, the classifier and the
        policy may be others: the pages so far are told to them.
    on_row : callable, optional
        Is given each row of the log, a dict, as soon as the page is classified; of a resumed crawl
        also those of the checkpoint's pages.
    patience : int, optional
        Failed fetches in a row after which to stop, as when the network is gone; by default never.
        The next call with the same checkpoint tries them again.
    grow : int
        With several pages in flight: one more at a time for each so many rows of the log, up to
        `in_flight`, because a choice made early is a choice made blindly; 0: all from the start.
    **settings
        Fields of `CrawlSettings`, such as ``policy="tres"``, ``budget=20_000`` and ``rng=0``.

    Examples
    --------
    >>> from tres_webs import ReplayWeb
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return np.array([0.9 if "jazz" in text else 0.1 for text in texts])
    >>> start = "http://a.example/"
    >>> hub = "<a href='/b'>chess</a> <a href='/c'>jazz</a>"
    >>> small = ReplayWeb.from_pages({start: hub, start + "b": "chess", start + "c": "jazz"})
    >>> options = {"policy": "best-first", "classifier": SaysJazz(), "progress": False}
    >>> result = crawl(small, [start], Topic("jazz", ["jazz"]), budget=2, **options)
    >>> result.log[["step", "url", "reward"]].values.tolist()[1:]
    [[1, 'http://a.example/c', 1.0], [2, 'http://a.example/b', 0.0]]
    >>> result.harvest_rate, result.domains, result.stopped
    (0.5, 1, 'budget spent')
    """
    members("web", web, "fetch(url)", "is_relevant(url, topic)")
    if not callable(on_row):
        raise ValueError(f"on_row={on_row!r}: give a function of a dict, such as print")
    if not isinstance(checkpoint, str | Path | None):
        raise ValueError(f"checkpoint={checkpoint!r}: give the path of a journal")
    rng = settings.get("rng", 0)
    if checkpoint is not None and isinstance(rng, np.random.Generator):
        raise ValueError(f"rng={rng!r}: with a checkpoint give an int as the seed")
    grow = count("grow", grow, 0)
    patience = None if patience is None else count("patience", patience)
    subject, policy = get_topic(topic, web), cast(Any, settings.get("policy", "tres"))
    named = policy_name(policy)
    if named == "seedfinder":
        from .baselines.seedfinder import searching

        policy = searching(web)
    core = Crawl(
        check_seeds(seeds),
        subject,
        truth=lambda url: web.is_relevant(url, subject),
        past=past_of(checkpoint),
        **{**settings, "policy": policy},
    )
    about = core.settings.as_json() | {"policy": named}
    same = {name: about[name] for name in ("topic", "seeds", "rng")}
    total, hidden = core.settings.budget, None if progress else True  # None: TQDM_DISABLE decides
    with (
        nullcontext() if checkpoint is None else Journal(checkpoint, same) as journal,
        tqdm(total=total, unit="page", desc="crawl", disable=hidden) as bar,
        _asked_only(web, core),
    ):
        history, relevant = History(journal), 0.0

        def seen(row: dict[str, Any]) -> None:
            nonlocal relevant
            on_row(row)
            relevant += row["reward"] if row["step"] else 0.0
            if row["step"] > bar.n:
                bar.set_postfix_str(f"harvest {relevant / row['step']:.3f}", refresh=False)
                bar.update(row["step"] - bar.n)

        ending = drive(
            core, as_fetcher(web, core.settings.in_flight), history, seen, patience, grow
        )
    if ending.stop is Stop.EMPTY and core.rows[-1]["step"] == 0:
        logger.warning("no link leads on from the seeds: give others, or more of them")
    return replace(core.result(), settings=about, ending=ending)


def drive(
    crawl: Crawl,
    fetcher: Any,
    history: "History",
    on_row: Callable[[dict[str, Any]], object] = lambda row: None,
    patience: int | None = None,
    grow: int = 0,
) -> Ending:
    """Crawl to the end: ask, start, wait for what is first, tell. Return why it ended.

    A fetcher has the methods of `Threads`, the last two if it likes. Its ``next`` may give a tuple,
    of the visit and of `Crawl.tell`'s p and own.
    """
    note, pause = getattr(fetcher, "replayed", None), getattr(fetcher, "pause", lambda url: 0.0)
    in_flight, most_failures = crawl.settings.in_flight, patience or np.inf
    try:
        for visit, row in history.replay(crawl):
            if note is not None:
                note(visit)
            on_row(row)
        for url in crawl.waiting if crawl.ending is None else ():  # in flight at a kill
            fetcher.start(url)
        while crawl.ending is None:
            if crawl.failures >= most_failures and not crawl.seeding:
                history.forget_failures()
                return Ending(Stop.FAILING, crawl.failures, crawl.rows[-1]["reason"])
            most = min(in_flight, 1 + len(crawl.rows) // grow) if grow else in_flight
            while len(crawl.waiting) < most:
                chosen = _asked(crawl, pause)
                if chosen is None:
                    break
                history.asked(chosen)
                fetcher.start(chosen)
            if crawl.waiting:
                came = fetcher.next()
                visit, *read = came if isinstance(came, tuple) else (came,)
                history.write(visit)  # before it is learnt from
                on_row(crawl.tell(visit.url, visit, visit.seconds, *read))
    except StorageError as error:
        return Ending(Stop.UNWRITTEN, cause=str(error))
    return crawl.ending


def _asked(crawl: Crawl, pause: Callable[[str], float]) -> str | None:
    """Ask for a URL of a host that asks for no long pause; wait if there are no others."""

    def ready(url: str) -> bool:
        return pause(url) <= LONG_PAUSE

    chosen = crawl.ask(ready=ready)
    if chosen is None and crawl.resting and not crawl.waiting:
        seconds = min(map(pause, crawl.resting.values())) - LONG_PAUSE
        logger.info("all hosts with links left ask for pauses: waiting for %.0f s", seconds)
        time.sleep(max(seconds, 0.0))
        chosen = crawl.ask(ready=ready) or crawl.ask()
    return chosen


class Threads:
    """Fetches from a web by one thread a page, or at once where one page is in flight."""

    def __init__(self, web: Web, in_flight: int):
        self._web = as_web(web)
        self._at_once = in_flight == 1
        self._known = False  # whether the web has given a page
        self._begun = time.perf_counter()
        self._urls: list[str] = []
        self._arrived: SimpleQueue[Visit | BaseException] = SimpleQueue()

    def start(self, url: str) -> None:
        """Begin to fetch a URL, or put it on the list."""
        if self._at_once:
            self._urls.append(url)
        else:  # a daemon, for whose end a program that is interrupted does not wait
            Thread(target=self._fetch, args=(url,), daemon=True).start()

    def next(self) -> Visit:
        """Return the first visit to arrive, or raise what a thread met."""
        if self._at_once:
            return self._visit(self._urls.pop(0))
        first = self._arrived.get()
        if isinstance(first, BaseException):
            raise first
        return first

    def replayed(self, visit: Visit) -> None:
        """Let the web, and the clock, go on after a visit of an earlier run."""
        self._begun = time.perf_counter() - visit.seconds
        if visit.page is None:
            self._web.remember_failure(visit.url, visit.error)
        else:
            self._known = True
            self._web.remember(visit.url, visit.page)

    def pause(self, url: str) -> float:
        """Return for how many seconds from now the URL's host asks to be left alone."""
        return self._web.pause(url)

    def _visit(self, url: str) -> Visit:
        visit = fetched(self._web, url, lambda: time.perf_counter() - self._begun, self._known)
        self._known |= visit.page is not None
        return visit

    def _fetch(self, url: str) -> None:
        try:
            self._arrived.put(self._visit(url))
        except BaseException as error:  # raised where the visit is waited for
            self._arrived.put(error)


def as_fetcher(web: Any, in_flight: int) -> Any:
    """Return what fetches from a web: itself, as one of many machines, or threads."""
    return web if hasattr(web, "start") and hasattr(web, "next") else Threads(web, in_flight)


class _Owns:
    """Says which URLs a crawl may ask for: those in its scope, of domains that are not full."""

    def __init__(self, asks: Callable[[str], bool], crawl: Crawl | None):
        self._asks, self._crawl = asks, crawl

    def __call__(self, url: str) -> bool:
        if not self._asks(url):
            return False
        full = self._crawl is not None and self._crawl.is_full(url)
        return not full or urlsplit(url).path == "/robots.txt"

    def __reduce__(self) -> Any:
        return _Owns, (self._asks, None)  # another process knows the scope; what is full, this one


@contextmanager
def _asked_only(web: Web, crawl: Crawl) -> Iterator[None]:
    """Hold a web's requests, hops of redirects among them, to a crawl's scope and to MAX."""
    guarded, settings = as_web(web), crawl.settings
    requests = getattr(settings.follow, "requests", None)
    guarded.ask_only(_Owns(requests(settings.seeds) if requests else lambda url: True, crawl))
    try:
        yield
    finally:
        guarded.ask_only(lambda url: True)


class History:
    """A journal of what was asked and told: a line a visit, with the URLs asked since the last."""

    def __init__(self, journal: Journal | None):
        self._journal = journal
        self._asked: list[str] = []
        self._seeds: list[str] = []  # those of them that came late
        self._passed: set[str] = set()  # what is not replayed: beyond a smaller budget, or known
        self._good = journal.tell() if journal else 0  # where what a failing run leaves ends

    def replay(self, crawl: Crawl, whole: bool = False) -> Iterator[tuple[Visit, dict[str, Any]]]:
        """Tell a crawl what the journal has, within its budget or `whole`; yield visit and row."""
        if not (journal := self._journal):
            return
        place = journal.tell()
        for line in iter(journal.read, None):
            if crawl.ending is not None and not whole:
                return  # of a smaller budget
            visit = self._read(line, crawl, place, whole)
            place = journal.tell()
            if visit.page is not None:
                self._good = place
            if visit.url in crawl.waiting:
                yield visit, crawl.tell(visit.url, visit, visit.seconds)

    def _read(self, line: dict[str, Any], crawl: Crawl, place: int, whole: bool) -> Visit:
        """Return the visit of a line, after what was asked for before it."""
        assert self._journal
        try:
            visit = Visit.from_json(line)
            asked = line.get("asked", [visit.url])  # lines of older versions have none
            late = line.get("seeds", asked if line.get("seed") else [])
            if not all(isinstance(url, str) for url in (visit.url, *asked, *late)):
                raise TypeError("a URL is no text")
        except (ValueError, LookupError, TypeError) as error:
            raise self._journal.damaged(place) from error
        for url in asked:
            # In a journal without "asked", a redirect to what was in flight may have come first.
            known = crawl.knows(url) and url not in crawl.waiting
            if (whole or url in late or crawl.may_ask) and not known:
                crawl.ask(url, seed=url in late)
            else:
                self._passed.add(url)
        if visit.url not in crawl.waiting and visit.url not in self._passed:
            raise self._journal.damaged(place, f"has {visit.url}, which was not asked for")
        return visit

    def asked(self, url: str, seed: bool = False) -> None:
        """Note that a URL was asked for, which may be a seed that came late, for the next line."""
        if self._journal:
            self._asked.append(url)
            self._seeds += [url] * seed

    def write(self, visit: Visit) -> None:
        """Write a visit at once; StorageError if it cannot be written."""
        if self._journal:
            late = {"seeds": self._seeds} if self._seeds else {}
            self._journal.append({"asked": self._asked, **late, **visit.as_json()})
            self._asked, self._seeds = [], []
            if visit.page is not None:
                self._good = self._journal.tell()

    def forget_failures(self) -> None:
        """Cut off the failures at the journal's end, so that the next run tries them again."""
        if self._journal:
            self._journal.cut(self._good)


def past_of(checkpoint: str | Path | None) -> list[str]:
    """Return the URLs that a journal's crawl has asked for, as far as it can be read."""
    urls: list[str] = []
    if checkpoint is None or not Path(checkpoint).is_file():
        return urls
    for line in islice(read_lines(checkpoint), 1, None):
        try:
            asked = json.loads(line)
            urls += map(str, (asked["url"], *asked["asked"]))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            break  # it is named when it is read to be told
    return urls
