"""A topic of one's own: from what a person types to the topic, classifier and table of a crawl."""

import json
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tres_lib import topics
from tres_lib.checks import count, members
from tres_lib.checks import texts as check_texts
from tres_lib.focused.scope import check_seeds
from tres_lib.store import whole_file
from tres_lib.topics.vectors import UNSPACED, fold
from tres_lib.web.page import FetchError, Web
from tres_lib.web.reader import printable
from tres_lib.web.topic import Topic

SHORTEST_EXAMPLE = 5  # words; shorter ones are mostly a longer text cut at its commas
STEM = 5  # letters at the beginning of a keyword by which a seed is told to mention it

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What a person asks for, as `read_request` returns it.

    Attributes
    ----------
    topic : str
    keywords, seeds, examples : tuple of str
        Words; canonical URLs; and URLs or texts of relevant pages.
    named : bool
        Whether the person named the examples; else the seeds serve.
    """

    topic: str
    keywords: tuple[str, ...]
    seeds: tuple[str, ...]
    examples: tuple[str, ...]
    named: bool = True


def read_request(
    topic: str,
    keywords: str | Iterable[str],
    seeds: str | Iterable[str],
    examples: str | Iterable[str] = (),
) -> Request:
    """Check what a person typed; ValueError if it is not as described.

    Parameters
    ----------
    topic : str
    keywords, seeds, examples : str or iterable of str
        Two keywords or more; URLs, at least one, of relevant pages to start from; relevant pages
        to learn from, as URLs or as texts of five words or more (default: the seeds). A string is
        split at line ends, or else commas.

    Examples
    --------
    >>> request = read_request("jazz", "jazz, saxophone", "http://a.example/jazz")
    >>> request.keywords, request.examples
    (('jazz', 'saxophone'), ('http://a.example/jazz',))
    """
    for name, typed in {"keywords": keywords, "seeds": seeds, "examples": examples}.items():
        if not isinstance(typed, str):
            check_texts(name, typed)
    words = as_list(keywords)
    texts = as_list(examples)
    urls = check_seeds(as_list(seeds))
    if len(words) < 2:
        raise ValueError(f"keywords={words!r}: give two words or more that describe the topic")
    for text in texts:
        n_words = len(text.split()) + len(UNSPACED.findall(text))
        if not _is_url(text) and n_words < SHORTEST_EXAMPLE:
            raise ValueError(
                f"examples: {text!r} is neither a URL nor a text of {SHORTEST_EXAMPLE} words; "
                "texts with commas go on lines of their own, or into a list"
            )
    return Request(topic, tuple(words), tuple(urls), tuple(texts or urls), bool(texts))


def as_list(value: str | Iterable[str]) -> list[str]:
    """Return the items of a list, or of a text split at its line ends, or else at its commas."""
    if isinstance(value, str):
        value = re.split("\n" if "\n" in value.strip() else "[,，、]", value)
    return [item.strip() for item in value if item.strip()]


def learn_topic(request: Request, web: Web, kept_in: str | Path) -> Topic:
    """Return the topic, with the texts of its examples; ValueError if no example has a text.

    A seed that no one named an example, and that mentions no keyword, is left out with a warning.

    Parameters
    ----------
    request : Request
    web : Web
        Asked only for what `kept_in` lacks, so that a resumed crawl learns from the same texts.
    kept_in : path
        JSON file of the examples' texts by URL, made or added to.
    """
    path = Path(kept_in)
    texts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    why = "empty pages"
    for url in filter(_is_url, request.examples):
        if url not in texts:
            try:
                texts[url] = topics.page_text(web.fetch(url))
            except FetchError as error:
                why = printable(str(error.reason))
                kind = "seed" if url in request.seeds else "example"
                logger.warning("%s %s is left out of the examples: %s", kind, url, why)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as draft:
        draft.write_text(json.dumps(texts, indent=1), encoding="utf-8")
    found = [texts.get(item, "") if _is_url(item) else item for item in request.examples]
    if not any(text.strip() for text in found):
        private = "private address" in why
        remedy = "allow it by --intranet (allow_private=)" if private else "give others, or texts"
        source = "examples" if request.named else "seeds"
        raise ValueError(f"{source}: none has a text ({why}); {remedy}")
    if not request.named:
        found = [
            text if _mentions(text, request.keywords, url) else ""
            for url, text in zip(request.seeds, found, strict=True)
        ]
    return Topic(request.topic, request.keywords, examples=tuple(filter(str.strip, found)))


def first_look(web: Web, seeds: Sequence[str], classifier: Any, n: int = 4) -> pd.DataFrame:
    """Classify a few pages, for a person to check before a long crawl.

    Parameters
    ----------
    web, seeds, classifier
        See `crawl`. The first three seeds are fetched, and `n` pages that each of them links to.
    n : int

    Returns
    -------
    DataFrame
        One row per page: ``p``, ``verdict`` ("relevant", "irrelevant", or why the fetch failed),
        ``title`` and ``url``.
    """
    members("web", web, "fetch(url)")
    classifier = topics.as_classifier(classifier)
    seeds = check_texts("seeds", seeds, least=1)
    count("n", n)
    waiting = seeds[:3]
    rows = []
    for url in waiting:
        try:
            page = web.fetch(url)
        except FetchError as error:
            rows.append((np.nan, printable(str(error.reason)), "", url))
            continue
        if url in seeds[:3]:
            links = list(dict.fromkeys(link.url for link in page.links if link.url not in waiting))
            waiting += links[:: max(1, len(links) // n)][:n]
        p = float(classifier.proba([topics.page_text(page)])[0])
        rows.append((p, "relevant" if p >= 0.5 else "irrelevant", printable(page.title), url))
    return pd.DataFrame(rows, columns=["p", "verdict", "title", "url"])


def _mentions(text: str, keywords: Iterable[str], url: str) -> bool:
    """Return whether a seed's text, if any, has a keyword or its beginning; else warn."""
    folded = fold(text)
    known = any(fold(word)[:STEM] in folded for word in keywords)
    if text.strip() and not known:
        remedy = "it is no example (if it is relevant, name it under examples)"
        logger.warning("seed %s mentions no keyword: %s", url, remedy)
    return known


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))
