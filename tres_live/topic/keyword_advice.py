"""What is wrong with a topic's keywords or rules, said before anything is trained on them."""

import logging
import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from tres_lib.topics.vectors import fold, tokenize, vocabulary
from tres_lib.web import Topic

from .language import FREQUENT

NEAR = 0.8  # similarity of a word that was perhaps meant
MANY = 0.2  # share of the training articles that is too much for a topic

logger = logging.getLogger(__name__)


def check_spelling(keywords: Sequence[str], texts: Sequence[str]) -> None:
    """Warn of keywords with words that neither a text nor the word vectors know."""
    frequent = vocabulary()
    known = set(frequent).union(*map(tokenize, texts))
    for keyword in keywords:
        for word in set(tokenize(keyword)) - known:
            near = get_close_matches(word, frequent[:FREQUENT], 1, NEAR)
            meant = f"did you mean {near[0]!r}?" if near else "check its spelling"
            logger.warning("keyword %r: the word %r is unknown; %s", keyword, word, meant)


def check_signs(keywords: Sequence[str]) -> None:
    """Warn of keywords that begin or end with signs, which no text is searched for."""
    for keyword in keywords:
        ends = fold(keyword).strip()
        if any(unicodedata.category(sign)[0] in "PS" for sign in (ends[:1], ends[-1:]) if sign):
            found = " ".join(tokenize(ends))
            told = f"it is searched for as {found!r}" if found else "it is not searched for"
            advice = "signs do not count; give more telling words, examples or labels"
            logger.warning("keyword %r: %s, for %s", keyword, told, advice)


def check_share(topic: Topic, relevant: np.ndarray) -> None:
    """Warn of rules that match no training article, or of rules or keywords that match many.

    `relevant` says of each article whether they do, (n,) bool.
    """
    n = relevant.sum()
    source = "rules" if topic.has_rules else "keywords"
    if topic.has_rules and not n:
        logger.warning(
            "topic %s: its rules match no training article, and with rules keywords choose none; "
            "widen the rules, or leave them out",
            topic.name,
        )
    if n > MANY * len(relevant):
        told = "topic %s: by its %s %d of %d training articles are relevant; give %s that few have"
        logger.warning(told, topic.name, source, n, len(relevant), source)
