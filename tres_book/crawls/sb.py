"""SB-CLASSIFIER: a sleeping bandit over groups of links by tag path (Gauquier et al. 2026)."""

import math
from collections import Counter
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from tres_lib.focused.frontier import grown
from tres_lib.focused.policy import Blind, Context, Transition
from tres_lib.focused.tres.tree_frontier import LeafSamples
from tres_lib.numerics import exp, log

NO_GROUP = 0  # of seeds; no link is in it, so it is never awake
BUCKETS = 4096  # 2^m: of n-grams of tags
START, END = "^", "$"  # of a path
PAIRS = 128 * 128  # of ASCII characters
RATE, SLOWER = 10.0, 1_000.0  # learning rate at first, and examples after which it is half of that
STEEP = 500.0  # margin beyond which a probability is as good as 0 or 1
TINY = 1e-6  # pages; so that a group from which none was taken comes before all others


class SleepingBandit(Blind):
    """Choose a group of links of similar tag paths by AUER, and any link of it.

    From the source (arXiv 2602.11874 and its code): an arm is a group of links whose tag paths have
    a cosine of at least theta. It sleeps while it has no open link. The next arm is the one awake
    with the highest R + alpha sqrt(ln t / N): mean reward, pages taken, step. The reward of a page
    is the number of targets to which it links. Logistic regression on pairs of characters of URLs
    learns online; new links that it takes for targets are fetched at once.

    Ours: their targets are data files, ours relevant pages, whose links wait in their arms, as do a
    seed's. The reward of a page is 1 if it is relevant, and 1 for each relevant page fetched at
    once from it. Only fetched pages teach, where they ask for types by HEAD. All sites share arms
    and classifier. The budget ends a crawl, not early stopping.
    """

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
        self.q, self.evaluations = float("nan"), 0
        self._picked = -1

    def figures(self) -> dict[str, float]:
        return {
            "q": self.q,
            "leaves": len(self.groups),
            "nonempty_leaves": self._open.n_nonempty,
            "evaluations": self.evaluations,
        }

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if not len(ids):
            return
        links = self._context.frontier.new_links(ids)
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
            self.q, self._picked = float("nan"), next(iter(self._at_once))
            return self._picked
        scores = self.scores(step)
        group = int(np.argmax(scores))
        self.q = float(scores[group])
        self.evaluations += self._open.n_nonempty
        members = self._open.members(group)
        self._picked = int(members[self._context.rng.integers(len(members))])
        return self._picked

    def take(self, action: int, step: int) -> None:
        if action != self._picked:
            self.q = float("nan")

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
        for action in filter(self._open.__contains__, ids):  # what rests is out already
            self._open.remove(action)
            self._at_once.pop(action, None)

    def rest(self, ids: list[int]) -> None:
        self.drop(ids)

    def wake(self, ids: list[int]) -> None:
        self._open.add(np.array(ids), np.array([self._group[action] for action in ids]))


class PathGroups:
    """Groups of similar tag paths: a path joins the nearest one, or founds one of its own.

    A path is a bag of n-grams of its tags, as shares of all, hashed; a group is the sum of its
    paths. Only plain sums and products are used, so that processors agree.
    """

    def __init__(self, grams: int, similarity: float):
        self._grams, self._similarity = grams, similarity
        self._group_of: dict[str, int] = {}  # by path
        self._sums = np.zeros((0, BUCKETS))  # by group
        self._norms = np.zeros(0)  # squared, of the sums

    def __len__(self) -> int:
        return len(self._norms)

    def of(self, path: str) -> int:
        """Return the number of a path's group."""
        if path not in self._group_of:
            self._group_of[path] = self._join(n_grams(path, self._grams))
        return self._group_of[path]

    def _join(self, shares: dict[int, float]) -> int:
        products = np.zeros(len(self))
        for bucket, share in shares.items():
            products += share * self._sums[:, bucket]
        own = sum(share * share for share in shares.values())
        cosines = products / np.sqrt(own * self._norms)
        if (cosines >= self._similarity).any():
            group = int(cosines.argmax())
        else:
            group = len(self)
            self._sums = np.vstack([self._sums, np.zeros(BUCKETS)])
            self._norms, products = (np.append(a, 0.0) for a in (self._norms, products))
        self._norms[group] += own + 2 * products[group]
        for bucket, share in shares.items():
            self._sums[group, bucket] += share
        return group


def n_grams(path: str, n: int) -> dict[int, float]:
    """Return the share of each bucket in the n-grams of a path's tags, with its start and end."""
    tags = [START, *path.split(), END]
    grams = [" ".join(tags[i : i + n]) for i in range(max(len(tags) - n, 0) + 1)]
    counts = Counter(crc32(gram.encode()) % BUCKETS for gram in grams)
    return {bucket: times / len(grams) for bucket, times in counts.items()}


class UrlClassifier:
    """Logistic regression on the pairs of characters of a URL, learnt by stochastic gradient.

    The steps are those of scikit-learn's SGDClassifier at its defaults, which the source takes: the
    rate falls from 10, and examples are taken one by one. Its weak pull of weights to 0 is left
    out. Sums keep their order and the exponential is our own, so that processors agree.
    """

    def __init__(self, batch: int):
        self._batch = batch
        self._waiting: list[tuple[str, bool]] = []
        self._weights = np.zeros(PAIRS)
        self._bias = 0.0
        self.n = 0  # examples learnt

    def learn(self, url: str, is_target: bool) -> None:
        """Take in an example, and with it the batch if it is the last one."""
        self._waiting.append((url, is_target))
        if len(self._waiting) < self._batch:
            return
        for known, label in self._waiting:
            margin = float(np.clip(self.margins([known])[0], -STEEP, STEEP))
            step = RATE / (1 + self.n / SLOWER) * (label - 1 / (1 + exp(-margin)))
            np.add.at(self._weights, pairs(known), step)
            self._bias += step
            self.n += 1
        self._waiting.clear()

    def takes_for_targets(self, urls: Sequence[str]) -> np.ndarray:
        """Return which URLs are likely targets, (n,) bool; none before the first batch."""
        return self.margins(urls) > 0 if self.n else np.zeros(len(urls), bool)

    def margins(self, urls: Sequence[str]) -> np.ndarray:
        """Return the log-odds that each URL is a target, (n,)."""
        found = [pairs(url) for url in urls]
        rows = np.repeat(np.arange(len(urls)), [len(of) for of in found])
        weights = self._weights[np.concatenate(found)]
        return np.bincount(rows, weights, minlength=len(urls)) + self._bias


def pairs(url: str) -> np.ndarray:
    """Return the numbers of the pairs of characters in a URL, in lower case, (n,)."""
    codes = np.frombuffer(url.lower().encode("ascii", "replace"), np.uint8).astype(np.int64)
    return codes[:-1] * 128 + codes[1:]
