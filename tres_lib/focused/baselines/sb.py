"""SB-CLASSIFIER: a sleeping bandit over groups of links by tag path (Gauquier et al. 2026)."""

import math

import numpy as np

from ...numerics import log
from ...web.page import Page
from ..frontier import grown
from ..policy import Context, Policy, Transition
from ..tres.leaf_samples import LeafSamples
from .sb_links import PathGroups, UrlClassifier

NO_GROUP = 0  # of seeds; no link is in it, so it is never awake
TINY = 1e-6  # pages; so that a group from which none was taken comes before all others


class SleepingBandit(Policy):
    """Choose a group of links of similar tag paths by AUER, and any link of it.

    From the source (arXiv 2602.11874 and its public code): an arm is a group of links whose tag
    paths, as bags of n-grams of tags, have a cosine of at least theta. It sleeps while it has no
    open link. The next arm is the one awake with the highest R + alpha sqrt(ln t / N), where R is
    its mean reward, N the pages taken from it and t the step (Kleinberg et al. 2010). Of its links
    each is as likely. The reward of a page is the number of targets to which it links. A classifier
    of URLs, logistic regression on pairs of characters, learns online in batches. Once it has
    learnt, new links that it takes for targets are fetched at once.

    Ours: their targets are data files, which have no links; ours are relevant pages, which have. So
    the reward of a page is 1 if it is relevant, and 1 for each relevant page that was fetched at
    once from it. The links of such a page, and of a seed, wait in their arms. Before the first
    batch they ask for the type of each URL (by HEAD, a request each); here only fetched pages
    teach. They crawl one site; here all sites share arms and classifier. A path is compared with
    all arms once, when it is first met; they compare each link with the arm that is likely the
    nearest. A URL on several pages waits in the arm of each link. Links without a path form an arm,
    as do those that come from another shard. Early stopping is left out, for the budget ends a
    crawl. As with them, a failed fetch counts for no arm.

    The text of the source beyond its introduction was not at hand: formulas and settings are those
    of its code. That links of pages fetched at once wait was decided after a first crawl, in which
    the classifier chose 97 % of the pages.
    """

    reads_features = False
    # The defaults of its authors' code.
    exploration = 2 * math.sqrt(2)  # alpha
    similarity = 0.75  # theta: cosine from which a path joins a group
    grams = 2  # n: tags in a row that are compared
    batch = 10  # URLs between trainings of the URL classifier

    def __init__(self, context: Context):
        self._context = context
        self.groups = PathGroups(self.grams, self.similarity)
        self.urls = UrlClassifier(self.batch)
        self._open = LeafSamples()  # links that can be chosen, by group
        self._at_once: dict[int, None] = {}  # those of them to fetch at once, oldest first
        self._group: dict[int, int] = {}  # by id
        self._also: dict[int, int] = {}  # by id: a second group to credit with a relevant page
        self._here = NO_GROUP  # of the page whose links come next
        self._is_target = False  # whether that page was fetched at once
        self.pages = np.zeros(1)  # taken, by group
        self.rewards = np.zeros(1)  # their sum, by group

    @property
    def n_leaves(self) -> int:
        return len(self.groups)

    @property
    def n_nonempty(self) -> int:
        return self._open.n_nonempty

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if not len(ids):
            return
        links = self._context.links(ids)
        groups = np.array([1 + self.groups.of(link.path) for link in links])
        self._open.add(ids, groups)
        self._group.update(zip(ids.tolist(), groups.tolist(), strict=True))
        n = 1 + len(self.groups)
        self.pages, self.rewards = grown(self.pages, n), grown(self.rewards, n)
        if self._is_target or self._here == NO_GROUP:
            return
        targets = ids[self.urls.takes_for_targets([link.url for link in links])].tolist()
        self._also.update(dict.fromkeys(targets, self._here))
        self._at_once.update(dict.fromkeys(targets))

    def choose(self, step: int) -> int:
        if self._at_once:
            self.q = float("nan")
            return next(iter(self._at_once))
        scores = self.scores(step)
        group = int(np.argmax(scores))
        self.q = float(scores[group])
        self.evaluations += self.n_nonempty
        members = self._open.members(group)
        return int(members[self._context.rng.integers(len(members))])

    def scores(self, step: int) -> np.ndarray:
        """Return AUER's score of each group, -inf for one asleep."""
        bonus = self.exploration * np.sqrt(log(float(step)) / (self.pages + TINY))
        means = self.rewards / np.maximum(self.pages, 1.0)
        return np.where(self._open.sizes(len(means)) > 0, means + bonus, -np.inf)

    def learn(self, transition: Transition) -> None:
        self._here = self._group.get(transition.id, NO_GROUP)
        also = self._also.get(transition.id, NO_GROUP)
        self._is_target = also != NO_GROUP
        if transition.page is None:
            return
        self.urls.learn(transition.page.url, transition.reward > 0)
        self.pages[self._here] += 1
        self.rewards[self._here] += transition.reward
        self.rewards[also] += transition.reward

    def drop(self, ids: list[int]) -> None:
        for action in ids:
            self._open.remove(action)
            self._at_once.pop(action, None)

    def hear(self, page: Page, reward: float) -> None:
        self._here, self._is_target = NO_GROUP, False
