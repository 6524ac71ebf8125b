"""The crawl loop (Algorithm 4), the same for every policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..topics import CachedScorer, KeywordMatcher, page_text
from ..web.page import Link, Page, Web
from ..web.topic import Topic
from ..web.urls import canonical_url, domain
from .arguments import DomainCap, is_count
from .features import Path, link_features
from .frontier import Frontier
from .journal import Fetcher, Stopped, Visit
from .policy import Policy, Transition

if TYPE_CHECKING:
    from ..topics import RelevanceClassifier

DUPLICATE = "duplicate"
NO_SEED = "no seed could be fetched"
EMPTY = "frontier empty"
SPENT = "budget spent"
LONGEST_TITLE = 300  # characters


class Found:
    """The links of the actions that are being added, for policies that read anchors."""

    def __init__(self):
        self._first, self._links = 0, []

    def put(self, ids: np.ndarray, links: list[Link]) -> None:
        """Links (n,) of new actions, whose ids (n,) count up by one."""
        self._first, self._links = (int(ids[0]) if len(ids) else 0), links

    def __call__(self, ids: np.ndarray) -> list[Link]:
        return [self._links[action - self._first] for action in ids.tolist()]


@dataclass(frozen=True)
class Choice:
    """An action that was chosen and whose page has not yet arrived."""

    action: int
    source: int
    x: np.ndarray
    row: dict[str, Any]


class Crawler:
    """The state of one crawl."""

    def __init__(
        self,
        web: Web,
        topic: Topic,
        classifier: RelevanceClassifier,
        keywords: Iterable[str],
        cap: DomainCap,
        frontier: Frontier,
        policy: Policy,
        fetcher: Fetcher,
        found: Found,
        anchor_classifier: RelevanceClassifier,
    ):
        self.rows: list[dict[str, Any]] = []
        self._web, self._topic, self._found = web, topic, found
        self._classifier, self._scorer = classifier, _cached(anchor_classifier)
        self._keywords = KeywordMatcher(keywords)
        self._frontier, self._policy, self._fetcher = frontier, policy, fetcher
        self._cap, self._taken = cap, Counter()  # steps spent on each domain
        self._page_urls = [""]  # by page number; page 0 stands before the seeds
        self._chosen: dict[str, Choice] = {}  # by URL, what is in flight
        self._failures = 0  # in a row

    def run(
        self,
        seeds: list[str],
        budget: int,
        progress: bool,
        in_flight: int = 1,
        patience: int | None = None,
    ) -> str:
        """Crawl until the budget is spent, nothing is left or it cannot go on; why it stopped."""
        from tqdm.auto import tqdm

        shown = {} if progress else {"disable": True}  # False would overrule TQDM_DISABLE
        with tqdm(total=budget, unit="page", desc="crawl", **shown) as bar:
            try:
                if not self._visit_seeds(seeds):
                    return NO_SEED
                found = 0.0
                for step in range(1, budget + 1):
                    self._choose(step, budget, in_flight)
                    if not self._chosen:
                        return EMPTY
                    found += self._arrive(step)
                    bar.set_postfix_str(f"harvest {found / step:.3f}", refresh=False)
                    bar.update()
                    self._check(patience)
            except Stopped as reason:
                return str(reason)
        return SPENT

    def _visit_seeds(self, seeds: list[str]) -> bool:
        """Fetch the seeds, as actions from page 0 that no policy chose; whether any was had."""
        own = link_features([Link(url, "") for url in seeds], self._keywords, self._scorer)
        ids = self._frontier.add(0, seeds, own).tolist()
        for url in seeds:
            self._frontier.take(url)  # at once, so that links between seeds are no actions
        had = 0.0
        for action in ids:
            self._begin(0, action)
            had += self._arrive(0)
        return had > 0

    def _choose(self, arrived: int, budget: int, in_flight: int) -> None:
        """Let the policy choose until as many pages as may be are in flight."""
        while len(self._chosen) < in_flight and arrived + len(self._chosen) <= budget:
            step = arrived + len(self._chosen)
            self._lower_cap(step)
            self._invite(step)
            if not len(self._frontier) or getattr(self._policy, "exhausted", False):
                return
            action = self._policy.choose(step)
            if not (is_count(action) and self._frontier.is_live(action)):
                raise ValueError(
                    f"policy chose {action!r} at step {step}: not an id in the frontier"
                )
            self._begin(step, int(action))

    def _check(self, patience: int | None) -> None:
        """Stop when too many fetches in a row have failed, as they do without a network."""
        if patience is not None and self._failures >= patience:
            self._fetcher.forget_failures()
            last = self.rows[-1]["reason"]
            raise Stopped(f"{self._failures} fetches in a row failed, the last one: {last}")

    def _invite(self, step: int) -> None:
        """Make actions of the URLs that the policy asks for, as if found before the seeds."""
        suggest = getattr(self._policy, "suggest", None)
        wanted = [canonical_url(url) for url in suggest(step)] if suggest else []
        links = [Link(url, "") for url in dict.fromkeys(filter(None, wanted))]
        links = [link for link in links if self._frontier.is_open(link.url)]
        if links:
            self._policy.add(*self._new_actions(0, links))

    def _begin(self, step: int, action: int) -> None:
        """Ask for an action's page, and end all actions that lead to it."""
        frontier = self._frontier
        url, source = frontier.url_of(action), frontier.source_of(action)
        x = frontier.features(np.array([action]))[0]
        row = self._row_before(step, url, source)
        self._chosen[url] = Choice(action, source, x, row)
        self._drop(frontier.take(url) + self._count(step, row["domain"]))
        self._fetcher.ask(url)

    def _arrive(self, step: int) -> float:
        """Judge the next page that arrives, tell the policy, log it; the reward."""
        frontier, visit = self._frontier, self._fetcher.next()
        chosen = self._chosen.pop(visit.url)
        page, reason = self._first_seen(visit)
        self._failures = 0 if visit.page else self._failures + 1
        p = float(self._classifier.proba([page_text(page)])[0]) if page else np.nan
        reward = float(page is not None and (step == 0 or p >= 0.5))
        frontier.visit(visit.url, reward)
        path = frontier.paths[chosen.source].extend(reward)
        new_ids, next_x = self._actions_of(page, path)
        if step or page:
            self._policy.learn(Transition(chosen.action, chosen.x, reward, next_x, page))
        self._policy.add(new_ids, next_x)
        self.rows.append(
            chosen.row
            | {
                "title": _title(page),
                "step": step,
                "reward": reward,
                "depth": path.length - 1,
                "p": p,
            }
            | {"relevant_true": self._true(visit.url, page), "status": visit.status}
            | {"reason": reason, "seconds": visit.seconds}
        )
        return reward

    def _row_before(self, step: int, url: str, source: int) -> dict[str, Any]:
        """The part of a log row that stands when the choice is made."""
        policy = self._policy
        return {
            "url": url,
            "parent": self._page_urls[source],
            "domain": domain(url),
            "q": getattr(policy, "q", np.nan) if step else np.nan,
            "leaves": getattr(policy, "n_leaves", 0),
            "nonempty_leaves": getattr(policy, "n_nonempty", 0),
            "evaluations": getattr(policy, "evaluations", 0),
            "frontier": len(self._frontier),
            "inserted": self._frontier.n_actions,
        }

    def _first_seen(self, visit: Visit) -> tuple[Page | None, str]:
        """The page if it is new, and the reason if there is none."""
        page, reason = visit.page, visit.reason
        if page is not None and page.url != visit.url:  # a redirect
            if self._frontier.fetched(page.url):
                page, reason = None, DUPLICATE
            else:
                self._drop(self._frontier.take(page.url))
        return page, reason

    def _actions_of(self, page: Page | None, path: Path) -> tuple[np.ndarray, np.ndarray]:
        """Ids and features of the new actions that a page offers."""
        frontier, anchors = self._frontier, {}
        if page is None:
            return np.zeros(0, np.int64), np.zeros((0, frontier.n_features), np.float32)
        for link in page.links:
            if frontier.is_open(link.url):
                anchors[link.url] = anchors.get(link.url) or link.anchor
        links = [Link(url, anchor) for url, anchor in anchors.items()]
        self._page_urls.append(page.url)
        return self._new_actions(frontier.add_page(path), links)

    def _new_actions(self, source: int, links: list[Link]) -> tuple[np.ndarray, np.ndarray]:
        """Ids and features of new actions from a page, of open links with distinct URLs."""
        own = link_features(links, self._keywords, self._scorer)
        ids = self._frontier.add(source, [link.url for link in links], own)
        self._found.put(ids, links)
        return ids, self._frontier.features(ids)

    def _count(self, step: int, name: str) -> list[int]:
        """Count a step on a domain; the actions that end if it has reached its cap."""
        if step == 0:
            return []
        self._taken[name] += 1
        return self._frontier.close(name) if self._taken[name] >= self._cap.at(step) else []

    def _lower_cap(self, step: int) -> None:
        """Close the domains that a fall of the cap catches."""
        cap = self._cap.at(step)
        if step > 1 and cap < self._cap.at(step - 1):
            for name, count in self._taken.items():
                if count >= cap:
                    self._drop(self._frontier.close(name))

    def _drop(self, ids: list[int]) -> None:
        if ids:
            self._policy.drop(ids)

    def _true(self, url: str, page: Page | None) -> bool | None:
        """The web's truth; a page that was not had, or had before, is not relevant."""
        truth = self._web.is_relevant(page.url if page else url, self._topic)
        return None if truth is None else page is not None and bool(truth)


def _title(page: Page | None) -> str:
    """The page's title, cut, as the log can hold it: its strings are UTF-8."""
    return page.title[:LONGEST_TITLE].encode("utf-8", "replace").decode() if page else ""


def _cached(classifier: RelevanceClassifier) -> CachedScorer:
    """The classifier, scoring each text once; crawls may share one that does so already."""
    return classifier if isinstance(classifier, CachedScorer) else CachedScorer(classifier)
