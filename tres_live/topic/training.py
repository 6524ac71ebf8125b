"""Training on whatever there is of a topic: keywords, examples, rules, labels.

The encyclopaedia's training articles are the background. Rules, or else keywords, say which of them
are relevant; examples and labelled pages join them. With too few relevant texts, or with examples
that are not in English, a simpler classifier on stems of words takes over.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import cache
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from tres_lib.store import load_or_make, stored_folder
from tres_lib.topics.classifiers.base import RelevanceClassifier
from tres_lib.topics.corpus import (
    Corpus,
    labelled_articles,
    leads,
    n_relevant,
    other_pages,
    relevant_articles,
    topic_keywords,
    with_texts,
)
from tres_lib.topics.defaults import TRAINING, load_classifier
from tres_lib.topics.vectors import tokenize, vocabulary
from tres_lib.web import Topic

from .few import FewTexts
from .labels import Label

KINDS = ("svm", "kwbilstm")
LABEL_TIMES = 20  # a labelled page counts as so many training texts
LIKELY = 0.2  # held-out probability from which an article is relevant, once there are labels
FEWEST = {"svm": 5, "kwbilstm": 7}  # relevant articles and pages, for their validation folds
ENOUGH = 3  # irrelevant labels, with which articles need not serve as irrelevant texts
FREQUENT = 50_000  # words of the vectors, the most frequent
LONG = 4  # letters; of shorter words languages share many, such as "de" and "an"
LEAST_ENGLISH = 2 / 3  # share of these; of leads in English 99 % have more, in French 1 %
FEWEST_WORDS = 3  # distinct ones; fewer say nothing

logger = logging.getLogger(__name__)


def trained(topic: Topic, kind: str, seed: int, answers: Sequence[Label]) -> RelevanceClassifier:
    """Return the topic's classifier, from ``build/classifiers`` if it was trained before."""
    facts = asdict(topic), seed, [(label.text, label.relevant) for label in answers]
    folder = stored_folder("classifiers", f"own-{kind}", [*TRAINING, Path(__file__).parent], *facts)
    return load_or_make(
        folder,
        lambda path: load_classifier(path, FewTexts),
        lambda: train(topic, kind, seed, answers),
    )


def train(topic: Topic, kind: str, seed: int, answers: Sequence[Label]) -> Any:
    """Train the classifier asked for, or a simpler one, with a warning, on too few texts."""
    if not mostly_english([*topic.examples, *(label.text for label in answers)]):
        return _few(topic, answers, "most examples are not in English")
    corpus = own_corpus(topic, answers, relevant_articles(topic))
    relevant = n_relevant(corpus)
    if relevant < FEWEST["svm"]:
        why = f"only {relevant} relevant training articles, examples and labels"
        irrelevant = sum(not label.relevant for label in answers)
        others = [] if irrelevant >= ENOUGH else other_pages(corpus)
        return _few(topic, answers, why, leads(), others)
    if relevant < FEWEST[kind]:
        message = "topic %s: %d relevant texts are too few for %s; svm"
        logger.warning(message, topic.name, relevant, kind)
        kind = "svm"
    if answers and not topic.has_rules:
        again = own_corpus(topic, answers, _likely(topic, corpus, seed))
        corpus = again if n_relevant(again) >= FEWEST[kind] else corpus
    return _new(topic, kind, seed).fit(corpus.texts, corpus.labels, corpus.groups)


def own_corpus(topic: Topic, answers: Sequence[Label], relevant: np.ndarray) -> Corpus:
    """Return training articles, of which `relevant` (n,) bool are, examples and labelled pages.

    Articles come with their pages and anchors; each label counts `LABEL_TIMES`.
    """
    # Without rules hubs are irrelevant: two keywords make a poor sign of what a hub lists.
    articles = labelled_articles(relevant, hubs_too=topic.has_rules)
    corpus = with_texts(articles, topic.examples)
    texts = [label.text for label in answers]
    return with_texts(corpus, texts, [bool(label.relevant) for label in answers], LABEL_TIMES)


def is_english(text: str) -> bool:
    """Return whether two thirds of a text's words are frequent in English.

    Distinct words of four letters or more count, and all that are not in ASCII. So lists of links
    or names are recognized as well as prose. An ASCII text with fewer than three counts as English.
    """
    words = {w for w in tokenize(text) if w.isalpha() and (len(w) >= LONG or not w.isascii())}
    if len(words) < FEWEST_WORDS and text.isascii():
        return True
    return len(words & _frequent()) >= LEAST_ENGLISH * len(words)


def mostly_english(texts: Collection[str]) -> bool:
    """Return whether at least half of the texts are English, or there is none."""
    return 2 * sum(map(is_english, texts)) >= len(texts)


@cache
def _frequent() -> frozenset[str]:
    return frozenset(vocabulary()[:FREQUENT])


def _likely(topic: Topic, corpus: Corpus, seed: int) -> np.ndarray:
    """Return which articles are relevant to a classifier of the others, by their lead and page."""
    first = _new(topic, "svm", seed).fit(corpus.texts, corpus.labels, corpus.groups)
    whole = corpus.forms != "anchor"
    groups = corpus.groups[whole]
    sums = np.bincount(groups, first.held_out[whole])
    means = sums / np.maximum(1, np.bincount(groups))
    return means[: len(leads())] >= LIKELY


def _new(topic: Topic, kind: str, seed: int) -> Any:
    if kind == "svm":
        from tres_lib.topics.classifiers.svm import SvmClassifier

        return SvmClassifier(rng=seed)
    from tres_lib.topics.classifiers.kwbilstm import KwBiLSTM

    return KwBiLSTM(topic_keywords(topic).keywords, rng=seed)


def _few(
    topic: Topic,
    answers: Sequence[Label],
    why: str,
    background: Sequence[str] = (),
    others: Sequence[str] = (),
) -> RelevanceClassifier:
    """Train a classifier of keywords and stems of words, and warn why."""
    advice = "it improves with keywords, examples and labels"
    logger.warning("topic %s: a simple classifier, because %s; %s", topic.name, why, advice)
    articles = list(compress(background, relevant_articles(topic))) if background else []
    texts = [*topic.examples, *articles, *(label.text for label in answers), *others]
    relevant = [True] * (len(topic.examples) + len(articles))
    relevant += [bool(label.relevant) for label in answers] + [False] * len(others)
    return FewTexts(topic.keywords).fit(texts, relevant, background=background)
