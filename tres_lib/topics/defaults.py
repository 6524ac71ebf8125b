"""The classifiers of the crawlers, trained on a topic's whole corpus once and stored on disk.

Those in ``results/classifiers`` are loaded, not trained: a network trained on another processor
is another network, and crawls with the same weights are the same everywhere. To train one anew,
remove its folder there; the new one is in ``build/classifiers``, by that name and a hash of code.

All functions of a topic raise ValueError if it is unknown or nothing gives it training texts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tres_webs import Topic, get_topic
from tres_webs.checks import count, one_of
from tres_webs.files import RESULTS, WEBS, folder_name
from tres_webs.recorded.telling import read_rules

from ..store import LIBRARY, load_or_make, stored_folder
from .classifiers.base import RelevanceClassifier
from .classifiers.cosine import TopicCosine
from .classifiers.stored import read_description
from .corpus import Corpus, paper_corpus, topic_keywords, training_corpus

if TYPE_CHECKING:
    from .classifiers.kwbilstm import KwBiLstmSettings
    from .classifiers.svm import SvmClassifier

PINNED = "debian-docs"  # the pinned web that has topics
AMOUNTS = "leads", "paper"  # of training text
TRAINING = LIBRARY / "topics", WEBS  # the code that decides a classifier


def default_classifier(
    topic: str | Topic,
    settings: KwBiLstmSettings | None = None,
    *,
    seed: int = 0,
    amount: str = "leads",
) -> RelevanceClassifier:
    """Return the topic's KwBiLSTM (Alg. 4, lines 1 and 2); the first time train and store it.

    The amount of text is that of `training_corpus`, "leads", or of `paper_corpus`, "paper". Topics
    of `web.PinnedWeb` have a stored SVM, which learnt from its last 174 sites.

    Examples
    --------
    >>> databases = read_rules("debian-docs")[1].topic
    >>> default_classifier(databases).proba(["SQL queries of a database", "a song"]).round() == 1
    array([ True, False])
    """
    count("seed", seed, 0)
    topic = get_topic(topic)
    if settings is None and pinned_folder(topic):
        return svm_classifier(topic)
    from .classifiers import kwbilstm

    settings = settings or kwbilstm.KwBiLstmSettings()

    def train(corpus: Corpus) -> RelevanceClassifier:
        new = kwbilstm.KwBiLSTM(topic_keywords(topic).keywords, settings=settings, rng=seed)
        return new.fit(corpus.texts, corpus.labels, corpus.groups)

    return _model(topic, "", load_classifier, train, asdict(settings), seed, amount=amount)


@lru_cache(maxsize=4)
def svm_classifier(topic: str | Topic, amount: str = "leads") -> SvmClassifier:
    """Return the topic's SVM, from the texts of its default KwBiLSTM; train it the first time."""
    from .classifiers.svm import SvmClassifier, SvmSettings

    def train(corpus: Corpus) -> SvmClassifier:
        return SvmClassifier().fit(corpus.texts, corpus.labels, corpus.groups)

    if folder := pinned_folder(get_topic(topic)):
        return SvmClassifier.load(folder)
    return _model(topic, "-svm", SvmClassifier.load, train, asdict(SvmSettings()), amount=amount)


@lru_cache(maxsize=4)
def topic_cosine(topic: str | Topic) -> TopicCosine:
    """Return the topic's cosine relevance; learn it the first time.

    Examples
    --------
    >>> topic_cosine("food").cosine(["A recipe of bread and cheese", "A goal"]).round(2)
    array([0.04, 0.  ])
    """
    return _model(topic, "-cosine", TopicCosine.load, TopicCosine.fit)


def load_classifier(directory: str | Path, *others: type[Any]) -> RelevanceClassifier:
    """Load a classifier from the directory into which its ``save`` wrote.

    `others` are classes that it may be, besides KwBiLSTM and SvmClassifier; ValueError if it is
    none of them.

    Examples
    --------
    >>> import tempfile
    >>> from tres_lib.topics import SvmClassifier
    >>> folder = tempfile.mkdtemp()
    >>> texts = ["the opera", "an opera in Vienna", "a goal", "the second goal"] * 5
    >>> SvmClassifier().fit(texts, [True, True, False, False] * 5).save(folder)
    >>> load_classifier(folder).proba(["an opera"]).round() == 1
    array([ True])
    """
    kinds = {kind.__name__: kind for kind in others}
    kind = read_description(directory, "KwBiLSTM", "SvmClassifier", *kinds)["kind"]
    if kind == "KwBiLSTM":  # torch loads only if it is used
        from .classifiers.kwbilstm import KwBiLSTM

        return KwBiLSTM.load(directory)
    from .classifiers.svm import SvmClassifier

    return kinds.get(kind, SvmClassifier).load(directory)


def pinned_folder(topic: Topic) -> Path | None:
    """Return where the classifier of a topic of a pinned web is stored; None of other topics."""
    folder = RESULTS / "classifiers" / folder_name(f"{PINNED} {topic.name}")
    known = folder.exists() and topic in [rule.topic for rule in read_rules(PINNED)]
    return folder if known else None


def _model(
    topic: str | Topic,
    kind: str,
    load: Callable,
    train: Callable,
    *settings: object,
    amount: str = "leads",
) -> Any:
    """Load the model stored for this topic and settings; the first time, train and save it."""
    topic = get_topic(topic)
    paper = one_of("amount", amount, AMOUNTS) == "paper"
    kind += "-paper" * paper
    facts = json.dumps([asdict(topic), *settings], default=sorted)
    name = f"{folder_name(topic.name)}{kind}-{hashlib.sha256(facts.encode()).hexdigest()[:8]}"
    if (shipped := RESULTS / "classifiers" / name).exists():
        return load(shipped)
    folder = stored_folder("classifiers", name, TRAINING)
    corpus_of = paper_corpus if paper else training_corpus
    return load_or_make(folder, load, lambda: train(corpus_of(topic)))
