"""A topic of one's own: what a person says of it, what is learnt, and what that makes of pages."""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from difflib import get_close_matches
from itertools import chain, compress
from logging import getLogger
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from tres_lib.focused.fetching import Visit
from tres_lib.focused.settings import check_seeds
from tres_lib.store import Journal
from tres_lib.topics.classifiers.base import RelevanceClassifier, as_classifier, page_text
from tres_lib.topics.corpus import leads, matching
from tres_lib.topics.defaults import load_classifier
from tres_lib.topics.keywords import KeywordMatcher, keyword_counts
from tres_lib.topics.vectors import UNSPACED, fold, tokenize
from tres_webs import Page, Revisit, Topic, Wrapper, get_topic, load_articles
from tres_webs.checks import count, members, texts
from tres_webs.files import read_file, write_whole
from tres_webs.page import FetchError, Web
from tres_webs.parsing import printable

from .few import FewTexts, trained
from .labels import (
    FETCHES,
    LONGEST_TEXT,
    Label,
    Labels,
    around,
    as_labels,
    as_list,
    example_texts,
    label_in_terminal,
    least_sure,
    mentions,
)

ROUNDS = 3
AROUND = 20  # pages
TOPIC_FILE = "topic.json"
LOOKED = "around", "of_seeds"  # what is kept of a look around
NOTHING = (
    "neither seeds nor pages that they link to have a keyword; are the keywords in another "
    "language, or misspelt? Give others, or name relevant pages or texts (--examples)"
)
LOOKED_AT = 3  # seeds of a first look
LONGEST_NAME = 60  # characters
NEAR = 0.8  # similarity of a word that was perhaps meant
MANY = 0.2  # share of the training articles that is too much for a topic
MOST = 400  # distinct words that are tried, the most frequent
SHORTEST = 3  # letters of a word that is tried
LEAST_KEYWORDS = 2  # occurrences in an article's lead, from which the article is on topic
EDGE = 1e-9  # probabilities nearer to 0 or 1 count as so near
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # no script of a page's making would run

logger = getLogger(__name__)


class OwnTopic:
    """A topic that a person describes by keywords, rules, examples and answers about pages.

    Keywords alone are enough; the rest makes the classifier better. Pages are looked at around the
    seeds. Answers (`Labels`, or the path of their file) stay in memory by default.

    Examples
    --------
    A program answers here; `ask_person` asks a person, in a terminal.

    >>> from tres_webs import ReplayWeb
    >>> start = "http://a.example/"
    >>> pages = {start: "<a href=/b>Wein</a> <a href=/c>Steuern</a>"}
    >>> pages |= {f"{start}b": "Der Winzer keltert Wein", f"{start}c": "Der Staat und die Steuern"}
    >>> wine = Topic("wine", ["Wein", "Traube"], examples=["Die Trauben für den Wein sind reif"])
    >>> own = OwnTopic(wine, [start])
    >>> for page in own.questions(ReplayWeb.from_pages(pages)).itertuples():
    ...     own.answer(page.url, page.text, "Wein" in page.text)
    >>> own.report()["relevant"].tolist(), own.report()["irrelevant"].tolist()[1:]
    ([2, 1, 2, 0], [0, 1, 0])
    >>> own.classifier().proba(["Rotwein und Weisswein, der Wein der Winzer"]) >= 0.5
    array([ True])
    """

    def __init__(
        self,
        topic: str | Topic,
        seeds: Iterable[str] = (),
        labels: Labels | str | Path | None = None,
        *,
        seed: int = 0,
    ):
        self.topic = get_topic(topic)
        self.seeds = check_seeds(seeds) if seeds else []
        self.labels = Labels() if labels is None else as_labels(labels, old=True)
        self.seed = count("seed", seed, 0)
        self.around: list[str] = []  # texts of pages around the seeds, by `look_around`
        self.of_seeds: list[str] = []  # those of the seeds that mention a keyword
        self._trained: tuple[list[Label], RelevanceClassifier] | None = None

    @classmethod
    def from_examples(
        cls,
        web: Web,
        topic: str | Topic,
        seeds: str | Iterable[str],
        examples: str | Iterable[str] = (),
        *,
        folder: str | Path,
        seed: int = 0,
    ) -> Self:
        """Return a topic whose examples are fetched from the web, or read from the folder.

        Seeds and examples may be strings, split at line ends, or else commas. Examples are URLs, or
        texts of five words or more; without any those seeds serve that mention a keyword.
        """
        topic = get_topic(topic)
        if len(topic.keywords) < 2:
            remedy = "give two words or more that describe the topic"
            raise ValueError(f"keywords={list(topic.keywords)!r}: {remedy}")
        urls, given = check_seeds(as_list(seeds, "seeds")), as_list(examples, "examples")
        texts = example_texts(web, topic.keywords, urls, given, Path(folder, "examples.json"))
        labels = Labels(Path(folder, "labels.jsonl"))
        own = cls(replace(topic, examples=texts), urls, labels, seed=seed)
        file = Path(folder, "around.json")
        if file.exists():
            looked = json.loads(read_file(file))
            own.around, own.of_seeds = (looked.get(name, []) for name in LOOKED)
        elif texts and not topic.has_rules:
            own.look_around(web)
            looked = {name: getattr(own, name) for name in LOOKED}
            write_whole(file, json.dumps(looked, indent=1))
        return own

    def save(self, folder: str | Path) -> None:
        """Write all but the labels, which have a file of their own, into a folder."""
        classifier: Any = self.classifier()
        classifier.save(folder)
        facts = {name: getattr(self, name) for name in ("seeds", "seed", *LOOKED)}
        text = json.dumps({"topic": asdict(self.topic), **facts}, default=sorted)
        Path(folder, TOPIC_FILE).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path, labels: Labels | str | Path | None = None) -> Self:
        """Return what `save` wrote, with the labels given; ValueError if the folder holds none."""
        classifier = load_classifier(folder, FewTexts)
        file = Path(folder, TOPIC_FILE)
        if not file.exists():
            raise ValueError(f"folder={str(folder)!r} has no {TOPIC_FILE}; OwnTopic.save writes it")
        facts = json.loads(read_file(file))
        own = cls(Topic(**facts["topic"]), facts["seeds"], labels, seed=facts["seed"])
        own.around, own.of_seeds = (facts.get(name, []) for name in LOOKED)
        own._trained = own.labels.answers(), classifier
        return own

    def classifier(self) -> RelevanceClassifier:
        """Train on whatever there is, or return what was trained on the same before."""
        if self._trained and self._trained[0] == self.labels.answers():
            return self._trained[1]
        return self.train()

    def train(self) -> RelevanceClassifier:
        """Train the classifier, also one that came from a folder."""
        for warning in self.warnings():
            logger.warning("topic %s: %s", self.topic.name, warning)
        rest = self.seed, self.labels.answers(), self.around
        made: Any = trained(self.topic, *rest)
        if not self.topic.has_rules and not {*self.of_seeds} <= {*self.topic.examples}:
            made.beside = trained(replace(self.topic, examples=tuple(self.of_seeds)), *rest)
        self.use(made)
        return made

    def use(self, classifier: RelevanceClassifier) -> None:
        """Take a ready classifier, until there are other answers."""
        self._trained = self.labels.answers(), classifier

    def look_around(self, web: Web, n: int = AROUND) -> None:
        """Fetch pages around the seeds: they show which words say nothing there."""
        by_keywords = FewTexts(self.topic.keywords).fit([], [])
        pages = around(web, self.seeds, by_keywords, n, np.random.default_rng(self.seed))
        looked = [(page.url in self.seeds, page_text(page)[:LONGEST_TEXT]) for page in pages]
        self.around = [text for _, text in looked]
        self.of_seeds = [x for seed, x in looked if seed and mentions(x, self.topic.keywords)]

    def warnings(self) -> list[str]:
        """Return what is wrong with keywords and rules, a sentence each."""
        return [*on_signs(self.topic.keywords), *on_share(self.topic)]

    def unmatched_keywords(self) -> tuple[str, ...]:
        """Return the keywords that no training article, example or labelled page has."""
        labelled = (label.text for label in self.labels.answers())
        return unmatched(self.topic.keywords, [*self.topic.examples, *labelled])

    def report(self, titles: int = 12) -> pd.DataFrame:
        """Return what the classifier learns from: how much, and which, by source of texts."""
        topic, answers = self.topic, self.labels.answers()
        good = [label.url for label in answers if label.relevant]
        if topic.has_rules:
            relevant, everything = matching(topic), load_articles()
            named = list(compress(compress(everything.titles, everything.training), relevant))
            first, rest = "articles by rules", int((~relevant).sum())
        else:
            first, named, rest = "keywords", list(topic.keywords), 0
        table = {
            "relevant": [len(named), len(topic.examples), len(good), 0],
            "irrelevant": [rest, 0, len(answers) - len(good), len(self.around)],
            "which": [*(_listed(names, titles) for names in (named, topic.examples, good)), ""],
        }
        return pd.DataFrame(table, index=[first, "examples", "labels", "pages around"])

    def first_look(self, web: Web, n: int = 4) -> pd.DataFrame:
        """Classify the first seeds and pages that they link to; see `first_look`."""
        return first_look(web, self.seeds, self.classifier(), n)

    def questions(
        self, web: Web, n: int = 20, *, fetches: int = FETCHES, rng: int = 0
    ) -> pd.DataFrame:
        """Fetch pages around the seeds; return those to ask the person about; see `least_sure`."""
        # Half of them are pages that the classifier takes: errors are rarely where it doubts.
        more: dict[str, Any] = {"fetches": fetches, "rng": rng, "keywords": self.topic.keywords}
        return least_sure(web, self.seeds, self.classifier(), self.labels, n, taken=n // 2, **more)

    def answer(self, url: str, text: str, relevant: bool | None) -> None:
        """Take an answer to a question; None skips the page. See `Labels.add`."""
        self.labels.add(url, text, relevant)

    def ask_person(
        self,
        web: Web,
        *,
        rounds: int = ROUNDS,
        n: int = 20,
        ask: Callable[[str], str] = input,
        show: Callable[[str], object] = print,
    ) -> None:
        """Look, label in the terminal, and train again, in rounds; go on where it was left.

        It ends with `rounds` times `n` answers, or a multiple; after "quit"; or without more pages.
        """
        members("web", web, "fetch(url)")
        check_seeds(self.seeds)
        labels = self.labels
        wanted = (len(labels) // (count("rounds", rounds) * count("n", n)) + 1) * rounds * n
        while True:
            if not self._trained or self._trained[0] != labels.answers():
                show(f"training the classifier, with {len(labels)} answers")
                self.train()
            missing = wanted - len(labels)
            if missing <= 0:
                return
            size = missing % n or n  # the rest of a round that was left
            show(
                f"round {rounds - (missing - 1) // n} of {rounds}: {size} questions, half on pages "
                f"that the classifier takes, half on doubtful ones; {FETCHES} fetches at most"
            )
            table = self.questions(web, size, rng=self.seed)
            if table.empty:
                show("there is no other page without an answer; name more seeds to be asked more")
                return
            if not label_in_terminal(table, labels, ask, show):
                return


def own_classifier(
    topic: str | Topic, seed: int = 0, *, labels: Labels | str | Path | None = None
) -> RelevanceClassifier:
    """Train a classifier on whatever there is of a topic; see `OwnTopic`."""
    return OwnTopic(topic, labels=labels, seed=seed).classifier()


class Once(Wrapper):
    """A web of which a page that was fetched while the topic was learnt is asked for once."""

    journal: Journal | None = None  # of documents, so that a first look that was killed goes on

    def keep(self, journal: Journal) -> Self:
        """Hold the pages of a journal, and those that are fetched until there is none."""
        self.journal, self.pages = journal, dict[str, Page]()
        while line := journal.read():
            if page := Visit.from_json(line).page:
                html = line["html"].encode("utf-8", "surrogateescape")
                self.pages[line["url"]] = replace(page, html=html)
        return self

    def fetch(self, url: str) -> Page:
        """Return the page as it was held, or else fetch it."""
        held = self.pages.pop(url, None)
        page = held or self.web.fetch(url)
        if self.journal:
            self.pages[url] = page
            if held is None and page.html is not None:
                html = page.html.decode("utf-8", "surrogateescape")
                self.journal.append(Visit(url, page, 0.0).as_json() | {"html": html})
        return page

    def look(self, url: str, conditions: Mapping[str, str]) -> Revisit:
        """Return the page as it was held, or else look at it."""
        held = self.pages.pop(url, None)
        return self._whole.look(url, conditions) if held is None else Revisit(held, {})


def first_look(web: Web, seeds: Sequence[str], classifier: Any, n: int = 4) -> pd.DataFrame:
    """Classify the first three seeds, and `n` pages that each links to, for a person to check.

    Columns: ``p``, ``verdict`` ("relevant", "irrelevant", or why it failed), ``title``, ``url``.
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
    """Return the n words of a text without which its log-odds ln(p / (1 - p)) would change most.

    Columns ``word`` and ``weight``: the log-odds less those of the text without the word. The
    commonest English words and those of one or two letters are not tried.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    classifier = as_classifier(classifier)
    count("n", n)
    words = tokenize(text)
    counts = pd.Series(words, dtype=str).value_counts()
    long = (w for w in counts.index if len(w) >= SHORTEST or UNSPACED.search(w))
    tried = [word for word in long if word not in ENGLISH_STOP_WORDS][:MOST]
    without = [" ".join(word for word in words if word != one) for one in tried]
    p = np.clip(classifier.proba([" ".join(words), *without]), EDGE, 1 - EDGE)
    odds = np.log(p / (1 - p))
    table = pd.DataFrame({"word": tried, "weight": odds[0] - odds[1:]})
    order = np.argsort(-table["weight"].abs(), kind="stable")
    return table.iloc[order[:n]].reset_index(drop=True)


def on_signs(keywords: Sequence[str]) -> Iterator[str]:
    """Name keywords that begin or end with signs, which no text is searched for."""
    for keyword in keywords:
        ends = fold(keyword).strip()
        if any(unicodedata.category(sign)[0] in "PS" for sign in (ends[:1], ends[-1:]) if sign):
            words = " ".join(tokenize(ends))
            search = f"it is searched for as {words!r}" if words else "it is not searched for"
            remedy = "signs do not count; give more specific words, examples or labels"
            yield f"keyword {keyword!r}: {search}, for {remedy}"


def on_share(topic: Topic) -> Iterator[str]:
    """Say if rules match no training article, or if rules or keywords match many."""
    source, relevant = "rules", matching(topic)
    if not topic.has_rules:
        source, relevant = "keywords", keyword_counts(leads(), topic.keywords) >= LEAST_KEYWORDS
    n = relevant.sum()
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


def _listed(names: Sequence[str], most: int) -> str:
    lines = [" ".join(name.split()) for name in names[:most]]
    short = [f"{line[: LONGEST_NAME - 1]}…" if len(line) > LONGEST_NAME else line for line in lines]
    return ", ".join(short) + (f" and {len(names) - most} more" if len(names) > most else "")
