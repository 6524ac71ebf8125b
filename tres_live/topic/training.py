"""Training on whatever there is of a topic: keywords, examples, rules, labels.

Keywords alone decide to begin with; examples, labels and pages around the seeds add to them. Rules
choose training articles of the encyclopaedia, from which an SVM learns.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tres_lib.store import load_or_make, stored_folder
from tres_lib.topics.classifiers.base import RelevanceClassifier
from tres_lib.topics.corpus import (
    Corpus,
    labelled_articles,
    leads,
    matching,
    with_texts,
)
from tres_lib.topics.defaults import TRAINING, load_classifier
from tres_lib.topics.vectors import tokenize, vocabulary
from tres_webs import Topic

from .few import FewTexts
from .labels import LONGEST_TEXT, Label

LABEL_TIMES = 20  # a labelled page counts as so many training texts
FEWEST = 5  # relevant articles and pages, for the validation folds
FREQUENT = 50_000  # words of the vectors, the most frequent
LONG = 4  # letters; of shorter words languages share many, such as "de" and "an"
LEAST_ENGLISH = 2 / 3  # share of these; of leads in English 99 % have more, in French 1 %
FEWEST_WORDS = 3  # distinct ones; fewer say nothing
EACH = 25  # of so many training articles one shows which words are common
SOME_AROUND, MOST = 10, 0.8  # pages around the seeds, and the share that is too much of a site
ONE_IN = 20  # irrelevant texts to a relevant one, by which nearly nothing would be taken
SIMPLE = "topic %s: keywords decide, because %s; it improves with keywords, examples and labels"

logger = logging.getLogger(__name__)


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
    if relevant < FEWEST:
        why = f"only {relevant} relevant training articles, examples and labels"
        logger.warning(SIMPLE, topic.name, why)
        return _few(topic, answers, around)
    from tres_lib.topics.classifiers.svm import SvmClassifier

    message = "training an SVM on %d texts; the next crawl by the same finds it stored"
    logger.info(message, len(corpus.texts), extra={"at_once": True})
    return SvmClassifier(rng=seed).fit(corpus.texts, corpus.labels, corpus.groups)


def own_corpus(topic: Topic, answers: Sequence[Label]) -> Corpus:
    """Return training articles labelled by the topic's rules, examples and labelled pages.

    Articles come with their pages and anchors; each label counts `LABEL_TIMES`.
    """
    corpus = with_texts(labelled_articles(matching(topic)), topic.examples)
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


def _few(topic: Topic, answers: Sequence[Label], around: Sequence[str]) -> FewTexts:
    """Return what learns from examples and answers; keywords alone where these would mislead.

    So it is where next to none is relevant, or where most of a site would be taken. An answer about
    an example counts instead of it.
    """
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
