"""Whether texts are English, by the words that they have."""

from collections.abc import Collection
from functools import cache

from tres_lib.topics.vectors import tokenize, vocabulary

FREQUENT = 50_000  # words of the vectors, the most frequent
LONG = 4  # letters; of shorter words languages share many, such as "de" and "an"
LEAST_ENGLISH = 2 / 3  # share of these; of leads in English 99 % have more, in French 1 %
FEWEST = 3  # distinct words; fewer say nothing


def is_english(text: str) -> bool:
    """Return whether two thirds of a text's words are frequent in English.

    Distinct words of four letters or more count, and all that are not in ASCII. So lists of links
    or names are recognized as well as prose. An ASCII text with fewer than three counts as English.

    Examples
    --------
    >>> is_english("The king of the land"), is_english("Ο βασιλιάς της χώρας")
    (True, False)
    """
    words = {word for word in tokenize(text) if len(word) >= LONG or not word.isascii()}
    words = {word for word in words if word.isalpha()}
    if len(words) < FEWEST and text.isascii():
        return True
    return len(words & _frequent()) >= LEAST_ENGLISH * len(words)


def mostly_english(texts: Collection[str]) -> bool:
    """Return whether at least half of the texts are English, or there is none."""
    return 2 * sum(map(is_english, texts)) >= len(texts)


@cache
def _frequent() -> frozenset[str]:
    return frozenset(vocabulary()[:FREQUENT])
