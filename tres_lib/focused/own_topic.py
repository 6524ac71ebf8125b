"""A topic of one's own: from what a person types to the topic, classifier and table of a crawl."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import topics
from ..store import load_or_make, stored_folder
from ..web.page import FetchError, Web
from ..web.topic import Topic
from .arguments import check_seeds

if TYPE_CHECKING:
    import pandas as pd

    from ..topics import Corpus, RelevanceClassifier

CLASSIFIERS = ("svm", "kwbilstm")
SHORTEST_EXAMPLE = 5  # words; shorter ones are mostly a longer text cut at its commas
TELLING = 2  # keywords in an article's lead that put the article on the topic

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What a person asks for: a topic's name, its keywords, seed URLs, and examples."""

    topic: str
    keywords: tuple[str, ...]
    seeds: tuple[str, ...]
    examples: tuple[str, ...]


def read_request(
    topic: str,
    keywords: str | Iterable[str],
    seeds: str | Iterable[str],
    examples: str | Iterable[str] = (),
) -> Request:
    """Check what a person typed.

    Parameters
    ----------
    topic : str, any name
    keywords : str or iterable of str, see `as_list`
    seeds : str or iterable of str, URLs of relevant pages to start from
    examples : str or iterable of str
        Relevant pages to learn from, as URLs or as texts. By default the seeds.

    Raises
    ------
    ValueError
        If there are fewer than two keywords or no seed, if a seed is no URL, or if an
        example is neither a URL nor a text of five words.
    """
    keywords, examples = as_list(keywords), as_list(examples)
    seeds = check_seeds(as_list(seeds))
    if len(keywords) < 2:
        raise ValueError(f"keywords={keywords!r}: give two words or more that describe the topic")
    for text in examples:
        if not _is_url(text) and len(text.split()) < SHORTEST_EXAMPLE:
            raise ValueError(
                f"examples: {text!r} is neither a URL nor a text of {SHORTEST_EXAMPLE} words; "
                "texts with commas go on lines of their own, or into a list"
            )
    return Request(topic, tuple(keywords), tuple(seeds), tuple(examples or seeds))


def as_list(value: str | Iterable[str]) -> list[str]:
    """The items of a list, or of a text that is split at its line ends, or else at its commas.

    Spaces around an item are cut, and empty items left out: "jazz, opera," has two.
    """
    if isinstance(value, str):
        value = value.split("\n" if "\n" in value.strip() else ",")
    return [item.strip() for item in value if item.strip()]


def folder_name(topic: str) -> str:
    """A topic's name as that of a folder: its letters and digits, with hyphens between."""
    return "-".join(re.findall(r"[^\W_]+", topic.lower()))[:60] or "topic"


def learn_topic(request: Request, web: Web, kept_in: str | Path) -> Topic:
    """The topic, with the texts of its examples.

    Parameters
    ----------
    request : Request
    web : Web
        Where examples that are URLs are fetched.
    kept_in : path
        A JSON file of the texts by URL, made or added to. Only what it lacks is fetched, so that
        a crawl that is resumed learns from the same texts as before.

    Raises
    ------
    ValueError
        If no example could be had.
    """
    path = Path(kept_in)
    texts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    why = ""
    for url in filter(_is_url, request.examples):
        if url not in texts:
            try:
                texts[url] = topics.page_text(web.fetch(url))
            except FetchError as error:
                why = error.reason
                logger.warning("example %s is left out: %s", url, why)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.part")  # renamed, so that a killed run leaves no half
    draft.write_text(json.dumps(texts, indent=1), encoding="utf-8")
    draft.replace(path)
    had = [texts.get(item, "") if _is_url(item) else item for item in request.examples]
    if not any(text.strip() for text in had):
        raise ValueError(
            f"examples: none has a text ({why or 'empty pages'}); give others, or texts"
        )
    return Topic(request.topic, request.keywords, examples=tuple(filter(str.strip, had)))


def own_corpus(topic: Topic) -> Corpus:
    """Training texts of a topic that is known by examples and keywords alone.

    They are the examples and the training articles, with their pages and anchors. A few examples
    against thousands of articles would teach little, and the wrong thing, since some of these
    articles are on the topic: one with two keywords or more in its lead counts as relevant.
    """
    corpus = topics.training_corpus(topic)
    leads = corpus.of_form("lead")
    on_topic = np.zeros(corpus.groups.max() + 1, bool)
    on_topic[leads.groups] = topics.keyword_counts(leads.texts, topic.keywords) >= TELLING
    labels = corpus.labels | on_topic[corpus.groups]
    return topics.Corpus(corpus.texts, labels, corpus.groups, corpus.forms)


def own_classifier(topic: Topic, kind: str = "svm", seed: int = 0) -> RelevanceClassifier:
    """A classifier trained on `own_corpus`, kept on disk under ``build/classifiers``.

    Parameters
    ----------
    topic : Topic, with examples
    kind : str
        "svm", some seconds of training, or "kwbilstm", the paper's, some minutes.
    seed : int

    Raises
    ------
    ValueError
        If there is no such kind, or the topic has no examples.
    """
    if kind not in CLASSIFIERS:
        raise ValueError(f"kind={kind!r}: use one of {', '.join(CLASSIFIERS)}")

    def trained() -> RelevanceClassifier:
        corpus = own_corpus(topic)
        if kind == "svm":
            new = topics.SvmClassifier(rng=seed)
        else:
            new = topics.KwBiLSTM(topics.topic_keywords(topic).keywords, rng=seed)
        return new.fit(corpus.texts, corpus.labels, corpus.groups)

    folder = stored_folder("classifiers", f"own-{kind}", [__name__], asdict(topic), seed, TELLING)
    return load_or_make(folder, topics.load_classifier, trained)


def first_look(
    web: Web, seeds: Sequence[str], classifier: RelevanceClassifier, n: int = 4
) -> pd.DataFrame:
    """What the classifier says of a few pages, for a person to check before a long crawl.

    Returns
    -------
    DataFrame
        A row for each of up to three seeds and `n` pages that each of these links to:
        ``p``, ``verdict`` ("relevant", "irrelevant", or why the page could not be had),
        ``title`` and ``url``.
    """
    import pandas as pd

    seeds = list(seeds[:3])
    waiting, rows = list(seeds), []
    for url in waiting:
        try:
            page = web.fetch(url)
        except FetchError as error:
            rows.append((np.nan, error.reason, "", url))
            continue
        if url in seeds:
            links = list(dict.fromkeys(link.url for link in page.links if link.url not in waiting))
            waiting += links[:: max(1, len(links) // n)][:n]
        p = float(classifier.proba([topics.page_text(page)])[0])
        rows.append((p, "relevant" if p >= 0.5 else "irrelevant", page.title, url))
    return pd.DataFrame(rows, columns=["p", "verdict", "title", "url"])


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))
