"""A topic of one's own: a classifier from whatever there is, of keywords, examples, rules, labels.

The encyclopaedia's training articles are the background. Rules, or else keywords, say which of them
are relevant; examples and labelled pages join them. Where this leaves too few relevant texts, or
where examples are not in English, a simpler classifier of words' stems takes over.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import one_of
from ..store import load_or_make, stored_folder
from ..web import Topic, get_topic, load_articles
from .classifiers.base import RelevanceClassifier
from .corpus import Corpus, labelled_articles, leads, matching, topic_keywords, with_texts
from .defaults import load_classifier
from .keywords import KeywordMatcher, keyword_counts
from .labels import Label, Labels, answers
from .vectors import fold, load_vectors, tokenize

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("svm", "kwbilstm")
TELLING = 2  # keywords in an article's lead that put the article on the topic
LABEL_TIMES = 20  # a labelled page counts as so many training texts
LIKELY = 0.2  # held-out probability from which an article is relevant, once there are labels
FEWEST = {"svm": 5, "kwbilstm": 7}  # relevant articles and pages, for their validation folds
ENGLISH = frozenset(["and", "of", "the", "to", "with"])
LEAST_ENGLISH = 0.04  # share of these words in any English prose
OTHERS = 50  # irrelevant pages beside few relevant texts
ENOUGH = 3  # irrelevant labels, which make those needless
NEAR = 0.8  # similarity of a word that was perhaps meant
FREQUENT = 50_000  # words of the vectors, the most frequent, from which one is suggested
NOTHING = (
    "there is nothing relevant to learn from, no training article, example or label; are the "
    "keywords in another language than the pages, or misspelt? Name pages or texts (--examples), "
    "or label some (--ask, focused.teach)"
)
SHORT = 20  # words; a shorter text in ASCII may be English without them

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
        A person's answers; those that were skipped do not count.

    Returns
    -------
    RelevanceClassifier
        `SvmClassifier` or `KwBiLSTM`; `FewTexts` for few texts, or texts that are not English.

    Raises
    ------
    ValueError
        If the topic or the kind is unknown.

    See Also
    --------
    training_summary : What it learns from.
    """
    one_of("kind", kind, KINDS)
    topic = get_topic(topic)
    told = answers(labels)
    if learns_nothing(topic, labels):
        logger.warning("topic %s: %s", topic.name, NOTHING)

    def trained() -> Any:
        return _train(topic, kind, seed, told)

    facts = asdict(topic), seed, [(label.text, label.relevant) for label in told]
    folder = stored_folder("classifiers", f"own-{kind}", [__name__], *facts)
    return load_or_make(folder, load_classifier, trained)


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
    """
    topic = get_topic(topic)
    return _corpus(topic, answers(labels), _relevant_articles(topic))


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
    on_topic = _relevant_articles(topic)
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
    return not _relevant_articles(topic).any()


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


def is_english(text: str) -> bool:
    """Return whether a text seems to be English, by its commonest words.

    Examples
    --------
    >>> is_english("The king of the land"), is_english("Ο βασιλιάς της χώρας")
    (True, False)
    """
    words = tokenize(text)
    if len(words) < SHORT and text.isascii():
        return True
    return sum(word in ENGLISH for word in words) >= LEAST_ENGLISH * max(1, len(words))


def _train(topic: Topic, kind: str, seed: int, told: Sequence[Label]) -> RelevanceClassifier:
    given = [*topic.examples, *(label.text for label in told)]
    if given and 2 * sum(map(is_english, given)) < len(given):
        return _few(topic, told, "most examples are not in English")
    _check_spelling(topic.keywords, given)
    corpus = _corpus(topic, told, _relevant_articles(topic))
    relevant = _n_relevant(corpus)
    if relevant < FEWEST["svm"]:
        why = f"only {relevant} relevant training articles, examples and labels"
        turned_down = sum(not label.relevant for label in told)
        others = [] if turned_down >= ENOUGH else _other_pages(corpus)
        return _few(topic, told, why, leads(), others)
    if relevant < FEWEST[kind]:
        logger.warning(
            "topic %s: %d relevant texts are too few for %s; svm", topic.name, relevant, kind
        )
        kind = "svm"
    if told and not topic.has_rules:
        again = _corpus(topic, told, _likely(corpus, seed))
        corpus = again if _n_relevant(again) >= FEWEST[kind] else corpus
    return _new(topic, kind, seed).fit(corpus.texts, corpus.labels, corpus.groups)


def _check_spelling(keywords: Sequence[str], texts: Sequence[str]) -> None:
    """Warn of keywords with words that neither a text nor the word vectors know."""
    frequent = load_vectors().index_to_key
    known = set(frequent).union(*map(tokenize, texts))
    for keyword in keywords:
        for word in set(tokenize(keyword)) - known:
            near = get_close_matches(word, frequent[:FREQUENT], 1, NEAR)
            meant = f"did you mean {near[0]!r}?" if near else "check its spelling"
            logger.warning("keyword %r: the word %r is unknown; %s", keyword, word, meant)


def _n_relevant(corpus: Corpus) -> int:
    return len(np.unique(corpus.groups[corpus.labels]))


def _likely(corpus: Corpus, seed: int) -> np.ndarray:
    """Return which articles are relevant to a classifier of the others, by their lead and page."""
    from .classifiers.svm import SvmClassifier

    first = SvmClassifier(rng=seed).fit(corpus.texts, corpus.labels, corpus.groups)
    whole = corpus.forms != "anchor"
    groups = corpus.groups[whole]
    sums = np.bincount(groups, first.held_out[whole])
    means = sums / np.maximum(1, np.bincount(groups))
    return means[: len(leads())] >= LIKELY


def _new(topic: Topic, kind: str, seed: int) -> RelevanceClassifier:
    if kind == "svm":
        from .classifiers.svm import SvmClassifier

        return SvmClassifier(rng=seed)
    from .classifiers.kwbilstm import KwBiLSTM

    return KwBiLSTM(topic_keywords(topic).keywords, rng=seed)


def _other_pages(corpus: Corpus) -> list[str]:
    """Return irrelevant pages of all kinds, which have menus and footers as well."""
    places = np.flatnonzero((corpus.forms == "page") & ~corpus.labels)
    chosen = places[:: max(1, len(places) // OTHERS)][:OTHERS]
    return [corpus.texts[place] for place in chosen]


def _few(
    topic: Topic,
    told: Sequence[Label],
    why: str,
    background: Sequence[str] = (),
    others: Sequence[str] = (),
) -> RelevanceClassifier:
    """Train a classifier of keywords and stems of words, and warn why."""
    from .classifiers.few import FewTexts

    advice = "it improves with keywords, examples and labels"
    logger.warning("topic %s: a simple classifier, because %s; %s", topic.name, why, advice)
    found = list(compress(background, _relevant_articles(topic))) if background else []
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


@lru_cache(maxsize=8)
def _relevant_articles(topic: Topic) -> np.ndarray:
    """Return which training articles are relevant, (n,) bool, by rules, or else by keywords."""
    if topic.has_rules:
        return matching(topic)
    return keyword_counts(leads(), topic.keywords) >= TELLING


def _listed(names: Sequence[str], most: int) -> str:
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = [line if len(line) <= 60 else f"{line[:59]}…" for line in lines]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
