"""A topic of one's own: what a person says of it, the questions to ask, what is learnt."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from logging import getLogger
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from tres_lib.focused.settings import check_seeds
from tres_lib.topics.classifiers.base import RelevanceClassifier, page_text
from tres_lib.topics.defaults import load_classifier
from tres_webs import Topic, get_topic
from tres_webs.checks import count, members
from tres_webs.files import read_file, write_whole
from tres_webs.page import Web

from . import report
from .few import FewTexts
from .labels import LONGEST_TEXT, Label, Labels, as_labels, as_list, example_texts, mentions
from .questions import FETCHES, around, label_in_terminal, least_sure
from .training import trained

ROUNDS = 3
AROUND = 20  # pages
TOPIC_FILE = "topic.json"
LOOKED = "around", "of_seeds"  # what is kept of a look around
NOTHING = (
    "neither seeds nor pages that they link to have a keyword; are the keywords in another "
    "language, or misspelt? Give others, or name relevant pages or texts (--examples)"
)

logger = getLogger(__name__)


class OwnTopic:
    """A topic that a person describes by keywords, rules, examples and answers about pages.

    Keywords alone are enough; rules, examples and answers each make the classifier better.

    Parameters
    ----------
    topic : str or Topic
        With the texts of its examples; `from_examples` fetches those given by URL.
    seeds : iterable of str
        URLs around which pages are looked at; needed only for that.
    labels : Labels or path of a file of them, optional
        The person's answers; by default they stay in memory. Skipped pages do not count.

    Examples
    --------
    A program answers here; `teach` asks a person, in a terminal.

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
        texts of five words or more; without any those seeds serve that mention a keyword. The
        folder has ``examples.json`` and ``around.json``, the fetched texts, so that a later call
        fetches only what is missing, and ``labels.jsonl``, the answers.

        ValueError if the topic has fewer than two keywords, or no example has a text.
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
        """Write topic, seeds and classifier into a folder; labels have a file of their own."""
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
        """Train on whatever there is, or return what was trained on the same before.

        It is a `FewTexts`, or with rules an `SvmClassifier` of the articles that they match.
        """
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

    def learns_nothing(self, looked_at: Iterable[str] = ()) -> bool:
        """Return whether nothing can be taken for relevant, as these texts of pages show.

        No example or answer is relevant, and keywords are neither there nor in training articles.
        """
        texts, keywords = list(looked_at), self.topic.keywords
        if self.topic.examples or any(label.relevant for label in self.labels) or not texts:
            return False
        return len(report.unmatched(keywords, texts)) == len(keywords)

    def warnings(self) -> list[str]:
        """Return what is wrong with keywords and rules, a sentence each."""
        return [*report.on_signs(self.topic.keywords), *report.on_share(self.topic)]

    def unmatched_keywords(self) -> tuple[str, ...]:
        """Return the keywords that no training article, example or labelled page has."""
        labelled = (label.text for label in self.labels.answers())
        return report.unmatched(self.topic.keywords, [*self.topic.examples, *labelled])

    def report(self, titles: int = 12) -> pd.DataFrame:
        """Return what the classifier learns from, a row a source of texts.

        Columns are ``relevant`` and ``irrelevant``, numbers of words or texts, and ``which``: so
        many words, titles, beginnings or URLs.
        """
        answers, around = self.labels.answers(), len(self.around)
        return report.sources(self.topic, answers, titles, around)

    def first_look(self, web: Web, n: int = 4) -> pd.DataFrame:
        """Classify the first seeds and pages that they link to; see `first_look`."""
        return report.first_look(web, self.seeds, self.classifier(), n)

    def questions(
        self, web: Web, n: int = 20, *, fetches: int = FETCHES, rng: int = 0
    ) -> pd.DataFrame:
        """Fetch pages around the seeds; return those to ask the person about; see `least_sure`.

        Half of them are pages that the classifier takes: errors are rarely where it doubts.
        """
        more: dict[str, Any] = {"fetches": fetches, "rng": rng, "keywords": self.topic.keywords}
        return least_sure(web, self.seeds, self.classifier(), self.labels, n, taken=n // 2, **more)

    def answer(self, url: str, text: str, relevant: bool | None) -> None:
        """Take an answer to a question; None skips the page. See `Labels.add`."""
        self.labels.add(url, text, relevant)

    def teach(
        self,
        web: Web,
        *,
        rounds: int = ROUNDS,
        n: int = 20,
        ask: Callable[[str], str] = input,
        show: Callable[[str], object] = print,
    ) -> None:
        """Look, label in the terminal, and train again, in rounds.

        It ends with `rounds` times `n` answers, or a multiple of that; after "quit"; or if there
        are no other pages. Called again, it goes on where it was left.
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
    topic: str | Topic,
    seed: int = 0,
    *,
    labels: Labels | str | Path | None = None,
) -> RelevanceClassifier:
    """Train a classifier on whatever there is of a topic; see `OwnTopic` and its `classifier`."""
    return OwnTopic(topic, labels=labels, seed=seed).classifier()
