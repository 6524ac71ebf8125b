"""What is wrong with a topic's keywords or rules, said before anything is trained on them."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain

from tres_lib.topics.corpus import leads, relevant_articles
from tres_lib.topics.keywords import KeywordMatcher
from tres_lib.topics.vectors import fold, tokenize, vocabulary
from tres_lib.web import Topic

from .english import FREQUENT

NEAR = 0.8  # similarity of a word that was perhaps meant
MANY = 0.2  # share of the training articles that is too much for a topic


def on_signs(keywords: Sequence[str]) -> Iterator[str]:
    """Name keywords that begin or end with signs, which no text is searched for."""
    for keyword in keywords:
        ends = fold(keyword).strip()
        if any(unicodedata.category(sign)[0] in "PS" for sign in (ends[:1], ends[-1:]) if sign):
            words = " ".join(tokenize(ends))
            search = f"it is searched for as {words!r}" if words else "it is not searched for"
            advice = "signs do not count; give more specific words, examples or labels"
            yield f"keyword {keyword!r}: {search}, for {advice}"


def on_share(topic: Topic) -> Iterator[str]:
    """Say if rules match no training article, or if rules or keywords match many."""
    relevant = relevant_articles(topic)
    n = relevant.sum()
    source = "rules" if topic.has_rules else "keywords"
    if topic.has_rules and not n:
        yield (
            "its rules match no training article, and with rules keywords choose none; "
            "widen the rules, or leave them out"
        )
    if n > MANY * len(relevant):
        share = f"{n} of {len(relevant)} training articles are relevant"
        yield f"by its {source} {share}; give {source} that few have"


def on_spelling(keywords: Sequence[str], texts: Iterable[str]) -> Iterator[str]:
    """Name words of keywords that neither a text nor the word vectors have."""
    frequent = vocabulary()
    words = set(frequent).union(*map(tokenize, texts))
    for keyword in keywords:
        for word in set(tokenize(keyword)) - words:
            near = get_close_matches(word, frequent[:FREQUENT], 1, NEAR)
            meant = f"did you mean {near[0]!r}?" if near else "check its spelling"
            yield f"keyword {keyword!r}: the word {word!r} is unknown; {meant}"


def unmatched(keywords: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the keywords that neither a text nor a training article has."""
    missing = {keyword: KeywordMatcher([keyword]) for keyword in keywords}
    for text in chain(texts, leads()):
        words = tokenize(fold(text))
        missing = {keyword: m for keyword, m in missing.items() if not m.starts(words)}
        if not missing:
            break
    return tuple(missing)
