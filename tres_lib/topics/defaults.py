"""The classifiers of the crawlers, trained on a topic's whole corpus once and kept on disk.

All functions of a topic raise ValueError if it is unknown or nothing gives it training texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..store import load_or_make, stored_folder
from ..web import Topic, get_topic
from .classifiers.base import RelevanceClassifier, read_description
from .classifiers.cosine import TopicCosine
from .corpus import topic_keywords, training_corpus

if TYPE_CHECKING:
    from .classifiers.kwbilstm import KwBiLstmSettings
    from .classifiers.svm import SvmClassifier


def default_classifier(
    topic: str | Topic, settings: KwBiLstmSettings | None = None, *, seed: int = 0
) -> RelevanceClassifier:
    """Return the topic's KwBiLSTM (Alg. 4, lines 1 and 2); `seed` is its `rng`."""
    from .classifiers import kwbilstm

    topic = get_topic(topic)
    settings = settings or kwbilstm.KwBiLstmSettings()

    def new() -> RelevanceClassifier:
        return kwbilstm.KwBiLSTM(topic_keywords(topic).keywords, settings=settings, rng=seed)

    facts = asdict(topic), asdict(settings), seed
    return _kept(topic.name, load_classifier, partial(_trained, new, topic), *facts)


@lru_cache(maxsize=4)
def svm_classifier(topic: str | Topic) -> SvmClassifier:
    """Return the topic's SVM, from the texts of its default KwBiLSTM."""
    from .classifiers.svm import SvmClassifier, SvmSettings

    topic = get_topic(topic)
    facts = asdict(topic), asdict(SvmSettings())
    make = partial(_trained, SvmClassifier, topic)
    return _kept(f"{topic.name}-svm", SvmClassifier.load, make, *facts)


@lru_cache(maxsize=4)
def topic_cosine(topic: str | Topic) -> TopicCosine:
    """Return the topic's cosine relevance."""
    topic = get_topic(topic)
    name = f"{topic.name}-cosine"
    facts = asdict(topic)
    return _kept(name, TopicCosine.load, lambda: TopicCosine.fit(training_corpus(topic)), facts)


def load_classifier(directory: str | Path) -> RelevanceClassifier:
    """Load the classifier that ``save`` wrote into a directory; ValueError if there is none."""
    from .classifiers.kwbilstm import KwBiLSTM
    from .classifiers.svm import SvmClassifier

    kinds = {kind.__name__: kind for kind in (KwBiLSTM, SvmClassifier)}
    kind = read_description(directory)["kind"]
    if kind not in kinds:
        raise ValueError(f"directory={str(directory)!r} holds a {kind!r}; known are {list(kinds)}")
    return kinds[kind].load(directory)


def _trained(new: Callable[[], Any], topic: Topic) -> Any:
    corpus = training_corpus(topic)
    classifier = new()
    classifier.fit(corpus.texts, corpus.labels, corpus.groups)
    return classifier


def _kept(name: str, load: Callable[[Path], Any], make: Callable[[], Any], *facts: object) -> Any:
    """Load what these facts decide; the first time, make it and save it."""
    return load_or_make(stored_folder("classifiers", name, [__name__], *facts), load, make)
