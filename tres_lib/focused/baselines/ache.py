"""ACHE, an adaptive crawler (Barbosa and Freire 2007; Barbosa and Bangalore 2011)."""

import logging
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from ...checks import count
from ...topics import CachedScorer, Scorer, page_text, svm_classifier
from ...web.page import Page
from ...web.topic import Topic
from ..policy import Context, Transition
from .ache_links import LinkClassifier, LinkWords, balanced, neighbourhoods, words_of
from .priority_queue import Queued

logger = logging.getLogger(__name__)
PAPER_BUDGET = 20_000  # fetches of a crawl in the TRES paper


@dataclass(frozen=True)
class AcheSettings:
    """Settings of `Ache`: the defaults of the ACHE crawler, the learning limit to scale.

    Attributes
    ----------
    learning_limit : int
        Relevant pages between trainings in a crawl of 20,000 fetches; fewer in a shorter one.
    max_examples : int
        Links of each class that a training takes at most.
    """

    learning_limit: int = 500
    max_examples: int = 5_000

    def __post_init__(self) -> None:
        count("learning_limit", self.learning_limit)
        count("max_examples", self.max_examples)

    def every(self, budget: int) -> int:
        """Return the relevant pages between trainings in a crawl of `budget` fetches."""
        return max(1, round(self.learning_limit * budget / PAPER_BUDGET))


class Ache(Queued):
    """Prune by a page classifier, and order links by a link classifier learnt online.

    From the source: an SVM classifies each page, whatever the reward says. "Hard focus": links of
    pages that it calls irrelevant are not taken, so that the crawl can run out of links. At first a
    link has the probability of its page ("baseline" order). After each `learning_limit` relevant
    pages a linear SVM is trained anew on the links followed. From words of URL, anchor and
    neighbourhood it predicts whether they led to relevant pages, from no more irrelevant examples
    than relevant ones; then all links are scored again. Features are the most frequent stems: 100
    of the ten words on either side of the anchor, 150 of URLs, 150 of anchors.

    Ours: the page classifier is trained on the topic's corpus, unless `classifier` is given or the
    crawl's is the caller's own. A page is relevant from probability 0.5; seeds always are. Links
    are ordered by the SVM's margin alone, where the source ranks those it takes for irrelevant the
    other way round; among equals the oldest goes first, not a random one. A URL on several pages
    has the best of its scores. The loss is the squared hinge.

    The source is the published crawler's code as well as the papers. Its default settings were
    fixed before the first crawl; nothing was tuned.
    """

    def __init__(
        self,
        context: Context,
        settings: AcheSettings | None = None,
        classifier: Scorer | None = None,
    ):
        super().__init__(context)
        self.settings = settings or AcheSettings()
        self.n_trainings = 0
        self._page_classifier = classifier  # None: the crawl's
        if classifier is None and not context.own_classifier:
            level = logging.WARNING if context.ignored_classifier else logging.INFO
            log_classifier(level, type(self).__name__)
            self._page_classifier = svm_of(context.topic)
        assert context.links, "a crawl offers the links of new actions"
        self._links = context.links
        self._words = LinkWords()
        self._link_classifier: LinkClassifier | None = None
        self._followed: list[int] = []  # links taken, and whether their pages were relevant
        self._labels: list[bool] = []
        self._n_relevant = 0
        self._text = ""  # of the page just fetched, as is the probability
        self._probability = 0.0
        self._every = self.settings.every(context.budget)

    @property
    def exhausted(self) -> bool:
        return not self.queue  # the crawl's frontier may still hold links

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if not len(ids) or self._probability < 0.5:  # hard focus
            return
        links = self._links(ids)
        around = neighbourhoods(self._text, [link.anchor for link in links])
        self._words.add(ids, [words_of(*pair) for pair in zip(links, around, strict=True)])
        self.queue.add(ids, self._scores(ids))

    def learn(self, transition: Transition) -> None:
        page = transition.page
        action = transition.id
        is_seed = action not in self._words
        self._text = page.text if page else ""
        self._probability = float(is_seed)  # also of a page whose fetch failed: 0
        if page and not is_seed:
            judge = self._page_classifier
            # "is None", for a scorer that has kept nothing yet has length 0.
            p = transition.p if judge is None else float(judge.proba([page_text(page)])[0])
            self._probability = p
        relevant = self._probability >= 0.5
        if not is_seed and self._words.count(action):
            self._followed.append(action)
            self._labels.append(relevant)
        self._n_relevant += relevant
        if relevant and self._n_relevant % self._every == 0:
            self._train()

    def hear(self, page: Page, reward: float) -> None:
        self._text, self._probability = "", reward  # its text stayed with another shard

    def _scores(self, ids: np.ndarray) -> np.ndarray:
        """Return priorities, (n,): before the first training, of links of the page just fetched."""
        self.evaluations += len(ids)
        if self._link_classifier is None:
            return np.full(len(ids), self._probability)
        return self._link_classifier.scores(*self._words.of(ids), len(ids))

    def _train(self) -> None:
        labels = np.array(self._labels, bool)
        chosen = balanced(labels, self.settings.max_examples, self._context.rng)
        labels = labels[chosen]
        if labels.all() or not labels.any():
            return
        seed = int(self._context.rng.integers(2**31))
        examples = np.array(self._followed)[chosen]
        classifier = LinkClassifier.fit(*self._words.of(examples), labels, seed)
        if classifier is not None:
            self._link_classifier = classifier
            self.n_trainings += 1
            self.queue.rescore(self._scores(self.queue.live()))


@cache
def log_classifier(level: int, policy: str) -> None:
    """Log which classifier a policy prunes by, once in a process."""
    logger.log(
        level,
        "%s follows links of the pages that an SVM of its own calls relevant, as its "
        "authors do; the SVM learns from the articles of the topic. A classifier= that "
        "you give serves instead on topics that are not in data/topics.yaml",
        policy,
    )


@lru_cache(maxsize=3)
def svm_of(topic: Topic) -> Scorer:
    """Return the topic's SVM; the crawls of a process share its scores."""
    return CachedScorer(svm_classifier(topic))
