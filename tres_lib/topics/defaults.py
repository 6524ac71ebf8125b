"""The classifiers of the crawlers, trained on a topic's whole corpus once and stored on disk.

Those in ``results/classifiers`` are loaded, not trained: a network trained on another processor
is another network, and crawls with the same weights are the same everywhere. To train one anew,
remove its folder there; the new one is in ``build/classifiers``, by that name and a hash of code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tres_webs import Topic, get_topic
from tres_webs.checks import count, one_of
from tres_webs.files import RESULTS, WEBS, folder_name
from tres_webs.recorded.label_rules import read_rules

from ..store import LIBRARY, load_or_make, stored_folder
from .classifiers.base import RelevanceClassifier
from .classifiers.cosine import TopicCosine
from .classifiers.stored import read_description
from .corpus import AMOUNTS, Corpus, topic_keywords, training_corpus

if TYPE_CHECKING:
    from .classifiers.kwbilstm import KwBiLstmSettings

KINDS = "kwbilstm", "svm", "cosine"
PINNED = "debian-docs"  # the pinned web that has topics
TRAINING = LIBRARY / "topics", WEBS  # the code that decides a classifier


def classifier(
    topic: str | Topic,
    kind: str = "kwbilstm",
    settings: KwBiLstmSettings | None = None,
    *,
    seed: int = 0,
    amount: str = "leads",
) -> Any:
    """Return what judges texts on a topic; the first time train and store it.

    The kind is "kwbilstm", TRES's reward (Alg. 4, lines 1 and 2), by settings and seed; "svm",
    ACHE's; or "cosine", a `TopicCosine`. For the amount of text see `training_corpus`. Topics of
    `web.PinnedWeb` have a stored SVM in place of both, which learnt from its last 174 sites.
    ValueError if a topic is unknown, or nothing gives it training texts.

    Examples
    --------
    >>> databases = read_rules("debian-docs")[1].topic
    >>> classifier(databases).proba(["SQL queries of a database", "a song"]).round() == 1
    array([ True, False])
    >>> classifier("food", "cosine").cosine(["A recipe of bread and cheese", "A goal"]).round(2)
    array([0.04, 0.  ])
    """
    topic, seed = get_topic(topic), count("seed", seed, 0)
    one_of("kind", kind, KINDS)
    paper = one_of("amount", amount, AMOUNTS) == "paper"
    if kind != "cosine" and settings is None and (pinned := pinned_folder(topic)):
        return load_classifier(pinned)
    facts, train = _recipe(topic, kind, settings, seed)
    # A name from before there was one door: stored weights have it.
    name = folder_name(topic.name) + f"-{kind}" * (kind != "kwbilstm") + "-paper" * paper
    data = json.dumps([asdict(topic), *facts], default=sorted)
    name += f"-{hashlib.sha256(data.encode()).hexdigest()[:8]}"
    if (shipped := RESULTS / "classifiers" / name).exists():
        return load_classifier(shipped, TopicCosine)
    folder = stored_folder("classifiers", name, TRAINING)
    return load_or_make(
        folder,
        lambda path: load_classifier(path, TopicCosine),
        lambda: train(training_corpus(topic, amount)),
    )


def _recipe(
    topic: Topic, kind: str, settings: KwBiLstmSettings | None, seed: int
) -> tuple[list[Any], Callable[[Corpus], Any]]:
    """Return what decides a classifier beside its texts, and what learns it from them."""
    if kind == "cosine":
        return [], TopicCosine.fit
    if kind == "svm":
        from .classifiers.svm import SvmClassifier, SvmSettings

        return [asdict(SvmSettings())], lambda c: SvmClassifier().fit(c.texts, c.labels, c.groups)
    from .classifiers import kwbilstm

    chosen = settings or kwbilstm.KwBiLstmSettings()

    def train(corpus: Corpus) -> RelevanceClassifier:
        new = kwbilstm.KwBiLSTM(topic_keywords(topic).keywords, settings=chosen, rng=seed)
        return new.fit(corpus.texts, corpus.labels, corpus.groups)

    return [asdict(chosen), seed], train


def load_classifier(directory: str | Path, *others: type[Any]) -> RelevanceClassifier:
    """Load a classifier from the directory into which its ``save`` wrote.

    `others` are classes that it may be, besides KwBiLSTM and SvmClassifier, else ValueError.

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
