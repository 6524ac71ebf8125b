"""Labels by rule: a page is on a topic if enough of its prose is the topic's telling words."""

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import yaml

from ..page import Page
from ..topic import Topic
from .manifest import FOLDER

PROSE = 6  # words of a line from which on it is prose, not navigation or code
LEAST = 25  # words of prose that a page needs to be on a topic
REPEATED = 0.1  # share of a site's pages from which on a line is the template's
TITLE = 3  # what a telling word in the title counts
WORD = re.compile(r"[a-z][a-z0-9]*")
NAME_OF_SITE = re.compile(r" [-\u2014\u2013|\u00b7] ")  # what follows it in a title


@dataclass(frozen=True)
class Rule:
    """A topic, and when a page is on it; a plural s of the words does not matter."""

    topic: Topic
    sure: frozenset[str]  # words that tell the topic by themselves
    words: frozenset[str]  # these, and others that count beside them
    density: float  # of the words per 100 words of prose
    distinct: int  # different sure words that a page needs


def rules_version(name: str) -> int:
    """Return a number that changes with the rules, of 31 bits as in SQLite's user_version."""
    parts = (
        (rule.topic.name, sorted(rule.sure), sorted(rule.words), rule.density, rule.distinct)
        for rule in read_rules(name)
    )
    known = (PROSE, LEAST, REPEATED, TITLE, *parts)
    return zlib.crc32(repr(known).encode()) >> 1


def read_rules(name: str) -> list[Rule]:
    """Return the topics of a pinned web and their rules."""
    return [
        Rule(
            Topic(topic, tuple(row["keywords"].split()), definition=row["definition"]),
            frozenset(row["sure"].split()),
            frozenset(f"{row['sure']} {row['also']}".split()),
            row["density"],
            row["distinct"],
        )
        for topic, row in yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8")).items()
    ]


def repeated_lines(pages: Sequence[Page]) -> set[str]:
    """Return the lines of text that many of a site's pages have."""
    counts = Counter(line for page in pages for line in set(page.text.split("\n")))
    return {line for line, n in counts.items() if n > max(2, REPEATED * len(pages))}


def page_topics(page: Page, rules: Iterable[Rule], repeated: Collection[str] = ()) -> list[str]:
    """Return the names of the topics that a page is on, by its lines that are not repeated."""
    lines = (line for line in page.text.split("\n") if line not in repeated)
    prose = [words for line in lines if len(words := line.split()) >= PROSE]
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
    return is_dense and sum(hits[word] > 0 for word in rule.sure) >= rule.distinct
