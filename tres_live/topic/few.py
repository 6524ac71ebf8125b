"""A classifier for few texts, of any language, and the choice of it for what there is of a topic.

Keywords alone decide to begin with; examples, labels and pages around the seeds add to them. Rules
choose training articles of the encyclopaedia, from which an SVM learns.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.numerics import log, logistic, logs
from tres_lib.store import load_or_make, stored_folder
from tres_lib.topics.classifiers import stored
from tres_lib.topics.classifiers.base import RelevanceClassifier
from tres_lib.topics.corpus import (
    Corpus,
    labelled_articles,
    leads,
    matching,
    with_texts,
)
from tres_lib.topics.defaults import TRAINING, load_classifier
from tres_lib.topics.keywords import KeywordMatcher
from tres_lib.topics.vectors import UNSPACED, fold, tokenize, vocabulary
from tres_webs import Topic

from .labels import LONGEST_TEXT, Label

PROSE = 8  # words of a line of prose; those of menus and lists are shorter
BEGINNING = 150  # words of a page in which its subject is named
SEVERAL = 3  # keywords of a topic of which one named alone says less
EVEN = 1.5, 8.0  # keywords there, and in 1,000 words of prose, that leave it open
SHORT = 50  # words; a shorter text counts as so long
SURE = 2.0  # log-odds of keywords at most
HEAD = 20  # words of title, URL and what follows, which count...
HEAD_TIMES = 4  # ...so many times more
LONG = 6  # letters; shorter words are mostly those that any text of the language has
STEM = 5  # letters
SPREAD = 3.0  # standard deviation of a stem's weight before any text is seen
SHIFT = 0.3  # and of the bias
UNSEEN = 0.5, 10.0  # weight of a text of the background without keywords, and of all, at most
FEWEST = 5  # of these that stand in for irrelevant texts
STEEPNESS = 4.0  # log-odds between a text unlike the examples and one like them
USUAL_SHARE = 1.25  # of the usual cosine, at which similarity speaks neither for nor against
BESIDE = "beside"  # folder of the other classifier
TYPICAL = 0.2  # cosine of relevant texts where a single example leaves none to compare
LABEL_TIMES = 20  # a labelled page counts as so many training texts
FEWEST_RELEVANT = 5  # articles and pages, for the validation folds
FREQUENT = 50_000  # words of the vectors, the most frequent
LETTERS = 4  # letters; of shorter words languages share many, such as "de" and "an"
LEAST_ENGLISH = 2 / 3  # share of these; of leads in English 99 % have more, in French 1 %
FEWEST_WORDS = 3  # distinct ones; fewer say nothing
EACH = 25  # of so many training articles one shows which words are common
SOME_AROUND, MOST = 10, 0.8  # pages around the seeds, and the share that is too much of a site
ONE_IN = 20  # irrelevant texts to a relevant one, by which nearly nothing would be taken
SIMPLE = "topic %s: keywords decide, because %s; it improves with keywords, examples and labels"

logger = logging.getLogger(__name__)


CUT: Any = list  # what `stored.TfIdf` cuts into words: texts come as their stems


class FewTexts:
    """Relevance from keywords and a few texts, in any language, without word vectors.

    Keywords give the log-odds to begin with, by their namings in the first 150 words and their
    share of all; lines of menus do not count. Texts add to that by a logistic regression on stems:
    the first letters of words, and pairs of characters in scripts without blanks. Texts of the
    background that keywords take for irrelevant count as such, with half a weight at most. Where
    nothing is irrelevant, likeness to the examples adds and never subtracts: to be unlike a few
    says little.

    Examples
    --------
    >>> few = FewTexts(["Oper", "Geige"]).fit(["Die Oper von Wien", "Eine Geige spielt"], [1, 1])
    >>> few.proba(["In der OPER spielt eine Geige.", "Der Fluss ist breit."]) >= 0.5
    array([ True, False])
    """

    def __init__(self, keywords: Iterable[str]):
        self.keywords = list(keywords)
        self._matcher = KeywordMatcher(self.keywords)
        once = dict.fromkeys(" ".join(tokenize(fold(keyword))) for keyword in self.keywords)
        self._each = [KeywordMatcher([keyword]) for keyword in once if keyword]
        self._stems: stored.TfIdf | None = None  # without words if no text has taught something
        self.beside: FewTexts | None = None  # of the same keywords; the surer of both decides

    def fit(
        self,
        texts: Sequence[str],
        labels: ArrayLike,
        groups: ArrayLike | None = None,
        background: Sequence[str] = (),
    ) -> Self:
        """Learn from n texts and labels (n,), or none; a `background` shows common stems."""
        relevant = np.asarray(labels, bool)
        if relevant.shape != (len(texts),):
            raise ValueError(f"labels: shape {relevant.shape}; give one for each text")
        self._stems = stored.TfIdf(CUT, [], np.zeros(0))
        self._weights, self._bias, self._only_adds = np.zeros(0), 0.0, False
        if not texts:
            return self
        taught = set(texts)
        known = [*texts, *(text for text in background if text not in taught)]
        words: Any = list(map(_weighted_stems, known))
        vocabulary = sorted({stem for text in known for stem in stems(text)})
        self._stems = stored.TfIdf.fit(CUT, words, vocabulary)
        prior = self._prior(known)
        far = len(texts) + np.flatnonzero(prior[len(texts) :] <= -SURE)
        x = self._stems.rows(words)
        if relevant.all() and len(far) < FEWEST:
            self._compare(x[: len(texts)].toarray())
        else:
            rows = np.append(np.arange(len(texts)), far)
            each, most = UNSEEN
            weight = np.where(rows < len(texts), 1.0, min(each, most / max(len(far), 1)))
            labelled = np.append(relevant, np.zeros(len(far), bool))
            tight = np.append(SHIFT**-2, np.full(x.shape[1], SPREAD**-2))
            fitted = stored.likeliest(x[rows], prior[rows], labelled, weight, tight)
            self._bias, self._weights = fitted
        return self

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability (n,) that each text is relevant."""
        gains = [each._gain(texts) for each in (self, self.beside) if each]
        return logistic(self._prior(texts) + np.max(gains, axis=0))

    def save(self, directory: str | Path) -> None:
        """Write keywords and stems as JSON, weights as safetensors; ValueError before `fit`."""
        words = stored.fitted(self._stems)
        arrays = {"weights": self._weights, "idf": words.idf}
        about = {"keywords": self.keywords, "stems": words.words, "bias": self._bias}
        stored.write_classifier(directory, self, arrays, **about, only_adds=self._only_adds)
        if self.beside:
            self.beside.save(Path(directory, BESIDE))

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        about = stored.read_description(directory, cls.__name__)
        arrays = stored.read_arrays(directory)
        few = cls(about["keywords"])
        few._weights, few._bias = arrays["weights"], about["bias"]
        few._only_adds = about.get("only_adds", False)
        few._stems = stored.TfIdf(CUT, about["stems"], arrays["idf"])
        if Path(directory, BESIDE).exists():
            few.beside = cls.load(Path(directory, BESIDE))
        return few

    def _gain(self, texts: Sequence[str]) -> np.ndarray:
        """Return what was learnt of texts, beside the log-odds of keywords, (n,)."""
        words: Any = list(map(_weighted_stems, texts))
        learnt = stored.fitted(self._stems).products(words, self._weights) + self._bias
        return np.maximum(learnt, 0.0) if self._only_adds else learnt

    def _prior(self, texts: Sequence[str]) -> np.ndarray:
        """Return the log-odds of relevance by keywords alone, (n,)."""
        counts = np.array([self._counts(prose(text)) for text in texts], float).reshape(-1, 2)
        share = np.maximum((counts / EVEN).min(axis=1), 0.01)
        return np.clip(2.0 * logs(share) / log(2.0), -SURE, SURE)

    def _counts(self, text: str) -> tuple[float, float]:
        """Return the keywords in the beginning of a text, and in 1,000 words of it."""
        words = tokenize(fold(text))
        places = self._matcher.starts(words)
        named = float(sum(place < BEGINNING for place in places))
        if named > 1 and len(self._each) >= SEVERAL:  # one named again and again says less
            starts = (matcher.starts(words) for matcher in self._each)
            named = float(np.sqrt([sum(p < BEGINNING for p in each) for each in starts]).sum())
        length = max(len(words) + len(UNSPACED.findall(text)) // 2, SHORT)
        return named, 1_000 * len(places) / length

    def _compare(self, good: np.ndarray) -> None:
        """Set weights by the mean relevant text, and by what cosine is usual among them."""
        usual = TYPICAL
        if len(good) > 1:
            others = (good.sum(axis=0) - good) / (len(good) - 1)
            usual = max(float(np.median((good * others).sum(axis=1))), 0.01)
        self._weights = STEEPNESS * good.mean(axis=0) / usual
        self._bias, self._only_adds = -STEEPNESS * USUAL_SHARE, True


def prose(text: str) -> str:
    """Return a text's first line, which has the title, and its lines of eight words or more."""
    first, *lines = text.split("\n")
    words = (len(line.split()) + len(UNSPACED.findall(line)) // 2 for line in lines)
    return "\n".join([first, *(line for line, n in zip(lines, words, strict=True) if n >= PROSE)])


def prose_of(body: str) -> str:
    """Return the lines of eight words or more of a text without a title; all if it has none."""
    return prose(f"\n{body}").strip() or body


def stems(text: str) -> list[str]:
    """Return the first letters of long words, and pairs of characters in scripts without blanks."""
    made: list[str] = []
    for word in tokenize(fold(text)):
        if UNSPACED.search(word):
            made += map("".join, pairwise(word))
        elif len(word) >= LONG:
            made.append(word[:STEM])
    return made


def _weighted_stems(text: str) -> list[str]:
    """Return the stems of a page's prose, those of its head several times."""
    head = " ".join(text.partition("\n")[0].split()[:HEAD])
    return stems(prose(text)) + (HEAD_TIMES - 1) * stems(head)


def trained(
    topic: Topic, seed: int, answers: Sequence[Label], around: Sequence[str] = ()
) -> RelevanceClassifier:
    """Return the topic's classifier; one of articles is kept in ``build/classifiers``."""
    if not topic.has_rules:
        return _few(topic, answers, around)
    if not mostly_english([*topic.examples, *(label.text for label in answers)]):
        logger.warning(SIMPLE, topic.name, "most examples are not in English")
        return _few(topic, answers, around)
    labelled = [(label.text, label.relevant) for label in answers]
    facts = asdict(topic), seed, labelled, list(around)
    folder = stored_folder("classifiers", "own", [*TRAINING, Path(__file__).parent], *facts)
    return load_or_make(
        folder,
        lambda path: load_classifier(path, FewTexts),
        lambda: train(topic, seed, answers, around),
    )


def train(topic: Topic, seed: int, answers: Sequence[Label], around: Sequence[str] = ()) -> Any:
    """Train an SVM of articles, or a simpler classifier, with a warning, on too few of them."""
    corpus = own_corpus(topic, answers)
    relevant = len(np.unique(corpus.groups[corpus.labels]))
    if relevant < FEWEST_RELEVANT:
        why = f"only {relevant} relevant training articles, examples and labels"
        logger.warning(SIMPLE, topic.name, why)
        return _few(topic, answers, around)
    from tres_lib.topics.classifiers.svm import SvmClassifier

    message = "training an SVM on %d texts; the next crawl by the same finds it stored"
    logger.info(message, len(corpus.texts), extra={"at_once": True})
    return SvmClassifier(rng=seed).fit(corpus.texts, corpus.labels, corpus.groups)


def own_corpus(topic: Topic, answers: Sequence[Label]) -> Corpus:
    """Return training articles labelled by the topic's rules, examples and labelled pages."""
    corpus = with_texts(labelled_articles(matching(topic)), topic.examples)
    texts = [label.text for label in answers]
    return with_texts(corpus, texts, [bool(label.relevant) for label in answers], LABEL_TIMES)


def is_english(text: str) -> bool:
    """Return whether two thirds of a text's longer words are frequent in English."""
    words = {w for w in tokenize(text) if w.isalpha() and (len(w) >= LETTERS or not w.isascii())}
    if len(words) < FEWEST_WORDS and text.isascii():
        return True
    return len(words & _frequent()) >= LEAST_ENGLISH * len(words)


def mostly_english(texts: Collection[str]) -> bool:
    """Return whether at least half of the texts are English, or there is none."""
    return 2 * sum(map(is_english, texts)) >= len(texts)


@cache
def _frequent() -> frozenset[str]:
    return frozenset(vocabulary()[:FREQUENT])


def _few(topic: Topic, answers: Sequence[Label], around: Sequence[str]) -> FewTexts:
    """Return what learns from examples and answers; keywords alone where these would mislead."""
    # An answer about an example counts instead of it.
    known = {text[:LONGEST_TEXT]: True for text in topic.examples}
    known |= {label.text: bool(label.relevant) for label in answers}
    few, good = FewTexts(topic.keywords), sum(known.values())
    if good < len(known) and ONE_IN * good <= len(known) - good:
        why = f"relevant are only {good} of {len(known)} examples and answers"
        logger.warning(SIMPLE, topic.name, why)
        return few.fit([], [])
    if not around and known and mostly_english(known):
        around = leads()[::EACH]
    few.fit([*known], [*known.values()], background=around)
    if len(around) >= SOME_AROUND:
        plain = FewTexts(topic.keywords).fit([], [])
        many, usual = (float((each.proba(around) >= 0.5).mean()) for each in (few, plain))
        if many > MOST > 2 * usual:
            why = f"examples and answers would take over {MOST:.0%} of the pages around the seeds"
            logger.warning(SIMPLE, topic.name, why)
            return plain
    return few
