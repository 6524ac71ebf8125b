"""What the baselines of the literature judge by, trained on a topic's corpus, kept on disk."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache

from tres_lib.web import Topic, get_topic

from ..store import load_or_make, stored_folder
from .classifiers.cosine import TopicCosine
from .classifiers.svm import SvmClassifier, SvmSettings
from .corpus import training_corpus


@lru_cache(maxsize=4)
def svm_classifier(topic: str | Topic) -> SvmClassifier:
    """An SVM trained on the topic's whole corpus, as the default KwBiLSTM is.

    Raises
    ------
    ValueError
        If the topic is unknown, or has neither rules nor examples.
    """
    topic = get_topic(topic)

    def trained() -> SvmClassifier:
        corpus = training_corpus(topic)
        return SvmClassifier().fit(corpus.texts, corpus.labels, corpus.groups)

    folder = stored_folder(
        "classifiers", f"{topic.name}-svm", [__name__], asdict(topic), asdict(SvmSettings())
    )
    return load_or_make(folder, SvmClassifier.load, trained)


@lru_cache(maxsize=4)
def topic_cosine(topic: str | Topic) -> TopicCosine:
    """Cosine relevance by the topic's whole corpus.

    Raises
    ------
    ValueError
        If the topic is unknown, or has neither rules nor examples.
    """
    topic = get_topic(topic)
    folder = stored_folder("classifiers", f"{topic.name}-cosine", [__name__], asdict(topic))
    return load_or_make(folder, TopicCosine.load, lambda: TopicCosine.fit(training_corpus(topic)))
