"""Topics: what a crawl looks for, and by which rule an article belongs to it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .checks import texts
from .files import DATA

TOPICS_FILE = DATA / "topics.yaml"
OWN_FILE = DATA / "own_topics.yaml"
WORD_TUPLES = ("keywords", "rules", "wikispeedia", "examples")
TITLE_SETS = ("include", "exclude")


@dataclass(frozen=True)
class Topic:
    """A target of focused crawling; those of the study are in ``data/topics.yaml``.

    Examples
    --------
    >>> music = Topic("music", keywords=("guitar", "jazz"), rules=("musician", "song"))
    >>> music.matches("Miles Davis", "American jazz musician")
    True
    """

    name: str
    keywords: tuple[str, ...]  # seeds, the set KS of TRES (Section 2.1.1); at least one
    # Regular expressions. An article is on topic if one of them is found in its description or
    # title as whole words; case and a plural s do not matter.
    rules: tuple[str, ...] = ()
    include: frozenset[str] = frozenset()  # titles on the topic whatever the rules say
    exclude: frozenset[str] = frozenset()  # and off it
    wikispeedia: tuple[str, ...] = ()  # prefixes of the categories whose articles are on topic
    examples: tuple[str, ...] = ()  # texts of relevant pages, to learn a topic without rules from
    definition: str = ""  # of what belongs to the topic, one sentence for a human reader

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError(f"name={self.name!r}: a topic needs a name, such as 'music'")
        for field in (*WORD_TUPLES, *TITLE_SETS):
            given = tuple(texts(field, getattr(self, field)))
            if not all(map(str.strip, given)):
                raise ValueError(f"{field}={given!r}: a text is blank; leave it out")
            object.__setattr__(self, field, frozenset(given) if field in TITLE_SETS else given)
        if not self.keywords:
            raise ValueError("keywords=(): give at least one word that describes the topic")
        if self.include & self.exclude:
            both = sorted(self.include & self.exclude)
            raise ValueError(f"include and exclude share {both}: keep each title in one of them")
        _pattern(self.rules)

    @property
    def has_rules(self) -> bool:
        """Whether titles and descriptions decide what is on topic."""
        return bool(self.rules or self.include)

    def matches(self, title: str, description: str = "") -> bool:
        """Return whether the article of this title and short description is on topic.

        Titles that `include` or `exclude` names are decided by them, all others by the rules.
        """
        if not self.has_rules:
            remedy = "give it rules=(...) or include=(...)"
            raise ValueError(f"topic {self.name!r} has no rules: {remedy}")
        if title in self.include or title in self.exclude:
            return title in self.include
        pattern = _pattern(self.rules)
        return bool(pattern and (pattern.search(description) or pattern.search(title)))


def load_topics() -> dict[str, Topic]:
    """Return the topics of ``data/topics.yaml`` by name; ValueError if missing or malformed.

    Examples
    --------
    >>> list(load_topics())
    ['sports', 'food', 'computing']
    """
    return _topics_of(TOPICS_FILE)


def own_topics() -> dict[str, Topic]:
    """Return the topics of ``data/own_topics.yaml`` by name, as `load_topics` does.

    Examples
    --------
    >>> list(own_topics())[:3]
    ['architecture', 'astronomy', 'chemistry']
    """
    return _topics_of(OWN_FILE)


@lru_cache(maxsize=4)
def _topics_of(file: Path) -> dict[str, Topic]:
    import yaml

    try:
        blocks = yaml.safe_load(file.read_text(encoding="utf-8"))
        return {name: Topic(name, **block) for name, block in blocks.items()}
    except (OSError, TypeError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{file.name}: {error}") from error


def get_topic(topic: str | Topic, *webs: object) -> Topic:
    """Return the topic itself, or by its name one of webs' `topics`, `load_topics`, `own_topics`.

    Examples
    --------
    >>> get_topic("food").matches("Cheddar cheese", "Type of cheese")
    True
    """
    if isinstance(topic, Topic):
        return topic
    topics = own_topics() | load_topics()
    for web in webs:
        topics |= getattr(web, "topics", {})
    if not isinstance(topic, str) or topic not in topics:
        raise ValueError(f"topic={topic!r}: use one of {', '.join(topics)}, or a Topic of your own")
    return topics[topic]


@lru_cache(maxsize=64)
def _pattern(rules: tuple[str, ...]) -> re.Pattern[str] | None:
    for rule in rules:
        try:
            re.compile(rule)
        except re.error as error:
            raise ValueError(f"rules: {rule!r} is not a regular expression ({error})") from error
    alternatives = "|".join(f"(?:{rule})" for rule in rules)
    return re.compile(rf"\b(?:{alternatives})s?\b", re.IGNORECASE) if rules else None
