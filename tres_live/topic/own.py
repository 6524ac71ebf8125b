"""A topic of one's own: a classifier from whatever there is, of keywords, examples, rules, labels.

The encyclopaedia's training articles are the background. Rules, or else keywords, say which of them
are relevant; examples and labelled pages join them. Where this leaves too few relevant texts, or
where examples are not in English, a simpler classifier of words' stems takes over.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tres_lib.checks import one_of
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
from tres_lib.topics.defaults import load_classifier
from tres_lib.topics.keywords import KeywordMatcher
from tres_lib.topics.vectors import fold, tokenize
from tres_lib.web import Topic, get_topic, load_articles

from .keyword_advice import check_share, check_signs, check_spelling
from .labels import Label, Labels, answers
from .language import is_english

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("svm", "kwbilstm")
LABEL_TIMES = 20  # a labelled page counts as so many training texts
LIKELY = 0.2  # held-out probability from which an article is relevant, once there are labels
FEWEST = {"svm": 5, "kwbilstm": 7}  # relevant articles and pages, for their validation folds
ENOUGH = 3  # irrelevant labels, which make those needless
NOTHING = (
    "there is nothing relevant to learn from, no training article, example or label; are the "
    "keywords in another language than the pages, or misspelt? Name pages or texts (--examples), "
    "or label some (--ask, tres_live.teach)"
)

logger = logging.getLogger(__name__)


def own_classifier(
    topic: str | Topic,
    kind: str = "svm",
    seed: int = 0,
    *,
    labels: Labels | str | Path | None = None,
) -> RelevanceClassifier:
    """Train a classifier on whatever is known of a topic, or load it from ``build/classifiers``.

    Keywords alone are enough; examples, rules and labels each make it better. Where they are too
    few for the classifier asked for, a simpler one is trained, with a warning.

    Parameters
    ----------
    topic : str or Topic
    kind : {"svm", "kwbilstm"}
        Some seconds of training; or the paper's, some minutes.
    seed : int
    labels : Labels or path, optional
        A person's answers, or the JSON lines in which `Labels` keeps them; those that were skipped
        do not count.

    Returns
    -------
    RelevanceClassifier
        `SvmClassifier` or `KwBiLSTM`; `FewTexts` for few texts, or texts that are not English.

    Raises
    ------
    ValueError
        If the topic or the kind is unknown, or there is no such file of labels, or no answer in it.

    See Also
    --------
    training_summary : What it learns from.
    """
    one_of("kind", kind, KINDS)
    topic = get_topic(topic)
    told = answers(labels)
    check_signs(topic.keywords)
    check_share(topic, relevant_articles(topic))
    if learns_nothing(topic, labels) and not topic.has_rules:
        logger.warning("topic %s: %s", topic.name, NOTHING)

    def trained() -> Any:
        return _train(topic, kind, seed, told)

    facts = asdict(topic), seed, [(label.text, label.relevant) for label in told]
    folder = stored_folder("classifiers", f"own-{kind}", [__name__], *facts)
    from .few import FewTexts

    return load_or_make(folder, lambda path: load_classifier(path, FewTexts), trained)


def own_corpus(topic: str | Topic, labels: Labels | str | Path | None = None) -> Corpus:
    """Return English training texts of a topic of one's own.

    They are the training articles, with their pages and anchors, the topic's examples, and labelled
    pages, each of these `LABEL_TIMES`. The topic's rules decide which articles are relevant. If it
    has none, those are with two occurrences of keywords or more in their leads. (With labels
    `own_classifier` then takes those that a classifier of the others gives `LIKELY` or more.)

    Parameters
    ----------
    topic : str or Topic
    labels : Labels or path, optional

    Returns
    -------
    Corpus

    Examples
    --------
    >>> corpus = own_corpus("food")
    >>> corpus.of_form("lead").labels.sum().item()
    136
    """
    topic = get_topic(topic)
    return _corpus(topic, answers(labels), relevant_articles(topic))


def training_summary(
    topic: str | Topic, labels: Labels | str | Path | None = None, *, titles: int = 12
) -> pd.DataFrame:
    """Return what `own_classifier` learns from.

    Parameters
    ----------
    topic : str or Topic
    labels : Labels or path, optional
    titles : int
        How many relevant training articles to name.

    Returns
    -------
    DataFrame
        A row a source ("articles by rules" or "articles by keywords", "examples", "labels"), with
        columns ``relevant``, ``irrelevant`` and ``which``: titles, or beginnings of examples.
    """
    import pandas as pd

    topic = get_topic(topic)
    told = answers(labels)
    on_topic = relevant_articles(topic)
    named = list(compress(compress(load_articles().titles, load_articles().training), on_topic))
    good = [label for label in told if label.relevant]
    rows = {
        f"articles by {'rules' if topic.has_rules else 'keywords'}": (
            on_topic.sum(),
            (~on_topic).sum(),
            _listed(named, titles),
        ),
        "examples": (len(topic.examples), 0, _listed(topic.examples, titles)),
        "labels": (
            len(good),
            len(told) - len(good),
            _listed([label.url for label in good], titles),
        ),
    }
    columns = ["relevant", "irrelevant", "which"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def learns_nothing(topic: str | Topic, labels: Labels | str | Path | None = None) -> bool:
    """Return whether there is no relevant training article, example or label of a topic.

    Parameters
    ----------
    topic : str or Topic
    labels : Labels or path, optional

    Examples
    --------
    >>> learns_nothing(Topic("Eisenbahn", ("Bahnhof", "Lokomotive"))), learns_nothing("food")
    (True, False)
    """
    topic = get_topic(topic)
    if topic.examples or any(label.relevant for label in answers(labels)):
        return False
    return not relevant_articles(topic).any()


def unmatched_keywords(
    topic: str | Topic, labels: Labels | str | Path | None = None
) -> tuple[str, ...]:
    """Return the keywords that no training article, example or labelled page has.

    Parameters
    ----------
    topic : str or Topic
    labels : Labels or path, optional

    Examples
    --------
    >>> unmatched_keywords(Topic("railways", ("railway", "trian")))
    ('trian',)
    """
    topic = get_topic(topic)
    missing = {keyword: KeywordMatcher([keyword]) for keyword in topic.keywords}
    for text in chain(topic.examples, (label.text for label in answers(labels)), leads()):
        words = tokenize(fold(text))
        missing = {keyword: m for keyword, m in missing.items() if not m.starts(words)}
        if not missing:
            break
    return tuple(missing)


def _train(topic: Topic, kind: str, seed: int, told: Sequence[Label]) -> RelevanceClassifier:
    given = [*topic.examples, *(label.text for label in told)]
    if given and 2 * sum(map(is_english, given)) < len(given):
        return _few(topic, told, "most examples are not in English")
    check_spelling(topic.keywords, given)
    corpus = _corpus(topic, told, relevant_articles(topic))
    relevant = n_relevant(corpus)
    if relevant < FEWEST["svm"]:
        why = f"only {relevant} relevant training articles, examples and labels"
        turned_down = sum(not label.relevant for label in told)
        others = [] if turned_down >= ENOUGH else other_pages(corpus)
        return _few(topic, told, why, leads(), others)
    if relevant < FEWEST[kind]:
        logger.warning(
            "topic %s: %d relevant texts are too few for %s; svm", topic.name, relevant, kind
        )
        kind = "svm"
    if told and not topic.has_rules:
        again = _corpus(topic, told, _likely(corpus, seed))
        corpus = again if n_relevant(again) >= FEWEST[kind] else corpus
    return _new(topic, kind, seed).fit(corpus.texts, corpus.labels, corpus.groups)


def _likely(corpus: Corpus, seed: int) -> np.ndarray:
    """Return which articles are relevant to a classifier of the others, by their lead and page."""
    from tres_lib.topics.classifiers.svm import SvmClassifier

    first = SvmClassifier(rng=seed).fit(corpus.texts, corpus.labels, corpus.groups)
    whole = corpus.forms != "anchor"
    groups = corpus.groups[whole]
    sums = np.bincount(groups, first.held_out[whole])
    means = sums / np.maximum(1, np.bincount(groups))
    return means[: len(leads())] >= LIKELY


def _new(topic: Topic, kind: str, seed: int) -> RelevanceClassifier:
    if kind == "svm":
        from tres_lib.topics.classifiers.svm import SvmClassifier

        return SvmClassifier(rng=seed)
    from tres_lib.topics.classifiers.kwbilstm import KwBiLSTM

    return KwBiLSTM(topic_keywords(topic).keywords, rng=seed)


def _few(
    topic: Topic,
    told: Sequence[Label],
    why: str,
    background: Sequence[str] = (),
    others: Sequence[str] = (),
) -> RelevanceClassifier:
    """Train a classifier of keywords and stems of words, and warn why."""
    from .few import FewTexts

    advice = "it improves with keywords, examples and labels"
    logger.warning("topic %s: a simple classifier, because %s; %s", topic.name, why, advice)
    found = list(compress(background, relevant_articles(topic))) if background else []
    texts = [*topic.examples, *found, *(label.text for label in told), *others]
    relevant = [True] * (len(topic.examples) + len(found))
    relevant += [bool(label.relevant) for label in told] + [False] * len(others)
    return FewTexts(topic.keywords).fit(texts, relevant, background=background)


def _corpus(topic: Topic, told: Sequence[Label], relevant: np.ndarray) -> Corpus:
    # Without rules hubs are irrelevant: two keywords make a poor sign of what a hub lists.
    articles = labelled_articles(relevant, hubs_too=topic.has_rules)
    corpus = with_texts(articles, topic.examples)
    texts = [label.text for label in told]
    return with_texts(corpus, texts, [bool(label.relevant) for label in told], LABEL_TIMES)


def _listed(names: Sequence[str], most: int) -> str:
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = [line if len(line) <= 60 else f"{line[:59]}…" for line in lines]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
