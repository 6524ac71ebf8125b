"""The tool: watch a topic for weeks, and fetch what serves most."""

import json
import logging
import math
import signal
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any, Self

import numpy as np

from tres_lib import topics
from tres_lib.focused.settings import check_seeds
from tres_webs import Failure, FetchError, Link, Page, Topic, as_web, domain, get_topic
from tres_webs.checks import count, instance, members, number, positive, texts
from tres_webs.parsing import printable

from ..scope import Scope
from ..topic.own import own_classifier
from ..web.feeds import DatedLink
from ..web.guard import Guard
from ..web.politeness import host_of
from .beliefs import BINS
from .clock import DAY, SLOWEST, WallClock
from .judging import Judge, Judged, modified, number_of
from .links import NEARLY, WORTH, Choice, OpenLink
from .pages import PATIENCE, kind_of, new_page
from .report import Report, difference
from .store import Row, State, Store, Visit

PAUSE = 900.0  # seconds after which it looks around again, where nothing may be fetched
LEAST = 1e-3  # seconds of a wait
GONE = (404, 410)
UNASKED = 20  # every so many visits a page comes in any case: a 304 may be wrong
CHEAPER = 0.8  # of the price at which all pages were keyed: below it they are keyed anew
SPEED = 0.01  # of a price that follows the looks that win
RECENT = 30.0  # days; a link that a feed dates before that is not new
URL, VALUE = attrgetter("url"), attrgetter("value")
SIGNALS = (signal.SIGINT, signal.SIGTERM)
logger = logging.getLogger(__name__)
Answer = Judged | FetchError | None  # what a visit brought; None: the page is as it was


class Watch(Report):
    """A watch and its store, which only this process may write; made by `watch`.

    It reports as a `Report` does, and is closed like it at the end of a ``with`` block.
    """

    def __init__(
        self,
        store: Store,
        state: State,
        web: Any,
        judge: Judge,
        scope: Scope | None = None,
        clock: WallClock | None = None,
        until: float | None = None,
    ):
        super().__init__(store, clock)
        self.state = state
        self._web = as_web(web)
        self._judge = judge
        self._scope = scope
        self._asks = (scope or Scope()).requests()
        self._traps = Guard(web)
        for (url,) in store.rows("SELECT url FROM look WHERE failure = ?", str(Failure.COPY)):
            self._traps.count_copy(url)
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

    def add_seeds(self, urls: Iterable[str]) -> None:
        """Add seeds that are neither links nor known pages as links that are likely relevant."""
        seeds = {number_of(url): url for url in urls}
        links, pages = self._store.find(seeds)
        new = [
            (OpenLink(-0.0, id, host_of(url), BINS - 1, False), url)
            for id, url in seeds.items()
            if id not in links and id not in pages
        ]
        with self._store.transaction():
            self._store.add_links(new, None)
        self.state.links.add(link for link, _ in new)

    def _step(self, on_look: Callable[[Row], object] | None) -> bool:
        """Wait or look once; return whether there is more to do."""
        budget = self.state.budget
        passed = max(self._waited, time.monotonic() - self._since)
        self._waited, self._since = 0.0, time.monotonic()
        now = budget.now(self._clock.now(), passed)
        left = math.inf if self._until is None else budget.began + self._until * DAY - now
        if self._stop.is_set() or left <= 0:
            return False
        wait = budget.wait(now)
        day = (now - budget.began) / DAY
        choice = self.choose(day) if wait == 0 else None
        if choice is not None:
            row = self._visit(choice, now, day)
            if on_look:
                on_look(row)
            return True
        if wait == 0:
            wait = min(PAUSE, (self.state.pages.next_due() - day) * DAY)
        self._waited = min(max(wait, LEAST), left, DAY)
        self._clock.wait(self._waited, self._stop)
        return True

    def choose(self, day: float) -> Choice | None:
        """Return the most valuable known page or link, of domains that need not wait; or None."""
        state, common, best = self.state, self.state.common[0], None
        held: frozenset[str] | None = None
        state.pages.renew(day)
        if common["price"] < CHEAPER * common["keyed_price"]:
            state.pages.put_all()
        mean = float((1 + common["importance"]) / (1 + common["relevant"]))
        for waiting, worth in state.shares.waiting():
            if waiting != held:
                held, busy = waiting, state.hosts.busy(waiting)
                both = state.links.best(day, held), state.pages.best(day, busy)
                best = max(filter(None, both), key=VALUE, default=None)
                if best is None or best.value < WORTH * mean:
                    page = state.pages.best_of_all(day, busy)
                    if page and (best is None or page.value > best.value):
                        best = page  # nothing reaches the price, so the price was wrong
                        common["price"] = min(page.value, common["price"])
            if best and (best.value >= worth * mean or not waiting):
                return best
        return None

    def _visit(self, choice: Choice, now: float, day: float) -> Row:
        """Fetch what was chosen, take in what it shows, and store that at once."""
        state, target, price = self.state, choice.target, float(self.state.common["price"][0])
        asked: Mapping[str, str] = {}  # by which it may say that it has not changed
        if isinstance(target, OpenLink):
            host, found = state.hosts.of(target.host), self._store.row("link", target.id)
            row = Row(state.visits, now, found["url"], "link", choice.value, price)
        else:
            page, arm = state.pages.records[target], state.pages.arm(target, day)
            host, found = int(page["host"]), self._store.row("url", target)
            row = Row(state.visits, now, found["url"], arm, choice.value, price, target)
            row.title = found["title"]
            if page["visits"] % UNASKED != UNASKED - 1:
                asked = json.loads(found["conditions"])
        visit, answer = Visit(row, day, host), self._fetch(row, asked)
        state.shares.charge(row.url)
        state.hosts.note(host, isinstance(answer, FetchError) and _is_of_host(answer), day)
        if isinstance(target, OpenLink):
            state.links.take(target)
            self._take_link(visit, target, found, answer)
        else:
            self._take_page(visit, target, found, answer)
        self.settle_price(row.url, row.worth, row.arm != "link", day)
        state.visits += 1
        state.budget.level -= 1.0
        self._store.save(state, visit)
        return row

    def _fetch(self, row: Row, asked: Mapping[str, str]) -> Answer:
        try:
            page, conditions = self._web.look(row.url, asked)
        except FetchError as error:
            row.failure, row.reason = str(error.failure), printable(error.reason)
            return error
        return None if page is None else self._judge.page(page, conditions)

    def _take_link(self, visit: Visit, link: OpenLink, found: Any, answer: Answer) -> None:
        """Take in what a link led to; where its host is down, it may wait for a retry."""
        links, tries, waits = self.state.links, found["tries"], False
        if isinstance(answer, Judged):
            self._meet(visit, answer, -link.order if link.new else math.nan)
        else:
            tries += 1
            waits = tries < PATIENCE and self.state.hosts.busy_of(link.host) > visit.day
        visit.link = [(tries, waits, link.id)]
        if waits:
            links.add([link])
        elif found["hub"] is not None:
            links.see(link, visit.host, visit.row.relevant)

    def _meet(self, visit: Visit, judged: Judged, born: float) -> None:
        """Take in a page that a link led to, if it is new to the watch."""
        row, state = visit.row, self.state
        row.title, row.p = judged.title, judged.p
        known, alike = self._store.known(judged.id, judged.words)
        if judged.url != row.url and not self._asks(judged.url):
            row.failure, row.reason = str(Failure.OUT_OF_SCOPE), f"leads to {judged.url}"
        elif known:
            row.failure, row.reason = str(Failure.DUPLICATE), f"leads to {judged.url}"
        elif alike:
            row.failure, row.reason = str(Failure.COPY), f"copy of {alike}"
            self._traps.count_copy(row.url)
        else:
            host = state.hosts.of(host_of(judged.url))
            prior = state.hosts.records["prior"][host]
            said = (judged.modified - state.budget.began) / DAY
            page = new_page(judged.id, host, visit.day, kind_of(judged.url, judged.feed))
            page["born"], page["digest"], page["likelihood"] = born, judged.digest, prior
            row.row = state.pages.meet(page, judged.importance, said)
            row.relevant, visit.page = judged.relevant, judged
            state.hosts.pages[domain(judged.url)] += 1
            self._take_links(visit, row.row, judged, math.nan)
            state.pages.put(np.array([row.row]))

    def _take_page(self, visit: Visit, k: int, found: Any, answer: Answer) -> None:
        """Take in what a known page is now, against what the store has of it."""
        row, day, pages = visit.row, visit.day, self.state.pages
        page = pages.records[k]
        last, importance, said = float(page["look"]), float(page["importance"]), math.nan
        if isinstance(answer, Judged):
            row.title, row.p, row.relevant = answer.title, answer.p, answer.relevant
            row.changed = answer.digest != int(page["digest"])
            if row.changed and found["text"] is not None:
                row.difference = difference(zlib.decompress(found["text"]).decode(), answer.text)
            visit.page = answer
            if answer.url != row.url:
                visit.page = replace(answer, id=int(page["id"]), url=row.url)
            page["digest"], importance, said = answer.digest, answer.importance, answer.modified
        if isinstance(answer, FetchError):
            visit.gone = pages.miss(k, day, _is_of_host(answer), answer.status in GONE)
        else:
            pages.see(k, importance, row.changed, day, (said - self.state.budget.began) / DAY)
        if answer is None:
            row.validated, row.p, row.relevant = True, found["p"], found["p"] >= 0.5
        if isinstance(answer, Judged):
            if not math.isnan(said) and said > modified(json.loads(found["conditions"])):
                self.state.hosts.count(visit.host, hints=1, held=row.changed)
            self._take_links(visit, k, answer, last)
        pages.put(np.array([k]))

    def _take_links(self, visit: Visit, k: int, judged: Judged, last: float) -> None:
        """Take in a page's links, which was visited `last` on that day; NaN: not before."""
        state, scope, day, listed = self.state, self._scope, visit.day, judged.links
        if scope is not None:
            listed = tuple(link for link in listed if scope(link.url, 0))
        listed = tuple(filter(self._traps.passes, listed))
        links: dict[int, Link] = {}
        for id, link in zip(map(number_of, map(URL, listed)), listed, strict=True):
            links.setdefault(id, link)  # a feed may name a page twice
        waiting, rows = self._store.find(links) if links else (set(), {})
        known = waiting.union(rows, [visit.page.id] if visit.page else [])
        first = [*links][: self._traps.settings.max_links]
        new = {id: links[id] for id in first if id not in known}
        said = {
            id: (link.time - state.budget.began) / DAY
            for id, link in links.items()
            if isinstance(link, DatedLink) and link.time is not None
        }
        bins = self._judge.bins([*new.values()], judged.relevant) if new else []
        hosts = [host_of(link.url) for link in new.values()]
        sites = {domain(judged.url), *(domain(link.url) for link in new.values())}
        born = [_born(said.get(id, math.inf), last, day) for id in new]
        opened = [
            OpenLink(-day if math.isnan(since) else -since, id, host, bin, not math.isnan(since))
            for id, since, host, bin in zip(new, born, hosts, bins, strict=True)
        ]
        state.links.add(opened)
        visit.dropped = state.links.cut(sites)
        gone = set(visit.dropped)
        visit.links = [(link, new[link.id].url) for link in opened if link.id not in gone]
        visit.row.links = len(visit.links)
        state.pages.see_links(k, [link.bin for link, _ in visit.links], not math.isnan(last))
        if said:
            self._take_hints({rows[id]: said[id] for id in sorted(rows) if id in said}, k, day)

    def _take_hints(self, said: Mapping[int, float], k: int, day: float) -> None:
        """Take in when a feed or sitemap says that other pages of its host have changed."""
        state, records, hinted = self.state, self.state.pages.records, []
        trust = state.hosts.list_trust(int(records["host"][k]))
        for row, changed in said.items():
            page = records[row]
            waits = page["failures"] >= 0 and not page["stale"]  # the first hint counts
            of_host = page["host"] == records["host"][k] and row != k
            if of_host and waits and page["look"] < changed <= day:
                page["stale"], page["stale_on"] = trust, changed
                hinted.append(row)
        if hinted:
            state.pages.put(np.array(hinted))

    def settle_price(self, url: str, value: float, known: bool, day: float) -> None:
        """Move the price towards the value of the marginal fetch."""
        state, common = self.state, self.state.common[0]
        # What may be fetched at any time has no value above the price: a link above it says that
        # old links which wait may be worth more. Domains near their share do not raise the price.
        if value >= common["price"] and not known:
            held = state.shares.having(NEARLY)
            best = state.links.best(day, held, old=True)
            value = best.value if best else 0.0
            follows = value > common["price"]
        else:
            follows = value < common["price"] or domain(url) not in state.shares.over
        if follows:
            common["winners"] += 1
            step = max(SPEED, 1 / (1 + common["winners"]))
            common["price"] += (value - common["price"]) * step


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
        A polite `LiveWeb` as a rule, with ``feeds=True``. By its ``look(url, conditions)`` it is
        asked whether known pages have changed. What servers, feeds and sitemaps say of changes is
        believed as far as it held for their host.
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
        Which links to follow; redirects, feeds and sitemaps keep to it as well. Default: all.
    max_per_domain : int, optional
        Known pages of a registered domain from which on no link to it is followed. Default: none,
        but a domain among ten gets at most a fifth of the fetches while others have one worth it.
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
        state = opened.load(topic.name, *settings)
        watched = Watch(opened, state, web, judge, scope, clock, until)
        watched.add_seeds(urls)
    except BaseException:
        opened.close()
        raise
    return watched


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


def _born(said: float, last: float, day: float) -> float:
    """Return the day on which a link was new, if its list says that; NaN: long ago."""
    if said > day:
        return (last + day) / 2
    return said if day - said < RECENT else math.nan


def _is_of_host(error: FetchError) -> bool:
    """Return whether a host did not answer, or was busy or broken, rather than one page."""
    silent = error.status is None and error.failure is Failure.OTHER
    return silent or error.status == 429 or (error.status or 0) >= 500
