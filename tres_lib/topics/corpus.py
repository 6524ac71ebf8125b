"""Training texts of a topic, from articles that no page of a crawled web is written on.

A classifier scores whole pages and anchors. So it learns from leads, pages of a sister web
written from the training half of the articles, and anchors of links to such pages.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, islice

import numpy as np
import pandas as pd

from tres_webs import Topic, VitalWeb, get_topic, load_articles
from tres_webs.checks import one_of
from tres_webs.lab.sites import SPAM

from .classifiers.base import anchor_text, page_text
from .keywords import KeywordExpansion, candidate_words, expand_keywords
from .vectors import word_table

logger = logging.getLogger(__name__)

Texts = tuple[str, ...]
AMOUNTS = "leads", "paper"
SISTER_SITES = 2_000  # enough for a page on nearly every training article
SISTER_SEED = 2_026
EVERY = 12  # link of a page that gives an anchor
HUBS = 300  # hub pages among the examples: crawlers meet them at every step
PAPER_SITES = 20_000  # of a sister web with the paper's amount of pages on each topic
PAPER_EVERY = 7  # as EVERY: some 2.3 anchors a page too
SUPERTOPICS = 9


@dataclass(frozen=True)
class Corpus:
    """Labelled texts.

    Examples
    --------
    >>> forms = np.array(["page", "anchor"])
    >>> Corpus(("A match.", "more"), forms == "page", np.arange(2), forms).of_form("page").texts
    ('A match.',)
    """

    texts: Texts  # (n,)
    labels: np.ndarray  # (n,) bool: whether each is on the topic
    # (n,) int: the article of each text, so that no fold is tested on an article that it was
    # trained on. Hub pages have groups of their own.
    groups: np.ndarray
    forms: np.ndarray  # (n,) of "lead", "page" and "anchor"

    def of_form(self, *forms: str) -> "Corpus":
        """Return the part of the corpus with these forms."""
        keep = np.isin(self.forms, forms)
        texts = tuple(compress(self.texts, keep))
        return Corpus(texts, self.labels[keep], self.groups[keep], self.forms[keep])


def training_corpus(topic: str | Topic, amount: str = "leads") -> Corpus:
    """Return labelled texts on the training half of the articles, from which classifiers learn.

    The amount "leads" has leads, noisy pages and anchors, labelled by the topic's rules; its
    examples are positives as well, and without rules all articles are negatives. "paper" has as
    many pages as the TRES paper, see `paper_corpus`. ValueError if the topic has neither rules nor
    examples (for "paper": no rules), or its rules match no article.
    """
    topic = get_topic(topic)
    if one_of("amount", amount, AMOUNTS) == "paper":
        return paper_corpus(topic)
    if not (topic.has_rules or topic.examples):
        remedy = "give a classifier=, or the topic rules=(...) or examples=(text, ...)"
        raise ValueError(f"topic {topic.name!r}: {remedy}")
    on_topic = matching(topic)
    if topic.has_rules and not on_topic.any():
        raise ValueError(
            f"topic {topic.name!r}: its rules match no training article; widen rules=(...), or "
            "leave them out and give examples=(text, ...)"
        )
    return with_texts(labelled_articles(on_topic), topic.examples)


def labelled_articles(on_topic: np.ndarray) -> Corpus:
    """Return all training articles' texts; a hub counts if half of what it lists does."""
    texts, groups, forms, hubs = _training_texts()
    shares = [on_topic[listed].mean() if len(listed) else 0.0 for _, listed in hubs]
    return Corpus(
        texts=(*texts, *(text for text, _ in hubs)),
        labels=np.concatenate([on_topic[groups], np.array(shares) >= 0.5]),
        groups=np.concatenate([groups, len(on_topic) + np.arange(len(hubs))]),
        forms=np.array([*forms, *["page"] * len(hubs)]),
    )


def topic_keywords(topic: str | Topic) -> KeywordExpansion:
    """Return the topic's seed keywords, expanded over its training documents (Algorithm 1).

    They come back alone, with a warning, if fewer than two have a word vector.
    """
    topic = get_topic(topic)
    documents = compress(leads(), matching(topic)) if topic.has_rules else topic.examples
    try:
        return expand_keywords(topic.keywords, candidate_words(documents), word_table())
    except ValueError as error:
        logger.warning("topic %s: its keywords are used as they are; %s", topic.name, error)
        return KeywordExpansion(topic.keywords, (), np.nan, {}, topic.keywords)


def leads() -> list[str]:
    """Return title and lead of each training article, in the order of their groups."""
    articles = load_articles()
    both = compress(zip(articles.titles, articles.extracts, strict=True), articles.training)
    return [f"{title}. {extract}" for title, extract in both]


def matching(topic: Topic) -> np.ndarray:
    """Return which training articles the topic's rules match, (n,) bool; none without rules."""
    articles = load_articles()
    about = compress(zip(articles.titles, articles.descriptions, strict=True), articles.training)
    return np.array([topic.has_rules and topic.matches(*pair) for pair in about])


@lru_cache(maxsize=1)
def _training_texts() -> tuple[Texts, np.ndarray, Texts, list[tuple[str, np.ndarray]]]:
    """Return texts with their group and form, and hub pages with the articles that they list."""
    sister = VitalWeb(SISTER_SEED, SISTER_SITES, half="training", law="first")
    rows: list[tuple] = [(text, group, "lead") for group, text in enumerate(leads())]
    rows += page_rows(sister, sister.one_page_each(np.random.default_rng(SISTER_SEED)), EVERY)
    texts, groups, forms = zip(*rows, strict=True)
    hubs = [(page_text(sister.fetch(url)), listed) for url, listed in sister.hubs(HUBS)]
    return texts, np.array(groups), forms, hubs


def page_rows(web: VitalWeb, urls: list[str], every: int) -> list[tuple]:
    """Return text, article and form of pages, and of links from each of their lists."""
    rows: list[tuple] = []
    for url in urls:
        page = web.fetch(url)
        rows.append((page_text(page), web.article(url), "page"))
        targets = ((link, web.article(link.url)) for link in page.links[5::every])
        rows += [(anchor_text(link), a, "anchor") for link, a in targets if a is not None]
    return rows


def with_texts(
    corpus: Corpus, texts: Sequence[str], relevant: Sequence[bool] | None = None, times: int = 1
) -> Corpus:
    """Return the corpus plus texts, relevant by default: each whole, `times`, and as an anchor."""
    if not texts:
        return corpus
    anchors = [" ".join(text.split()[:6]) for text in texts]
    labels = np.ones(len(texts), bool) if relevant is None else np.array(relevant, bool)
    groups = corpus.groups.max() + 1 + np.arange(len(texts))
    forms = ["page"] * (times * len(texts)) + ["anchor"] * len(texts)
    return Corpus(
        texts=(*corpus.texts, *(times * list(texts)), *anchors),
        labels=np.concatenate([corpus.labels, *[labels] * (times + 1)]),
        groups=np.concatenate([corpus.groups, *[groups] * (times + 1)]),
        forms=np.concatenate([corpus.forms, forms]),
    )


@lru_cache(maxsize=1)
def paper_corpus(
    topic: Topic, relevant: int = 1_000, each: int = 1_800, hubs: int = 1_000
) -> Corpus:
    """Return pages on the topic and on nine other subjects, with hubs and anchors but no leads."""
    # The TRES paper learns from 1,000 relevant pages and 1,800 of each supertopic of Dmoz (Section
    # 3.3); here these are the categories of the vital articles. The articles behind the relevant
    # pages bound what can be learnt: 92 of sports, 136 of food, 51 of computing.
    if not topic.has_rules:
        raise ValueError(f"topic {topic.name!r}: the paper's amount needs rules=(...)")
    sister = VitalWeb(SISTER_SEED, PAPER_SITES, half="training", law="second")
    on_topic = sister.labels(topic)
    rng = np.random.default_rng(SISTER_SEED)
    urls = pages_by_turns(sister, on_topic, relevant, rng)
    for subject in other_subjects(sister, on_topic):
        others = ~on_topic & (sister.graph.category == subject)
        urls += pages_by_turns(sister, others, each, rng)
    rows = page_rows(sister, urls, PAPER_EVERY)
    labels = [bool(on_topic[article]) for _, article, _ in rows]
    for number, (url, _) in enumerate(sister.hubs(hubs), len(on_topic)):
        rows.append((page_text(sister.fetch(url)), number, "hub"))
        labels.append(bool(sister.is_relevant(url, topic)))
    texts, groups, forms = zip(*rows, strict=True)
    return Corpus(texts, np.array(labels), np.array(groups), np.array(forms))


def other_subjects(web: VitalWeb, on_topic: np.ndarray) -> np.ndarray:
    """Return the codes (9,) of the categories with most relevant articles, the largest on ties."""
    category = web.graph.category
    sizes = np.bincount(category)
    relevant = np.bincount(category[on_topic], minlength=len(sizes))
    return np.lexsort((-sizes, -relevant))[:SUPERTOPICS]


def pages_by_turns(
    web: VitalWeb, articles: np.ndarray, n: int, rng: np.random.Generator
) -> list[str]:
    """Return the URLs of n honest pages on these (A,) bool articles, which take turns."""
    table = web.table
    entries = np.flatnonzero(articles[table.article] & (table.role[table.site] != SPAM))
    pages = pd.DataFrame({"entry": np.repeat(entries, table.count[entries])})
    pages["variant"] = pages.groupby("entry").cumcount()
    pages = pages.iloc[rng.permutation(len(pages))]
    turn = pages.groupby(table.article[pages["entry"]]).cumcount()
    pages = pages.iloc[np.argsort(turn, kind="stable")]
    refs = filter(web.writer.stands, map(web.ref, pages["entry"], pages["variant"]))
    urls = [web.addresses.url(ref) for ref in islice(refs, n)]
    if len(urls) < n:
        raise ValueError(f"n={n}: the web has only {len(urls)} pages on these articles")
    return urls
