"""Training texts of a topic, from articles that no page of a crawled web is written on.

A classifier scores whole pages and anchors. So it learns from leads, pages of a sister web
written from the training half of the articles, and anchors of links to such pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

import numpy as np

from ..web import Topic, get_topic, load_articles
from .classifiers.base import anchor_text, page_text
from .keywords import KeywordExpansion, candidate_words, expand_keywords
from .vectors import load_vectors

Texts = tuple[str, ...]
SISTER_SITES = 2_000  # enough for a page on nearly every training article
SISTER_SEED = 2_026
HUBS = 300  # hub pages among the examples: crawlers meet them at every step


@dataclass(frozen=True)
class Corpus:
    """Labelled texts.

    Attributes
    ----------
    texts, forms : (n,) str
        Forms are "lead", "page" and "anchor".
    labels : ndarray of bool, (n,)
        Whether each is on the topic.
    groups : ndarray of int, (n,)
        The article of each text, so that no fold is tested on an article that it was trained
        on. Hub pages have groups of their own.

    Examples
    --------
    >>> forms = np.array(["page", "anchor"])
    >>> Corpus(("A match.", "more"), forms == "page", np.arange(2), forms).of_form("page").texts
    ('A match.',)
    """

    texts: Texts
    labels: np.ndarray
    groups: np.ndarray
    forms: np.ndarray

    def of_form(self, *forms: str) -> "Corpus":
        """Return the part of the corpus with these forms, of "lead", "page", "anchor"."""
        keep = np.isin(self.forms, forms)
        texts = tuple(compress(self.texts, keep))
        return Corpus(texts, self.labels[keep], self.groups[keep], self.forms[keep])


def training_corpus(topic: str | Topic) -> Corpus:
    """Return leads, noisy pages and anchors of the training half, labelled by the topic's rules.

    A topic without rules has its examples as positives and all training articles as negatives.

    Parameters
    ----------
    topic : str or Topic
        A name from ``data/topics.yaml``, or a topic of one's own.

    Raises
    ------
    ValueError
        If the topic is unknown, has neither rules nor examples, or its rules match no article.
    """
    topic = get_topic(topic)
    if not (topic.has_rules or topic.examples):
        raise ValueError(f"topic {topic.name!r}: give it rules=(...) or examples=(text, ...)")
    on_topic = _on_topic(topic)
    if topic.has_rules and not on_topic.any():
        raise ValueError(
            f"topic {topic.name!r}: its rules match no training article; widen rules=(...), or "
            "leave them out and give examples=(text, ...)"
        )
    texts, groups, forms, hubs = _training_texts()
    hub_labels = [len(listed) > 0 and on_topic[listed].mean() >= 0.5 for _, listed in hubs]
    everything = Corpus(
        texts=(*texts, *(text for text, _ in hubs)),
        labels=np.concatenate([on_topic[groups], hub_labels]).astype(bool),
        groups=np.concatenate([groups, len(on_topic) + np.arange(len(hubs))]),
        forms=np.array([*forms, *["page"] * len(hubs)]),
    )
    return everything if topic.has_rules else _with_examples(everything, topic.examples)


def topic_keywords(topic: str | Topic) -> KeywordExpansion:
    """Return the topic's seed keywords, expanded over its training documents (Algorithm 1).

    Parameters
    ----------
    topic : str or Topic
        See `training_corpus`. Its documents are the leads that its rules match, or its examples.

    Raises
    ------
    ValueError
        If the topic is unknown, or fewer than two of its keywords have a word vector.
    """
    topic = get_topic(topic)
    documents = compress(_leads(), _on_topic(topic)) if topic.has_rules else topic.examples
    return expand_keywords(topic.keywords, candidate_words(documents), load_vectors())


def _leads() -> list[str]:
    """Return title and lead of each training article."""
    articles = load_articles()
    both = compress(zip(articles.titles, articles.extracts, strict=True), articles.training)
    return [f"{title}. {extract}" for title, extract in both]


def _on_topic(topic: Topic) -> np.ndarray:
    """Return which training articles the topic's rules match; none if it has no rules."""
    articles = load_articles()
    about = compress(zip(articles.titles, articles.descriptions, strict=True), articles.training)
    return np.array([topic.has_rules and topic.matches(*pair) for pair in about])


@lru_cache(maxsize=1)
def _training_texts() -> tuple[Texts, np.ndarray, Texts, list[tuple[str, np.ndarray]]]:
    """Return texts with their group and form, and hub pages with the articles that they list."""
    from ..web.lab.vital import VitalWeb

    sister = VitalWeb(SISTER_SEED, SISTER_SITES, half="training")
    rows: list[tuple] = [(text, group, "lead") for group, text in enumerate(_leads())]
    for url in sister.one_page_each(np.random.default_rng(SISTER_SEED)):
        page = sister.fetch(url)
        rows.append((page_text(page), sister.article(url), "page"))
        for link in page.links[5::12]:  # a few of its links, from each of its lists
            target = sister.article(link.url)
            if target is not None:
                rows.append((anchor_text(link), target, "anchor"))
    texts, groups, forms = zip(*rows, strict=True)
    hubs = [(page_text(sister.fetch(url)), listed) for url, listed in sister.hubs(HUBS)]
    return texts, np.array(groups), forms, hubs


def _with_examples(corpus: Corpus, examples: Sequence[str]) -> Corpus:
    """Return the corpus plus examples: each whole, and its first words as an anchor."""
    anchors = [" ".join(text.split()[:6]) for text in examples]
    start = corpus.groups.max() + 1
    return Corpus(
        texts=(*corpus.texts, *examples, *anchors),
        labels=np.concatenate([corpus.labels, np.ones(2 * len(examples), bool)]),
        groups=np.concatenate([corpus.groups, *[start + np.arange(len(examples))] * 2]),
        forms=np.concatenate([corpus.forms, ["page"] * len(examples), ["anchor"] * len(anchors)]),
    )
