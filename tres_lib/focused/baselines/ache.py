"""ACHE, an adaptive crawler (Barbosa and Freire 2007; Barbosa and Bangalore 2011)."""

import heapq
import logging
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from zlib import crc32

import numpy as np

from tres_webs.checks import one_of
from tres_webs.extras import optional
from tres_webs.page import Link
from tres_webs.topic import Topic, load_topics
from tres_webs.urls import url_words

from ... import topics
from ...topics import CachedScorer, Scorer, page_text
from ...topics.vectors import tokenize
from ..policy import Blind, Context, Transition
from .simple import Key, Queue, Queued, keys_of

Turn = tuple[int, float, int]  # last access of a domain, order among equals, its number


class Turns(Queue):
    """Links by turns: the best link of the domain whose last access is longest ago.

    `urls` and `domains` are `Frontier.urls_of` and `sites_of`; as `domains` ``np.zeros_like`` makes
    one line of all. Without an rng domains never accessed come first come, first served.
    """

    def __init__(
        self,
        urls: Callable[[np.ndarray], np.ndarray],
        domains: Callable[[np.ndarray], np.ndarray],
        most: float = math.inf,
        of_domain: float = math.inf,
        rng: np.random.Generator | None = None,
    ):
        super().__init__()
        self._urls, self._domains = urls, domains
        # Of URLs loaded; when one ends, the best of the others whose domain has room is.
        self._most, self._of_domain = most, of_domain
        self._rng = rng
        self._clock = 0  # accesses so far
        self._arrivals = 0  # of domains
        self._accessed: dict[int, int] = {}  # when, by domain
        self._inserted: Counter[int] = Counter()  # URLs that were admitted, by domain
        self._known: set[int] = set()  # these URLs
        self.refused = False  # whether a link was kept out
        self._clear()

    def _clear(self) -> None:
        self._turns: list[Turn] = []  # of domains that have links; outdated ones are skipped
        self._in_line: set[int] = set()  # domains that have a turn
        self._of: defaultdict[int, list[Key]] = defaultdict(list)  # loaded links, heaps by domain
        self._loaded: set[int] = set()  # URLs
        self._n_loaded: Counter[int] = Counter()  # of them, by domain
        self._waiting: list[Key] = []  # a heap
        self._held: defaultdict[int, list[Key]] = defaultdict(list)  # heaps by full domain

    def admit(self, ids: np.ndarray, cap: float) -> np.ndarray:
        """Return the links, (m,), to URLs inserted before and to each domain's first ones."""
        if cap == math.inf:
            return ids
        # MAX as ACHE counts it: a domain's links when they are inserted, fetched or not.
        admitted = np.ones(len(ids), bool)
        for i, (url, domain) in enumerate(zip(*self._places(ids), strict=True)):
            if url not in self._known:
                admitted[i] = self._inserted[domain] < cap
                if admitted[i]:
                    self._known.add(url)
                    self._inserted[domain] += 1
        self.refused |= not admitted.all()
        return ids[admitted]

    def __bool__(self) -> bool:
        while self._turns:
            when, _, domain = self._turns[0]
            if when == self._accessed.get(domain, 0):
                links = self._of[domain]
                while links and self._passed(links[0]):
                    heapq.heappop(links)
                if links:
                    return True
                self._in_line.discard(domain)
            heapq.heappop(self._turns)
        return False

    def _top_key(self) -> Key:
        return self._of[self._turns[0][2]][0]

    def access(self, link: int) -> None:
        """Note that a link's domain is accessed now."""
        _, domain = self._places([link])
        self._clock += 1
        self._accessed[domain[0]] = self._clock
        if domain[0] in self._in_line:
            heapq.heappush(self._turns, (self._clock, 0, domain[0]))

    def rescore(self, priorities: np.ndarray) -> None:
        self._aside.clear()
        keys = sorted(keys_of(self.members(), priorities))
        urls, _ = self._places([link for _, link in keys])
        best = dict(zip(reversed(urls), reversed(keys), strict=True))  # the others end when it does
        self._clear()
        self._push(sorted(best.values()))

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        for url, domain in set(zip(*self._places(ids), strict=True)):
            if url in self._loaded:
                self._loaded.remove(url)
                self._n_loaded[domain] -= 1
                self._load_best(self._held[domain], self._waiting)
        while len(self._loaded) < self._most and self._load_best(self._waiting):
            pass

    def _load_best(self, links: list[Key], into: list[Key] | None = None) -> bool:
        """Load the best of some links, or move it to others; return whether there was one."""
        while links:
            key = heapq.heappop(links)
            # A link to a URL that is loaded is worse than the one by which it was.
            if not self._dropped[key[1]] and self._places([key[1]])[0][0] not in self._loaded:
                if into is None:
                    self._push([key])
                else:
                    heapq.heappush(into, key)
                return True
        return False

    def _places(self, links: Sequence[int] | np.ndarray) -> tuple[list[int], list[int]]:
        """Return the URLs and the domains of links."""
        urls = self._urls(np.array(links, np.int64))
        return urls.tolist(), self._domains(urls).tolist()

    def _push(self, keys: list[Key]) -> None:
        """Load links where there is room, in this order; let the others wait."""
        links = [link for _, link in keys]
        for key, url, domain in zip(keys, *self._places(links), strict=True):
            if url not in self._loaded:
                if self._n_loaded[domain] >= self._of_domain:
                    heapq.heappush(self._held[domain], key)
                    continue
                if len(self._loaded) >= self._most:
                    heapq.heappush(self._waiting, key)
                    continue
                self._loaded.add(url)
                self._n_loaded[domain] += 1
            heapq.heappush(self._of[domain], key)
            if domain not in self._in_line:
                self._in_line.add(domain)
                self._arrivals += 1
                order = self._rng.random() if self._rng else self._arrivals
                heapq.heappush(self._turns, (self._accessed.get(domain, 0), order, domain))


FIELDS = {"around": 100, "url": 150, "anchor": 150}  # most frequent words that become features
BUCKETS = 2**20  # for the words of a field: among 10,000 a word shares its own with odds of 1 %
AROUND = 10  # words taken on each side of an anchor
SHORTEST = 3  # letters of a word that is kept
NO_WORD = -1
RARE = 5  # a word of so few training links is no feature...
RARE_AMONG_FEW = 1  # ...or of so few, where no word has more than FEW
FEW = 10
COST = 1.0  # C of the SVM


def neighbourhoods(text: str, anchors: Sequence[str]) -> list[list[str]]:
    """Return the words around each anchor, up to `AROUND` on each side, none if it is not there."""
    page = f" {' '.join(tokenize(text))} "
    place = 0
    around: list[list[str]] = []
    for words in map(tokenize, anchors):
        anchor = f" {' '.join(words)} "
        # Links come in the order of the page: look from the end of the one before, then anywhere.
        at = page.find(anchor, place) if words else -1
        at = page.find(anchor) if words and at < 0 else at
        around.append([])
        if at >= 0:
            place = at + len(anchor) - 1
            before = page[:at].rsplit(None, AROUND)
            around[-1] = before[-AROUND:] + page[place:].split(None, AROUND)[:AROUND]
    return around


def words_of(link: Link, around: Sequence[str]) -> array:
    """Return the numbers of a link's words, each once: stems, hashed, apart for each field."""
    fields = (around, tokenize(url_words(link.url)), tokenize(link.anchor))
    buckets = [(n, _bucket(word)) for n, words in enumerate(fields) for word in words]
    return array("i", sorted({n * BUCKETS + b for n, b in buckets if b != NO_WORD}))


def in_rows(words: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the links' words, (m,) int32, one link after the other, and the row of each."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    rows = np.repeat(np.arange(len(words)), lengths)
    return np.fromiter(chain.from_iterable(words), np.int32, len(rows)), rows


@dataclass(frozen=True)
class LinkClassifier:
    """A linear SVM over k selected words, each present or not."""

    words: np.ndarray  # rising numbers, as `words_of` gives them
    weights: np.ndarray
    bias: float

    @classmethod
    def fit(
        cls, words: np.ndarray, rows: np.ndarray, labels: np.ndarray, seed: int
    ) -> "LinkClassifier | None":
        """Learn from links, as `in_rows` gives them; None if no word is a feature."""
        from scipy.sparse import csr_array
        from sklearn.svm import LinearSVC

        features = select(words)
        if not len(features):
            return None
        is_feature = np.isin(words, features)
        columns = np.searchsorted(features, words[is_feature]).astype(np.int32)
        places = rows[is_feature].astype(np.int32), columns
        x = csr_array((np.ones(len(columns)), places), (len(labels), len(features)))
        # The dual solver calls no BLAS, which rounds as the processor likes.
        svm = LinearSVC(C=COST, dual=True, random_state=seed).fit(x, labels)
        return cls(features, svm.coef_[0], float(svm.intercept_[0]))

    def scores(self, words: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
        """Return the margin of each of n links, (n,), the higher the likelier relevant."""
        columns = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        weights = np.where(self.words[columns] == words, self.weights[columns], 0.0)
        return np.bincount(rows, weights, minlength=n) + self.bias


def balanced(labels: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return places in labels of at most `most` true ones, and of no more false ones, rising."""
    good, bad = np.flatnonzero(labels), np.flatnonzero(~labels)
    good = good if len(good) <= most else rng.choice(good, most, replace=False)
    bad = bad if len(bad) <= len(good) else rng.choice(bad, len(good), replace=False)
    return np.sort(np.concatenate([good, bad]))


def select(words: np.ndarray) -> np.ndarray:
    """Return the words that become features, rising: the most frequent ones of each field."""
    numbers, counts = np.unique(words, return_counts=True)
    chosen = []
    for field, most in enumerate(FIELDS.values()):
        mine = np.flatnonzero(numbers // BUCKETS == field)
        rare = RARE if counts[mine].max(initial=0) > FEW else RARE_AMONG_FEW
        mine = mine[counts[mine] > rare]
        order = np.argsort(-counts[mine], kind="stable")[:most]
        chosen.append(numbers[mine[order]])
    return np.sort(np.concatenate(chosen))


@lru_cache(maxsize=2**16)
def _bucket(word: str) -> int:
    """Return the number of a word's stem; NO_WORD for stop words and short words."""
    with optional("bilstm"):
        from gensim.parsing.porter import PorterStemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    if len(word) < SHORTEST or word in ENGLISH_STOP_WORDS:
        return NO_WORD
    return crc32(PorterStemmer().stem(word).encode()) % BUCKETS


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
