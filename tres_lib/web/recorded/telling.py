"""Labels by rule: a page is on a topic if enough of its prose is the topic's telling words."""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from ..page import Page
from ..topic import Topic
from .manifest import FOLDER

PROSE = 8  # words of a line from which on it is prose, not navigation or code
LEAST = 40  # words of prose that a page needs to be on a topic
TITLE = 3  # what a telling word in the title counts
WORD = re.compile(r"[a-z][a-z0-9]*")
NAME_OF_SITE = re.compile(r" [-\u2014\u2013|\u00b7] ")  # what follows it in a title


@dataclass(frozen=True)
class Rule:
    """A topic, and when a page is on it."""

    topic: Topic
    words: frozenset[str]  # single ones; a plural s does not matter
    density: float  # of them per 100 words of prose
    distinct: int  # different ones that a page needs


def rules_text(name: str) -> str:
    """Return the file of the topics of a pinned web."""
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def rules_version(name: str) -> int:
    """Return a number that changes with the rules, of 31 bits as in SQLite's user_version."""
    return zlib.crc32(rules_text(name).encode()) >> 1


def read_rules(name: str) -> list[Rule]:
    """Return the topics of a pinned web and their rules."""
    return [
        Rule(
            Topic(topic, tuple(row["keywords"].split()), definition=row["definition"]),
            frozenset(row["words"].split()),
            row["density"],
            row["distinct"],
        )
        for topic, row in yaml.safe_load(rules_text(name)).items()
    ]


def page_topics(page: Page, rules: Sequence[Rule]) -> list[str]:
    """Return the names of the topics that a page is on."""
    prose = [words for line in page.text.split("\n") if len(words := line.split()) >= PROSE]
    length = sum(map(len, prose))
    if length < LEAST:
        return []
    counts = Counter(WORD.findall(" ".join(map(" ".join, prose)).lower()))
    for word in WORD.findall(NAME_OF_SITE.split(page.title)[0].lower()):
        counts[word] += TITLE
    return [rule.topic.name for rule in rules if _is_on(rule, counts, length)]


def _is_on(rule: Rule, counts: Counter[str], length: int) -> bool:
    hits = {word: counts[word] + counts[word + "s"] for word in rule.words}
    is_dense = 100 * sum(hits.values()) >= rule.density * length
    return is_dense and sum(n > 0 for n in hits.values()) >= rule.distinct
