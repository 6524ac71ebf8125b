"""Pages around seeds: a short walk along links that a classifier likes, and along others."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tres_lib.topics import RelevanceClassifier, anchor_text
from tres_lib.web.page import FetchError, Link, Page, Web
from tres_lib.web.urls import domain

PROMISING = 0.5  # share of the links that the classifier likes best; the others are drawn
REPEATED = 3  # pages of a site on which a line stands that is no page's own


def around(
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


def own_texts(pages: Sequence[Page]) -> list[str]:
    """Return each page's text without the lines that its site repeats, as menus and footers."""
    lines = [dict.fromkeys(page.text.split("\n")) for page in pages]
    sites = [domain(page.url) for page in pages]
    met = Counter((site, line) for site, of in zip(sites, lines, strict=True) for line in of)
    return [
        "\n".join(line for line in of if met[site, line] < REPEATED)
        for site, of in zip(sites, lines, strict=True)
    ]


def _scores(classifier: RelevanceClassifier, links: list[Link]) -> list[float]:
    if not links:
        return []
    return classifier.proba([anchor_text(link) for link in links]).tolist()


def _next(score: dict[str, float], rng: np.random.Generator) -> str:
    """Take an open link away: the one with the highest score, or any."""
    promising = rng.random() < PROMISING
    url = max(score, key=score.__getitem__) if promising else list(score)[rng.integers(len(score))]
    del score[url]
    return url
