"""Pages to ask a person about: those around the seeds that a classifier doubts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.checks import count, generator, members, texts
from tres_lib.focused.settings import check_seeds
from tres_lib.topics import (
    KeywordMatcher,
    RelevanceClassifier,
    anchor_text,
    as_classifier,
    page_text,
)
from tres_lib.topics.vectors import WORD
from tres_lib.web.page import FetchError, Link, Page, Web
from tres_lib.web.reader import printable
from tres_lib.web.urls import domain

from .labels import Labels, as_labels

FETCHES = 150  # pages around the seeds, of which the doubtful ones are chosen
PROMISING = 0.5  # share of the links that the classifier likes best; the others are drawn
REPEATED = 3  # pages of a site from which on a line of theirs is a menu or footer
SNIPPET = 300  # characters
BEFORE = 15  # words of it before the first keyword
COLUMNS = ("url", "title", "p", "snippet", "text")


def least_sure(
    web: Web,
    seeds: Iterable[str],
    classifier: Any,
    labels: Labels | str | Path | Sequence[str] = (),
    n: int = 20,
    *,
    fetches: int = FETCHES,
    per_domain: int = 2,
    rng: np.random.Generator | int = 0,
    keywords: Iterable[str] = (),
) -> pd.DataFrame:
    """Fetch pages around the seeds; return those about which the classifier is least sure.

    Half of the links to follow are those that the classifier likes best, half are drawn.

    Parameters
    ----------
    web, seeds
        See `crawl`.
    classifier : RelevanceClassifier, object or callable
        See `topics.as_classifier`.
    labels : Labels, path or sequence of str, optional
        Pages with an answer, or URLs, which are not shown again.
    n : int
        Pages to return, if there are so many.
    fetches : int
        At most, the seeds included; failed ones count.
    per_domain : int
        At most so many pages of a registered domain, unless there are too few others.
    rng : int or Generator
    keywords : iterable of str
        Snippets show the first of them.

    Returns
    -------
    DataFrame
        A row a page, the most doubtful first: ``url``, ``title``, ``p``, ``snippet`` (around the
        first keyword or else the beginning, without lines that its site repeats) and ``text`` (by
        which it is classified).
    """
    members("web", web, "fetch(url)")
    seeds = check_seeds(seeds)
    answered: Container[str]
    if isinstance(labels, Labels | str | Path):
        answered = as_labels(labels)
    else:
        answered = texts("labels", labels)
    count("n", n)
    count("fetches", fetches)
    count("per_domain", per_domain)
    classifier = as_classifier(classifier)
    pages = {p.url: p for p in _around(web, seeds, classifier, fetches, generator("rng", rng))}
    own = dict(zip(pages, own_texts(list(pages.values())), strict=True))
    asked = {
        page_text(p): p for url, p in pages.items() if url not in answered and url not in seeds
    }
    p = classifier.proba(list(asked))
    matcher = KeywordMatcher(keywords)
    rows = [
        (page.url, printable(page.title), p[i], _snippet(own[page.url] or page.text, matcher), text)
        for i, (text, page) in enumerate(asked.items())
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table = table.iloc[np.argsort(np.abs(p - 0.5), kind="stable")]
    excess = table.groupby(table["url"].map(domain)).cumcount() >= per_domain
    return table.iloc[np.argsort(excess, kind="stable")[:n]].reset_index(drop=True)


def own_texts(pages: Sequence[Page]) -> list[str]:
    """Return each page's text without the lines that its site repeats, as menus and footers."""
    lines = [dict.fromkeys(page.text.split("\n")) for page in pages]
    sites = [domain(page.url) for page in pages]
    met = Counter((site, line) for site, of in zip(sites, lines, strict=True) for line in of)
    return [
        "\n".join(line for line in of if met[site, line] < REPEATED)
        for site, of in zip(sites, lines, strict=True)
    ]


def _around(
    web: Web,
    seeds: Sequence[str],
    classifier: RelevanceClassifier,
    fetches: int,
    rng: np.random.Generator,
) -> Iterator[Page]:
    """Yield the seeds' pages, and pages reached from them by promising and by random links."""
    score: dict[str, float] = {}  # of open links, by URL
    seen = set(seeds)
    waiting = list(seeds)
    for _ in range(fetches):
        if not waiting and not score:
            return
        url = waiting.pop(0) if waiting else _next(score, rng)
        try:
            page = web.fetch(url)
        except FetchError:
            continue
        new = {link.url: link for link in page.links if link.url not in seen}
        seen.update(new, [page.url])
        score.update(zip(new, _scores(classifier, list(new.values())), strict=True))
        yield page


def _scores(classifier: RelevanceClassifier, links: list[Link]) -> list[float]:
    return classifier.proba([anchor_text(link) for link in links]).tolist() if links else []


def _next(score: dict[str, float], rng: np.random.Generator) -> str:
    """Take an open link away: the one with the highest score, or any."""
    promising = rng.random() < PROMISING
    url = max(score, key=score.__getitem__) if promising else list(score)[rng.integers(len(score))]
    del score[url]
    return url


def _snippet(text: str, keywords: KeywordMatcher) -> str:
    """Return some of the text, from shortly before its first keyword, or else its beginning."""
    words = list(WORD.finditer(text.lower()))
    places = keywords.starts([word[0] for word in words])
    first = max(0, places[0] - BEFORE) if places else 0
    start = words[first].start() if first else 0
    return printable(("… " if start else "") + text[start : start + SNIPPET])
