"""ACHE, an adaptive crawler (Barbosa and Freire 2007; Barbosa and Bangalore 2011)."""

import logging
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from tres_webs.checks import one_of
from tres_webs.topic import Topic, load_topics

from ... import topics
from ...topics import CachedScorer, Scorer, page_text
from ..policy import Blind, Context, Transition
from .ache_links import LinkClassifier, balanced, in_rows, neighbourhoods, words_of
from .scheduler import Turns
from .simple import Queued

logger = logging.getLogger(__name__)
PAPER_BUDGET = 20_000  # fetches of a crawl in the TRES paper


class Ache(Queued, Blind):
    """Prune by a page classifier, order links by one learnt online, visit domains by turns.

    From the papers and the published crawler (VIDA-NYU/ache), whose default settings were fixed
    before the first crawl. `classifier` is of pages: by default an SVM on the topic's corpus, or
    that of the crawl on a topic that data/topics.yaml does not have. `scheduler="global"` takes the
    best of all links, whatever its domain, and MAX counts fetches only: our control of the turns.
    """

    # The defaults of the source, the first for a crawl of 20,000 fetches.
    learning_limit = 500  # relevant pages between trainings
    max_examples = 5_000  # links of each class that a training takes at most
    max_links = 100_000  # URLs that the scheduler of turns holds at most...
    max_links_of_domain = 2_000  # ...and of one domain
    # Whether domains never accessed come in the order they were found. The source's heap leaves it
    # open; chance decides by default, for the order finds up to twice as much in `VitalWeb`.
    first_come = False

    def __init__(
        self, context: Context, classifier: Scorer | None = None, scheduler: str = "turns"
    ):
        super().__init__(context)
        frontier = self._frontier = context.frontier
        self.by_turns = one_of("scheduler", scheduler, ("turns", "global")) == "turns"
        if self.by_turns:
            most = self.max_links, self.max_links_of_domain
            rng = None if self.first_come else context.rng
            self._turns = Turns(frontier.urls_of, frontier.sites_of, *most, rng)
        else:
            self._turns = Turns(frontier.urls_of, np.zeros_like)  # one line of all
        # Time is not simulated, so the source's five seconds between accesses do not apply: links
        # are loaded as they are found, scored again at once, and an emptied domain keeps its last
        # access. A URL on several pages has the best of its scores; no back-links are asked for.
        self.queue = self._turns
        self._every = scaled(self.learning_limit, context.budget)
        self._step = 1
        self.n_trainings = 0
        self._page_classifier = classifier  # None: the crawl's
        if classifier is None and load_topics().get(context.topic.name) == context.topic:
            log_classifier(type(self).__name__)
            self._page_classifier = svm_of(context.topic)
        self._words: dict[int, Sequence[int]] = {}  # by link: the numbers of its words
        self._link_classifier: LinkClassifier | None = None
        self._followed: list[int] = []  # links taken, and whether their pages were relevant
        self._labels: list[bool] = []
        self._n_relevant = 0
        self._text = ""  # of the page just fetched, as is the probability
        self._probability = 0.0

    def take(self, action: int, step: int) -> None:
        super().take(action, step)
        self._step = step
        self._turns.access(action)
        self._words.setdefault(action, ())  # if it was never added; it is no seed

    def figures(self) -> dict[str, float]:
        return super().figures() | {"limited": self._turns.refused}

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if self._probability < 0.5:  # "hard focus": links of pages called irrelevant are not taken
            return
        # As in the source the first MAX outlinks of a domain are all that it ever gets, fetched or
        # not, so a crawl can run dry. Seeds do not count; a MAX that falls is that of the step.
        if self.by_turns:
            ids = self._turns.admit(ids, self._context.cap(self._step))
        if not len(ids):
            return
        links = self._frontier.new_links(ids)
        around = neighbourhoods(self._text, [link.anchor for link in links])
        words = map(words_of, links, around)
        self._words.update(zip(ids.tolist(), words, strict=True))
        self.queue.add(ids, self._scores(ids))

    def learn(self, transition: Transition) -> None:
        page, action = transition.page, transition.id
        is_seed = action not in self._words
        if is_seed:
            self._turns.access(action)
        self._text = page.text if page else ""
        self._probability = float(is_seed)  # also of a page whose fetch failed: 0
        if page and not is_seed:
            judge = self._page_classifier
            p = transition.p if judge is None else float(judge.proba([page_text(page)])[0])
            self._probability = p
        relevant = self._probability >= 0.5
        if not is_seed and self._words[action]:
            self._followed.append(action)
            self._labels.append(relevant)
        self._n_relevant += relevant
        if relevant and self._n_relevant % self._every == 0:
            self._train()

    def _scores(self, ids: np.ndarray) -> np.ndarray:
        """Return priorities, (n,): before the first training, of links of the page just fetched."""
        self.evaluations += len(ids)
        # First by the page ("baseline" order), then by the SVM's margin alone, where the source
        # ranks links that it takes for irrelevant the other way round. Its loss is squared hinge.
        if self._link_classifier is None:
            return np.full(len(ids), self._probability)
        return self._link_classifier.scores(*self._of(ids), len(ids))

    def _of(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return in_rows([self._words[link] for link in ids.tolist()])

    def _train(self) -> None:
        labels = np.array(self._labels, bool)
        chosen = balanced(labels, self.max_examples, self._context.rng)
        labels = labels[chosen]
        if labels.all() or not labels.any():
            return
        seed = int(self._context.rng.integers(2**31))
        examples = np.array(self._followed)[chosen]
        classifier = LinkClassifier.fit(*self._of(examples), labels, seed)
        if classifier is not None:
            self._link_classifier = classifier
            self.n_trainings += 1
            self.queue.rescore(self._scores(self.queue.members()))


def scaled(number: int, budget: int) -> int:
    """Return what is `number` in a crawl of the paper's budget in one of `budget` fetches."""
    return max(1, round(number * budget / PAPER_BUDGET))


@cache
def log_classifier(policy: str) -> None:
    """Log which classifier a policy prunes by, once in a process."""
    text = (
        "%s follows links of the pages that an SVM of its own calls relevant, as its authors do; "
        "the SVM learns from the articles of the topic. A classifier= that you give serves "
        "instead on topics that are not in data/topics.yaml"
    )
    logger.info(text, policy)


@lru_cache(maxsize=3)
def svm_of(topic: Topic) -> Scorer:
    """Return the topic's SVM; the crawls of a process share its scores."""
    return CachedScorer(topics.classifier(topic, "svm"))
