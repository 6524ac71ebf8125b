"""ACHE, an adaptive crawler (Barbosa and Freire 2007; Barbosa and Bangalore 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...topics import page_text
from ..policy import Context, Transition
from .link_classifier import LinkClassifier
from .link_words import LinkWords, neighbourhoods, words_of
from .priority_queue import Queue

if TYPE_CHECKING:
    from ...topics import RelevanceClassifier
    from ...web import Topic

PAPER_BUDGET = 20_000  # fetches of a crawl in the TRES paper


@dataclass(frozen=True)
class AcheSettings:
    """Settings of `Ache`: the defaults of the ACHE crawler, the learning limit to scale.

    learning_limit : relevant pages between trainings in a crawl of 20,000 fetches;
        in a shorter one proportionally fewer.
    max_examples : links of each class that a training takes.
    """

    learning_limit: int = 500
    max_examples: int = 5_000

    def __post_init__(self) -> None:
        for name in ("learning_limit", "max_examples"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: must be at least 1")

    def every(self, budget: int) -> int:
        """Relevant pages between trainings in a crawl of that budget."""
        return max(1, round(self.learning_limit * budget / PAPER_BUDGET))


class Ache:
    """A page classifier prunes, a link classifier learnt online orders the frontier.

    From the source: an SVM judges each page, whatever the reward says. "Hard focus": links
    of pages that it finds irrelevant are not taken, so that the crawl can run out of
    links. At first a link has the probability of its page ("baseline" order). After each
    `learning_limit` relevant pages a linear SVM is trained anew on the links followed, to
    tell from words of URL, anchor and neighbourhood whether they led to relevant pages, with
    no more irrelevant examples than relevant ones; then all links are scored again.
    Features are the most frequent stems: 100 of the ten words on either side of the anchor,
    150 of URLs, 150 of anchors.

    Ours: seeds count as relevant; among equals the link found first goes first, not a random
    one; links are ordered by the SVM's margin alone, where the source ranks those it takes for
    irrelevant the other way round; squared hinge loss; a page is relevant from probability
    0.5; a URL found on several pages has the best of its scores.

    The source is the published crawler's code as well as the papers. All settings are its
    defaults and were fixed before the first crawl; nothing was tuned.

    Parameters
    ----------
    context : Context
    settings : AcheSettings, optional
    judge : RelevanceClassifier, optional
        The page classifier; by default an SVM trained on the topic's corpus.
    """

    def __init__(
        self,
        context: Context,
        settings: AcheSettings | None = None,
        judge: RelevanceClassifier | None = None,
    ):
        self.settings = settings or AcheSettings()
        self.q, self.evaluations = float("nan"), 0
        self.n_trainings = 0
        self._context, self._judge = context, judge or _svm_of(context.topic)
        self._queue, self._words = Queue(context.is_live), LinkWords()
        self._classifier: LinkClassifier | None = None
        self._followed: list[int] = []  # links taken, and whether their pages were relevant
        self._labels: list[bool] = []
        self._n_relevant = 0
        self._text, self._probability = "", 0.0  # of the page just fetched
        self._every = self.settings.every(context.budget)

    @property
    def exhausted(self) -> bool:
        """Whether no link is left, although the crawl's frontier may hold some."""
        return not self._queue

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if not len(ids) or self._probability < 0.5:  # hard focus
            return
        links = self._context.links(ids)
        around = neighbourhoods(self._text, [link.anchor for link in links])
        self._words.add(ids, [words_of(*pair) for pair in zip(links, around, strict=True)])
        self._queue.add(ids, self._scores(ids))

    def choose(self, step: int) -> int:
        action, self.q = self._queue.top()
        return action

    def learn(self, transition: Transition) -> None:
        page, action = transition.page, transition.id
        is_seed = action not in self._words
        self._text = page.text if page else ""
        self._probability = 1.0 if is_seed else self._judged(transition)
        relevant = self._probability >= 0.5
        if not is_seed and self._words.count(action):
            self._followed.append(action)
            self._labels.append(relevant)
        self._n_relevant += relevant
        if relevant and self._n_relevant % self._every == 0:
            self._train()

    def drop(self, ids: list[int]) -> None:
        self._queue.drop([action for action in ids if action in self._words])

    def _judged(self, transition: Transition) -> float:
        """Probability that the page is relevant; 0 if it could not be had."""
        if transition.page is None:
            return 0.0
        return float(self._judge.proba([page_text(transition.page)])[0])

    def _scores(self, ids: np.ndarray) -> np.ndarray:
        """Priorities (n,): before the first training, of links of the page just fetched."""
        self.evaluations += len(ids)
        if self._classifier is None:
            return np.full(len(ids), self._probability)
        return self._classifier.scores(*self._words.of(ids), len(ids))

    def _train(self) -> None:
        """Train the link classifier anew and score all links again."""
        examples, labels = self._examples()
        if labels.all() or not labels.any():
            return
        seed = int(self._context.rng.integers(2**31))
        classifier = LinkClassifier.fit(*self._words.of(examples), labels, seed)
        if classifier is not None:
            self._classifier = classifier
            self.n_trainings += 1
            self._queue.rescore(self._scores(self._queue.live()))

    def _examples(self) -> tuple[np.ndarray, np.ndarray]:
        """Links followed (n,) and whether they led to relevant pages (n,), in balance."""
        labels = np.array(self._labels, bool)
        good = self._sample(labels, self.settings.max_examples)
        bad = self._sample(~labels, len(good))
        chosen = np.sort(np.concatenate([good, bad]))
        return np.array(self._followed, int)[chosen], labels[chosen]

    def _sample(self, which: np.ndarray, n: int) -> np.ndarray:
        """Up to n of the places where `which` is true."""
        places = np.flatnonzero(which)
        return places if len(places) <= n else self._context.rng.choice(places, n, replace=False)


@lru_cache(maxsize=3)
def _svm_of(topic: Topic) -> RelevanceClassifier:
    """The topic's SVM; the crawls of a process share what it has judged."""
    from ...topics import CachedScorer, svm_classifier

    return CachedScorer(svm_classifier(topic))
