"""The crawl loop (Algorithm 4), the same for every policy."""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..checks import is_count
from ..store import StorageError
from ..topics import RelevanceClassifier, page_text
from ..web.page import Failure, Link, Page
from ..web.reader import printable
from ..web.urls import canonical_url, domain
from .ending import Ending, Stop
from .features import Path
from .fetcher import Fetcher, Visit
from .frontier import Frontier
from .policy import Policy, Transition
from .result import BARREN, rejected_seeds
from .scope import requests_in
from .settings import CrawlSettings

logger = logging.getLogger(__name__)
LONGEST_TITLE = 300  # characters


@dataclass
class Crawler:
    """One crawl: its parts, and the rows of its log."""

    settings: CrawlSettings
    frontier: Frontier
    policy: Policy
    fetcher: Fetcher
    classifier: RelevanceClassifier  # of pages
    link_features: Callable[[list[Link]], np.ndarray]  # 3 to 5, (n, 3) float32
    ground_truth: Callable[[str], bool | None]  # of a URL; None where the web does not know
    on_row: Callable[[dict[str, Any]], object] = lambda row: None  # called with each of `rows`
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # What is in flight, by URL: the action, its x, and figures of the moment of the choice.
        self._waiting: dict[str, tuple[int, np.ndarray, dict[str, float]]] = {}
        self._taken: Counter[str] = Counter()  # steps spent on each domain
        self._course = deque(self.settings.course)  # what is left of it
        self._later = deque(self.settings.later)
        self._failures = 0  # in a row
        self._last_step = self.settings.budget + self.settings.extra
        self.frontier.cap = self.settings.cap
        scopes = [self.settings.scope, *(bounds.scope for bounds in self.settings.later)]
        self.asks = requests_in(scopes[-1], self.settings.seeds)  # the replayed is not asked for
        self._barren = 0  # fetches since the last relevant page
        self._step = 0
        self._skipped = 0  # errors that were no steps
        self._relevant = 0.0  # pages

    def run(self, progress: bool) -> Ending:
        """Crawl until the budget is spent, nothing is left or it cannot go on; return why."""
        from tqdm.auto import tqdm

        hidden = None if progress else True  # False would override the variable TQDM_DISABLE
        with tqdm(total=self._last_step, unit="page", desc="crawl", disable=hidden) as bar:
            try:
                if not self.begin(self.settings.seeds):
                    return Ending(Stop.NO_SEED)
                ending = self.go_on(self._last_step, bar)
            except StorageError as error:
                return Ending(Stop.UNWRITTEN, cause=str(error))
        if ending.stop is Stop.FAILING:
            self.fetcher.forget_failures()
        return ending

    def go_on(self, until: int, bar: Any = None) -> Ending:
        """Take steps up to one of this number, or until there is no going on; return why."""
        self._last_step = until
        while self._step < until:
            if self._skipped > until:
                return Ending(Stop.ERRORS, self._skipped)
            self._choose(self._step + 1)
            if not self._waiting:
                return self.why_nothing()
            before = self._step
            self._relevant += self._arrive(before + 1)
            if bar is not None and self._step > before:
                bar.set_postfix_str(f"harvest {self._relevant / self._step:.3f}", refresh=False)
                bar.update()
            if self._failures >= (self.settings.patience or np.inf):
                return Ending(Stop.FAILING, self._failures, self.rows[-1]["reason"])
        return Ending(Stop.SPENT)

    def why_nothing(self) -> Ending:
        """Return why there is no action to choose."""
        if len(self.frontier):
            return Ending(Stop.DRY if self.policy.limited else Stop.DECLINED, len(self.frontier))
        if self.frontier.limited:
            return Ending(Stop.AT_LIMIT, int(self.settings.cap.at(len(self.rows))))
        return Ending(Stop.EMPTY)

    def begin(self, seeds: list[str]) -> bool:
        """Fetch the seeds, links from the empty start page 0; return whether any was fetched."""
        ids, _ = self._new_actions(0, [Link(url, "") for url in seeds])
        for url in seeds:
            # At once, so that links between seeds are no actions; `_ask` then finds none to end.
            self.frontier.take(url)
        fetched = 0.0
        for action in ids.tolist():
            self._ask(0, action)
            fetched += self._arrive(0)
        if rejected := rejected_seeds(self.rows):  # `CrawlResult.warnings` says it at the end, too
            logger.warning(rejected, extra={"at_end": True})
        return fetched > 0

    def _choose(self, next_step: int) -> None:
        """Fill up the pages in flight; `next_step` is the step at which the next one arrives."""
        in_flight = self.settings.in_flight
        while len(self._waiting) < in_flight and next_step + len(self._waiting) <= self._last_step:
            step = next_step + len(self._waiting)
            self._change_bounds(step)
            self._add_suggested(step)
            if self._course:
                if self._waiting:  # for a page that may have the next link
                    return
                action = self._next_of_course(step)
            elif not self._more():
                return
            else:
                action = self.policy.choose(step)
            known = is_count(action) and 0 <= action < self.frontier.n_actions
            if not (known and self.frontier.is_live(action)):
                raise ValueError(f"policy chose {action!r} at step {step}: not in the frontier")
            self._ask(step, int(action))

    def _next_of_course(self, step: int) -> int:
        url = self._course.popleft()
        if self.frontier.action_to(url) < 0:  # as after a redirect to it that was in flight
            self.policy.hear(Page("", 200, "", "", (Link(url, ""),)), 1.0)
            self.policy.add(*self._new_actions(0, [Link(url, "")]))
        action = self.frontier.action_to(url)
        self.policy.take(action, step)
        return action

    def _ask(self, step: int, action: int) -> None:
        """Ask for an action's page, and end all actions that lead to it."""
        url = self.frontier.url_of(action)
        home = domain(url)
        figures = {
            "q": self.policy.q if step else np.nan,
            "leaves": self.policy.n_leaves,
            "nonempty_leaves": self.policy.n_nonempty,
            "evaluations": self.policy.evaluations,
            "frontier": len(self.frontier),
            "inserted": self.frontier.n_actions,
        }
        x = self.frontier.features(np.array([action]))[0]
        self._waiting[url] = (action, x, figures)
        ended = self.frontier.take(url)
        if step:
            self._taken[home] += 1
            if self._taken[home] >= self.settings.cap.at(step):
                ended += self.frontier.close(home)
        self._drop(ended)
        self.fetcher.ask(url)

    def _arrive(self, step: int) -> float:
        """Take the next page that arrives, which a skipped error is not; return its reward."""
        visit = self.fetcher.next()
        action, x, figures = self._waiting.pop(visit.url)
        # Such as a copy, or a redirect to what another crawler asks for.
        answered = visit.page or visit.status == 200 or visit.failure is Failure.NOT_OURS
        self._failures = 0 if answered else self._failures + 1
        taken = self._follow_redirect(visit, action)
        error = taken.is_error
        if error and step and self.settings.errors == "skip":
            self._skipped += 1
            taken = taken.refused(taken.failure or Failure.ERROR_PAGE, taken.reason or "error page")
            self._log(step, action, visit, taken, figures | {"error": True})
            return 0.0
        self._step = step
        new_page = taken.page
        p = float(self.classifier.proba([page_text(new_page)])[0]) if new_page else np.nan
        reward = float(new_page is not None and (step == 0 or p >= 0.5))
        self.frontier.visit(visit.url, reward)
        path = self.frontier.path_to(action).extend(reward)
        ids, next_x = self._actions_of(new_page, path, visit.url)
        if step or new_page:  # a seed that could not be fetched teaches nothing
            self.policy.learn(Transition(action, x, reward, next_x, new_page, p))
        self.policy.add(ids, next_x)
        self._log(step, action, visit, taken, figures | {"reward": reward, "p": p, "error": error})
        self._barren = 0 if reward else self._barren + 1
        if self._barren == BARREN:
            logger.warning("nothing relevant in the last %d fetches, at step %d", BARREN, step)
        return reward

    def _log(
        self, step: int, action: int, visit: Visit, taken: Visit, figures: dict[str, float]
    ) -> None:
        """Add a row; `taken` is the visit without its page if that is not new, or an error."""
        page = taken.page
        truth = self.ground_truth(page.url if page else visit.url)
        row: dict[str, Any] = {
            "step": step,
            "url": visit.url,
            "final_url": visit.page.url if visit.page else "",
            "title": printable(page.title[:LONGEST_TITLE]) if page else "",
            "parent": self.frontier.parent_of(action),
            "domain": domain(visit.url),
            "reward": 0.0,
            # A page that is missing or a duplicate is not relevant.
            "relevant_true": None if truth is None else page is not None and bool(truth),
            "depth": self.frontier.path_to(action).length,
            "p": np.nan,
            "seconds": visit.seconds,
            "status": visit.status,
            "failure": str(taken.failure or ""),
            "reason": printable(taken.reason),
        }
        self.rows.append(row | figures)
        self.on_row(self.rows[-1])

    def _follow_redirect(self, visit: Visit, action: int) -> Visit:
        """End the actions to where a redirect led; return the visit, without a page if not new."""
        page = visit.page
        if visit.failure is Failure.NOT_OURS:
            return visit.refused(Failure.OUT_OF_SCOPE, "redirected out of scope")
        if page is not None and page.url != visit.url:  # a redirect
            if self.frontier.fetched(page.url):
                return visit.refused(Failure.DUPLICATE, "duplicate")
            if not self.settings.follows(page.url, 0):
                return visit.refused(Failure.OUT_OF_SCOPE, "redirected out of scope")
            self._drop(self.frontier.take(page.url))
        return visit

    def _actions_of(self, page: Page | None, path: Path, url: str) -> tuple[np.ndarray, np.ndarray]:
        if page is None:
            return np.zeros(0, np.int64), np.zeros((0, self.frontier.n_features), np.float32)
        return self._links_of(page.links, path, url)

    def _links_of(
        self, found: Iterable[Link], path: Path, url: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and features of new actions, of the open links on the page at a URL."""
        links: dict[str, Link] = {}  # by target, the first with an anchor
        is_open, scope = self.frontier.is_open, self.settings.scope
        for link in found:
            target = link.url
            follows = is_open(target) and (scope is None or scope.follows(target, path.length))
            if follows and (target not in links or not links[target].anchor):
                links[target] = link
        return self._new_actions(self.frontier.add_page(path, url), list(links.values()))

    def _new_actions(self, source: int, links: list[Link]) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and features of new actions from a page, of open links to distinct URLs."""
        ids = self.frontier.add(source, links, self.link_features(links))
        return ids, self.frontier.features(ids)

    def _add_suggested(self, step: int) -> None:
        """Make actions of the URLs that the policy asks for, as if found before the seeds."""
        wanted = (url for url in self._suggested(step) if self.settings.follows(url, 1))
        links = [Link(url, "") for url in wanted if self.frontier.is_open(url)]
        if links:
            self.policy.add(*self._new_actions(0, links))

    def _suggested(self, step: int) -> list[str]:
        return list(dict.fromkeys(filter(None, map(canonical_url, self.policy.suggest(step)))))

    def _change_bounds(self, step: int) -> None:
        """Close the domains at a cap that falls at this step, or go on within other bounds."""
        if step > 1 and self.settings.cap.at(step) < self.settings.cap.at(step - 1):
            self._close_full(step)
        while self._later and (self._later[0].step <= step or not (self._waiting or self._more())):
            to = self._later.popleft()
            self.settings = replace(self.settings, max_per_domain=to.max_per_domain, scope=to.scope)
            self.frontier.cap = cap = self.settings.cap
            self._drop(self.frontier.end_where(lambda *of: not self.settings.follows(*of)))
            self._close_full(step)
            self.frontier.open(name for name, n in self._taken.items() if n < cap.at(step))
            self._look_again()  # at the pages so far, for links that wider bounds let in

    def _close_full(self, step: int) -> None:
        for name, count in self._taken.items():
            if count >= self.settings.cap.at(step):
                self._drop(self.frontier.close(name))

    def _more(self) -> bool:
        return bool(len(self.frontier)) and not self.policy.exhausted

    def _look_again(self) -> None:
        paths = self.frontier.paths()
        for visit in self.fetcher.visits():
            if visit.page and (path := paths.get(visit.url)):
                links = [k for k in visit.page.links if self.frontier.action_to(k.url) < 0]
                self.policy.hear(visit.page, path.reward)
                self.policy.add(*self._links_of(links, path, visit.url))

    def _drop(self, ids: list[int]) -> None:
        if ids:
            self.policy.drop(ids)
