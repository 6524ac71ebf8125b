"""A focused crawl without I/O: ask it for URLs, tell it what came of them (Algorithm 4)."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Unpack

import numpy as np

from tres_webs.checks import is_count
from tres_webs.page import Failure, FetchError, Link, Page
from tres_webs.parsing import printable
from tres_webs.topic import Topic
from tres_webs.urls import canonical_url, domain

from .. import topics
from ..topics import page_text
from .features import Path, link_features
from .fetching import Visit
from .frontier import NONE, Frontier
from .policy import Blind, Context, Transition, as_given, as_policy, make_policy
from .result import WARN_AFTER, CrawlResult, Ending, Stop, make_log, rejected_seeds
from .settings import CrawlArguments, CrawlSettings

logger = logging.getLogger(__name__)
LONGEST_TITLE = 300  # characters
LOGGED = {"q": np.nan, "leaves": 0, "nonempty_leaves": 0, "evaluations": 0}  # of `Policy.figures`


@dataclass(frozen=True, slots=True)
class Asked:
    """What is in flight: an action, and what was known of it at the moment of the choice."""

    action: int
    is_seed: bool
    x: np.ndarray
    figures: dict[str, float]


class Crawl:
    """A focused crawl as a state: `ask` for the next URL, `tell` what came of it.

    It fetches, waits for and writes nothing, and has no clock. What is told unasked is learnt from,
    too. The same settings, asks and tells give the same crawl; it is for one thread.

    Parameters
    ----------
    seeds, topic, **settings
        As of `focused.crawl`, see `CrawlSettings`. Seeds may also come later, by `ask`.
    truth : callable, optional
        Whether a URL's page is relevant, None if unknown: for the log, and the policy "oracle".
    past : iterable of str, optional
        URLs that will be told, of a crawl that goes on. They are in bounds, whatever the bounds.

    Examples
    --------
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return np.array([0.9 if "jazz" in text else 0.1 for text in texts])
    >>> start, about = "http://a.example/", Topic("jazz", ["jazz"])
    >>> crawl = Crawl([start], about, policy="best-first", budget=2, classifier=SaysJazz())
    >>> crawl.ask()
    'http://a.example/'
    >>> links = Link(start + "b", "chess"), Link(start + "c", "jazz")
    >>> row = crawl.tell(start, Page(start, 200, "Music", "of all kinds", links))
    >>> crawl.ask(), crawl.ask(), crawl.ask(), list(crawl.waiting)[0]
    ('http://a.example/c', 'http://a.example/b', None, 'http://a.example/c')
    """

    def __init__(
        self,
        seeds: Iterable[str],
        topic: str | Topic,
        *,
        truth: Callable[[str], bool | None] = lambda url: None,
        past: Iterable[str] = (),
        **settings: Unpack[CrawlArguments],
    ):
        self.settings = s = CrawlSettings.of(seeds, topic, **settings)
        self.rows: list[dict[str, Any]] = []  # of the log
        self.waiting: dict[str, Asked] = {}  # what is in flight, by URL, the oldest first
        self.failures = 0  # in a row
        self.frontier = Frontier()
        self._truth = truth
        self._past = set(past) - set(s.seeds)
        self._past_of = Counter(map(domain, self._past))  # by domain, those still to be told
        self._classifier = cache(self._opened)  # trained once the policy is made
        self.policy = as_policy(make_policy(s.policy, self._context()))
        scorer = self._classifier()
        if s.anchor_classifier is not None:
            scorer = topics.as_classifier(s.anchor_classifier, "anchor_classifier")
        blind = isinstance(self.policy, Blind)
        self._link_features = link_features(s.keywords, scorer, blind)
        self.resting: dict[str, str] = {}  # a URL of each domain whose links rest
        self._step = self._skipped = self._irrelevant = 0  # skipped errors are no steps
        self._steps_waiting = 0  # what is in flight, but for seeds
        self._cap = np.inf  # MAX at the last choice
        self._nothing = False  # nothing can be asked for until something is told
        self._begun = False  # whether a seed was fetched
        ids, _ = self._new_actions(0, [Link(url, "") for url in s.seeds])
        for url in s.seeds:  # at once, so that links between seeds are no actions
            self.frontier.take(url)
        self._seeds = dict(zip(s.seeds, ids.tolist(), strict=True))  # to be asked for
        self._unheard = set(s.seeds)  # to be told

    def ask(
        self,
        url: str | None = None,
        *,
        seed: bool = False,
        ready: Callable[[str], bool] | None = None,
    ) -> str | None:
        """Return the next URL to fetch; None if there is none now, see `ending`.

        Parameters
        ----------
        url : str, optional
            What is or was fetched, whatever the policy would choose; a `seed`'s page is taken as
            relevant and is no step.
        ready : callable, optional
            Whether a URL's host may be asked soon. The links of a domain that may not rest until
            it may; an `ask` without this argument ends all rests.
        """
        if url is not None:
            return self._ask_for(url, seed)
        if self._nothing:
            return None
        if self._unheard:  # seeds come first, one by one
            waits = len(self._unheard) > len(self._seeds)
            return None if waits else self._begin(0, self._seeds.pop(next(iter(self._seeds))))
        if self.ending is not None or not self._has_room:
            return None
        self._wake(ready)
        while (action := self._choice()) is not None:
            chosen = self.frontier.url_of(action)
            if ready is None or ready(chosen) or not self._rest(chosen):
                return self._take(action)
        self._nothing = not self.resting
        return None

    def tell(
        self,
        url: str,
        came: Page | FetchError | Visit,
        seconds: float = 0.0,
        p: float | None = None,
        own: np.ndarray | None = None,
    ) -> dict[str, Any]:
        """Learn what came of a URL (Algorithm 4); return its row of the log, or {} if it is known.

        Parameters
        ----------
        came : Page, FetchError or Visit
            What was fetched, or why nothing was; a `Visit` has its own `seconds`.
        seconds : float
            Of the arrival, since the crawl's start; for the log.
        p, own : float, array (n, 3), optional
            The page's probability, and features 3 to 5 of its links: computed elsewhere.
        """
        visit = came if isinstance(came, Visit) else Visit.of(url, came, seconds)
        if url not in self.waiting:
            if self.knows(url):
                return {}
            self._ask_for(url, False)
        asked, self._nothing = self.waiting.pop(url), False
        self._steps_waiting -= not asked.is_seed
        seeding = self.seeding
        self._unheard.discard(url)
        step, action = 0 if asked.is_seed else self._step + 1, asked.action
        self._count_failures(visit)
        taken = self._follow_redirect(visit, step)
        if taken.is_error and step and self.settings.errors == "skip":
            return self._skip(step, asked, visit, taken)
        self._step = max(self._step, step)
        page = taken.page
        # Judge: a seed that could be fetched is relevant.
        p = self._judge(page) if p is None or page is None else p
        reward = float(page is not None and (step == 0 or p >= 0.5))
        # The path to the page, and the actions to which it leads.
        self.frontier.visit(url, reward)
        path = self.frontier.path_to(action).extend(reward)
        ids, next_x = self._links_of(page, path, url, own)
        # Learn; a seed that could not be fetched teaches nothing.
        if step or page:
            self.policy.learn(Transition(action, asked.x, reward, next_x, page, p))
        self.policy.add(ids, next_x)
        outcome = {"reward": reward, "p": p, "error": taken.is_error}
        row = self._log(step, asked, visit, taken, outcome)
        self._note(reward, asked.is_seed, seeding and not self.seeding)
        return row

    @property
    def ending(self) -> Ending | None:
        """Why the crawl is over; None while `ask` may give a URL or pages are in flight.

        Too many skipped errors end it at once, whatever is in flight.
        """
        if self._skipped > self.settings.budget:
            return Ending(Stop.ERRORS, self._skipped)
        if self.waiting or self._seeds:
            return None
        if self.settings.seeds and not self._begun:
            return Ending(Stop.NO_SEED)
        if not self._has_room:
            return Ending(Stop.SPENT)
        return self._why_nothing() if self._nothing else None

    @property
    def seeding(self) -> bool:
        """Whether seeds are still to be told, of those that were given at the start."""
        return bool(self._unheard)

    @property
    def may_ask(self) -> bool:
        """Whether `ask` may give a URL now."""
        return bool(self._seeds) or (self._has_room and not self._nothing and self.ending is None)

    def knows(self, url: str) -> bool:
        """Return whether a URL was fetched or asked for."""
        return url not in self._seeds and self.frontier.fetched(url)

    def is_full(self, url: str) -> bool:
        """Return whether a URL's domain has had all that MAX allows, but for what is in flight."""
        name = domain(url)
        full = self.frontier.taken[name] >= self.settings.cap.at(max(self._step, 1))
        return full and name not in map(domain, list(self.waiting))  # a copy, for other threads

    def result(self) -> CrawlResult:
        """Return the crawl so far."""
        about, given = self.settings.as_json(), as_given(self.policy)
        return CrawlResult(make_log(self.rows), about, self.ending, given, self.frontier)

    # What asks.

    @property
    def _has_room(self) -> bool:
        return self._next_step <= self.settings.budget

    @property
    def _next_step(self) -> int:
        return self._step + self._steps_waiting + 1  # seeds are no steps

    def _choice(self) -> int | None:
        """Return the action that the policy chooses for the next step, if any."""
        step = self._next_step
        cap, self._cap = self._cap, self.settings.cap.at(step)
        if self._cap < cap:  # it falls
            for name, count in self.frontier.taken.items():
                if count >= self._cap_of(name, step):
                    self._drop(self.frontier.close(name))
        self._add_suggested(step)
        if len(self.frontier) == self.frontier.n_resting:
            return None
        action = self.policy.choose(step)
        if action is None:
            return None
        known = is_count(action) and 0 <= action < self.frontier.n_actions
        if not (known and self.frontier.is_live(action)):
            raise ValueError(f"policy chose {action!r} at step {step}: not in the frontier")
        return int(action)

    def _add_suggested(self, step: int) -> None:
        """Make actions of the URLs that the policy asks for, as if found before the seeds."""
        wanted = dict.fromkeys(filter(None, map(canonical_url, self.policy.suggest(step))))
        links = [Link(url, "") for url in wanted if self._follows(url, 1)]
        if links := [link for link in links if self.frontier.is_open(link.url)]:
            self.policy.add(*self._new_actions(0, links))

    def _take(self, action: int) -> str:
        step = self._next_step
        self.policy.take(action, step)
        return self._begin(step, action)

    def _ask_for(self, url: str, seed: bool) -> str:
        """Ask for a URL that another one has chosen."""
        if url in self._seeds:
            return self._begin(0, self._seeds.pop(url))
        if self.knows(url):
            return url
        if not seed:
            own = self._choice()  # for the random numbers that a choice draws
            if own is not None and self.frontier.url_of(own) == url:
                return self._take(own)
            if (action := self.frontier.action_to(url)) != NONE:
                return self._take(action)
        # No page that was told leads to it: as a seed, it is not added to what can be chosen.
        [action] = self._new_actions(0, [Link(url, "")])[0].tolist()
        self._drop([other for other in self.frontier.take(url) if other != action])
        return self._begin(0, action) if seed else self._take(action)

    def _begin(self, step: int, action: int) -> str:
        """Note that an action's page is asked for, and end all actions that lead to it."""
        url, policy = self.frontier.url_of(action), self.policy
        # The order matters: figures of the choice, then x as of now, then the actions end.
        figures = LOGGED | {n: v for n, v in policy.figures().items() if n in LOGGED}
        if not step:
            figures["q"] = np.nan
        figures |= {"frontier": len(self.frontier), "inserted": self.frontier.n_actions}
        x = self.frontier.features(np.array([action]))[0]
        self.waiting[url] = Asked(action, not step, x, figures)
        ended, home = self.frontier.take(url), domain(url)
        if url in self._past:
            self._past.discard(url)
            self._past_of[home] -= 1
        if step:
            self._steps_waiting += 1
            ended += self.frontier.count(home, self._cap_of(home, step))
        self._drop(ended)
        return url

    def _cap_of(self, name: str, step: int) -> float:
        """Return MAX of a domain at a step: none while pages of the past are still to be told."""
        return np.inf if self._past_of[name] else self.settings.cap.at(step)

    def _rest(self, url: str) -> bool:
        """Let the links of a URL's domain rest; return whether any did not."""
        name = domain(url)
        ids = self.frontier.rest(name)
        if ids:
            self.resting[name] = url
            self.policy.rest(ids)
        return bool(ids)

    def _wake(self, ready: Callable[[str], bool] | None) -> None:
        """End the rest of each domain whose host may be asked soon, or of all."""
        for name, url in list(self.resting.items()):
            if ready is None or ready(url):
                del self.resting[name]
                if ids := self.frontier.wake(name):
                    self.policy.wake(ids)

    def _why_nothing(self) -> Ending:
        if len(self.frontier):
            dry = bool(self.policy.figures().get("limited"))
            return Ending(Stop.DRY if dry else Stop.DECLINED, len(self.frontier))
        if self.frontier.limited:
            return Ending(Stop.AT_LIMIT, int(self.settings.cap.at(len(self.rows))))
        return Ending(Stop.EMPTY)

    # What tells.

    def _count_failures(self, visit: Visit) -> None:
        # Such as a copy, or a redirect to what another crawler asks for.
        answered = visit.page or visit.status == 200 or visit.failure is Failure.NOT_OURS
        self.failures = 0 if answered else self.failures + 1

    def _follow_redirect(self, visit: Visit, step: int) -> Visit:
        """End the actions to where a redirect led; return the visit, without a page if not new."""
        page = visit.page
        if visit.failure is Failure.NOT_OURS:
            full = bool(visit.target) and self.is_full(visit.target)
            where = "to a domain at its limit" if full else "out of scope"
            return visit.refused(Failure.OUT_OF_SCOPE, f"redirected {where}")
        if page is not None and page.url != visit.url:  # a redirect
            if step and (name := domain(page.url)) != domain(visit.url):
                # Which was asked, too.
                self._drop(self.frontier.count(name, self._cap_of(name, step)))
            if self.frontier.fetched(page.url):
                return visit.refused(Failure.DUPLICATE, "duplicate")
            if not self._follows(page.url, 0):
                return visit.refused(Failure.OUT_OF_SCOPE, "redirected out of scope")
            self._drop(self.frontier.take(page.url))
        return visit

    def _skip(self, step: int, asked: Asked, visit: Visit, taken: Visit) -> dict[str, Any]:
        """Log an error that is no step."""
        self._skipped += 1
        taken = taken.refused(taken.failure or Failure.ERROR_PAGE, taken.reason or "error page")
        return self._log(step, asked, visit, taken, {"reward": 0.0, "p": np.nan, "error": True})

    def _judge(self, page: Page | None) -> float:
        return np.nan if page is None else float(self._classifier().proba([page_text(page)])[0])

    def _links_of(
        self, page: Page | None, path: Path, url: str, own: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and features of new actions: the open links on the page at a URL."""
        if page is None:
            return np.zeros(0, np.int64), np.zeros((0, self.frontier.n_features), np.float32)
        links: dict[str, tuple[int, Link]] = {}  # by target, the first with an anchor
        is_open, follows, depth = self.frontier.is_open, self._follows, path.length
        for i, link in enumerate(page.links):
            target = link.url
            new = target not in links or not links[target][1].anchor
            if new and is_open(target) and follows(target, depth):
                links[target] = i, link
        rows = None if own is None else own[[i for i, _ in links.values()]]
        source = self.frontier.add_page(path, url)
        return self._new_actions(source, [link for _, link in links.values()], rows)

    def _new_actions(
        self, source: int, links: list[Link], own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and features of new actions from a page, of open links to distinct URLs."""
        ids = self.frontier.add(source, links, self._link_features(links) if own is None else own)
        return ids, self.frontier.features(ids)

    def _follows(self, url: str, depth: int) -> bool:
        follow = self.settings.follow
        return follow is None or url in self._past or follow(url, depth)

    def _drop(self, ids: list[int]) -> None:
        if ids:
            self.policy.drop(ids)

    def _log(
        self, step: int, asked: Asked, visit: Visit, taken: Visit, outcome: dict[str, Any]
    ) -> dict[str, Any]:
        """Add a row; `taken` is the visit without its page if that is not new, or an error."""
        page, frontier = taken.page, self.frontier
        truth = self._truth(page.url if page else visit.url)
        row: dict[str, Any] = {
            "step": step,
            "url": visit.url,
            "final_url": visit.page.url if visit.page else "",
            "title": printable(page.title[:LONGEST_TITLE]) if page else "",
            "parent": frontier.parent_of(asked.action),
            "domain": domain(visit.url),
            # A page that is missing or a duplicate is not relevant.
            "relevant_true": None if truth is None else page is not None and bool(truth),
            "depth": frontier.path_to(asked.action).length,
            "seconds": visit.seconds,
            "status": visit.status,
            "failure": str(taken.failure or ""),
            "reason": printable(taken.reason),
        }
        self.rows.append(row | asked.figures | outcome)
        return self.rows[-1]

    def _note(self, reward: float, is_seed: bool, last_seed: bool) -> None:
        """Warn a person of seeds that are turned down, and of a long search in vain."""
        self._begun |= is_seed and reward > 0
        if last_seed and (text := rejected_seeds(self.rows)):
            logger.warning(text, extra={"at_end": True})
        self._irrelevant = 0 if reward else self._irrelevant + 1
        if self._irrelevant == WARN_AFTER:
            text = "nothing relevant in the last %d fetches, at step %d"
            logger.warning(text, WARN_AFTER, self._step)

    # What it is made of.

    def _opened(self) -> Any:
        given = self.settings.classifier
        if given is None:
            return topics.classifier(self.settings.topic)
        return topics.as_classifier(given)

    def _context(self) -> Context:
        s, frontier, relevant = self.settings, self.frontier, cache(self._truth)

        def truth(ids: np.ndarray) -> np.ndarray:
            return np.array([bool(relevant(frontier.url_of(i))) for i in ids], bool)

        return Context(
            rng=np.random.default_rng(s.rng),
            budget=s.budget,
            frontier=frontier,
            topic=s.topic,
            proba=lambda texts: self._classifier().proba(texts),
            cap=s.cap.at,
            truth=None if all(relevant(url) is None for url in s.seeds) else truth,
        )
