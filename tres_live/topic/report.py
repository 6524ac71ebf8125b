"""What a topic's classifier learns from, what is wrong with it, and what it makes of pages."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain, compress
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.topics.classifiers.base import as_classifier, page_text
from tres_lib.topics.corpus import leads, matching
from tres_lib.topics.keywords import KeywordMatcher, keyword_counts
from tres_lib.topics.vectors import UNSPACED, WORD, fold, tokenize
from tres_webs import Topic, load_articles
from tres_webs.checks import count, members, texts
from tres_webs.page import FetchError, Web
from tres_webs.reader import printable

from .labels import Label

LOOKED_AT = 3  # seeds of a first look
LONGEST_NAME = 60  # characters
NEAR = 0.8  # similarity of a word that was perhaps meant
MANY = 0.2  # share of the training articles that is too much for a topic
MOST = 400  # distinct words that are tried, the most frequent
SHORTEST = 3  # letters of a word that is tried
LEAST_KEYWORDS = 2  # occurrences in an article's lead, from which the article is on topic
EDGE = 1e-9  # probabilities nearer to 0 or 1 count as so near
SNIPPET = 300  # characters
BEFORE = 15  # words of it before the first keyword
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # no script of a page's making would run


def first_look(web: Web, seeds: Sequence[str], classifier: Any, n: int = 4) -> pd.DataFrame:
    """Classify the first three seeds, and `n` pages that each links to, for a person to check.

    Columns, a row a page: ``p``, ``verdict`` ("relevant", "irrelevant", or why the fetch failed),
    ``title`` and ``url``.
    """
    members("web", web, "fetch(url)")
    classifier = as_classifier(classifier)
    first = texts("seeds", seeds, least=1)[:LOOKED_AT]
    count("n", n)
    waiting = list(first)
    rows = []
    for url in waiting:
        try:
            page = web.fetch(url)
        except FetchError as error:
            rows.append((np.nan, printable(str(error.reason)), "", url))
            continue
        if url in first:
            links = list(dict.fromkeys(link.url for link in page.links if link.url not in waiting))
            waiting += links[:: max(1, len(links) // n)][:n]
        p = float(classifier.proba([page_text(page)])[0])
        rows.append((p, "relevant" if p >= 0.5 else "irrelevant", printable(page.title), url))
    return pd.DataFrame(rows, columns=["p", "verdict", "title", "url"])


def word_weights(classifier: Any, text: str, n: int = 10) -> pd.DataFrame:
    """Return the words of a text without which the log-odds of its probability would change most.

    The classifier may have any form of `as_classifier`. The commonest English words and those of
    one or two letters are not tried.

    Columns ``word`` and ``weight``: the log-odds ln(p / (1 - p)) of the text less those of the text
    without the word; the n largest by absolute value, first the largest.

    Examples
    --------
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return np.array([0.9 if "jazz" in text else 0.2 for text in texts])
    >>> word_weights(SaysJazz(), "A jazz band, all jazz", 1).round(2).values.tolist()
    [['jazz', 3.58]]
    """
    classifier = as_classifier(classifier)
    count("n", n)
    words = tokenize(text)
    counts = pd.Series(words, dtype=str).value_counts()
    tried = list(filter(_is_tried, counts.index))[:MOST]
    without = [" ".join(word for word in words if word != one) for one in tried]
    p = np.clip(classifier.proba([" ".join(words), *without]), EDGE, 1 - EDGE)
    odds = np.log(p / (1 - p))
    table = pd.DataFrame({"word": tried, "weight": odds[0] - odds[1:]})
    order = np.argsort(-table["weight"].abs(), kind="stable")
    return table.iloc[order[:n]].reset_index(drop=True)


def snippet(text: str, keywords: KeywordMatcher) -> str:
    """Return some of the text, from shortly before its first keyword, or else its beginning."""
    words = list(WORD.finditer(text.lower()))
    places = keywords.starts([word[0] for word in words])
    first = max(0, places[0] - BEFORE) if places else 0
    start = words[first].start() if first else 0
    return printable(("… " if start else "") + text[start : start + SNIPPET])


def sources(topic: Topic, answers: Sequence[Label], titles: int, around: int) -> pd.DataFrame:
    """Return a row a source of a classifier, see `OwnTopic.report`; `around`: pages."""
    good = [label.url for label in answers if label.relevant]
    if topic.has_rules:
        relevant, everything = matching(topic), load_articles()
        named = list(compress(compress(everything.titles, everything.training), relevant))
        first, rest = "articles by rules", ~relevant
    else:
        first, named, rest = "keywords", list(topic.keywords), np.zeros(0)
    table = {
        "relevant": [len(named), len(topic.examples), len(good), 0],
        "irrelevant": [int(rest.sum()), 0, len(answers) - len(good), around],
        "which": [*(_listed(names, titles) for names in (named, topic.examples, good)), ""],
    }
    return pd.DataFrame(table, index=[first, "examples", "labels", "pages around"])


def on_signs(keywords: Sequence[str]) -> Iterator[str]:
    """Name keywords that begin or end with signs, which no text is searched for."""
    for keyword in keywords:
        ends = fold(keyword).strip()
        if any(unicodedata.category(sign)[0] in "PS" for sign in (ends[:1], ends[-1:]) if sign):
            words = " ".join(tokenize(ends))
            search = f"it is searched for as {words!r}" if words else "it is not searched for"
            advice = "signs do not count; give more specific words, examples or labels"
            yield f"keyword {keyword!r}: {search}, for {advice}"


@lru_cache(maxsize=8)
def relevant_articles(topic: Topic) -> np.ndarray:
    """Return which training articles are relevant, (n,) bool, by rules, or else by keywords."""
    if topic.has_rules:
        return matching(topic)
    return keyword_counts(leads(), topic.keywords) >= LEAST_KEYWORDS


def on_share(topic: Topic) -> Iterator[str]:
    """Say if rules match no training article, or if rules or keywords match many."""
    relevant = relevant_articles(topic)
    n = relevant.sum()
    source = "rules" if topic.has_rules else "keywords"
    if topic.has_rules and not n:
        problem = "its rules match no training article, and with rules keywords choose none"
        yield f"{problem}; widen the rules, or leave them out"
    if n > MANY * len(relevant):
        share = f"{n} of {len(relevant)} training articles are relevant"
        yield f"by its {source} {share}; give {source} that few have"


def on_pages(keywords: Sequence[str], pages: Iterable[str]) -> Iterator[str]:
    """Name words of keywords that no page has where one has a word like it; pages are texts."""
    words_of = [set(tokenize(fold(text))) for text in pages]
    pages_with = Counter(chain.from_iterable(words_of))
    for word in dict.fromkeys(chain.from_iterable(tokenize(fold(each)) for each in keywords)):
        if word not in pages_with and len(word) > SHORTEST:
            close = [other for other in pages_with if abs(len(other) - len(word)) < SHORTEST]
            for near in get_close_matches(word, close, 1, NEAR):
                there = f"on {pages_with[near]} of {len(words_of)}"
                yield f"no page seen so far has {word!r}; did you mean {near!r} ({there})?"


def unmatched(keywords: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the keywords that neither a text nor a training article has."""
    missing, any_of = list(keywords), KeywordMatcher(keywords)
    for text in chain(texts, leads()):
        words = tokenize(fold(text))
        if any_of.starts(words):
            missing = [each for each in missing if not KeywordMatcher([each]).starts(words)]
            any_of = KeywordMatcher(missing)
    return tuple(missing)


def _is_tried(word: str) -> bool:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    long_enough = len(word) >= SHORTEST or UNSPACED.search(word) is not None
    return long_enough and word not in ENGLISH_STOP_WORDS


def _listed(names: Sequence[str], most: int) -> str:
    lines = [" ".join(name.split()) for name in names[:most]]
    short = [f"{line[: LONGEST_NAME - 1]}…" if len(line) > LONGEST_NAME else line for line in lines]
    return ", ".join(short) + (f" and {len(names) - most} more" if len(names) > most else "")
