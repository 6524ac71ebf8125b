"""Questions to a person: pages that a classifier doubts or takes, and the answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.settings import check_seeds
from tres_lib.topics import (
    KeywordMatcher,
    RelevanceClassifier,
    anchor_text,
    as_classifier,
    page_text,
)
from tres_webs.checks import count, generator, instance, members
from tres_webs.page import FetchError, Page, Web
from tres_webs.reader import printable
from tres_webs.urls import domain

from .labels import Labels, as_labels
from .report import snippet

FETCHES = 150  # pages around the seeds, of which the doubtful ones are chosen
PER_DOMAIN = 2  # pages of a registered domain, unless there are too few others
PROMISING = 0.5  # share of the links that the classifier likes best; the others are drawn
REPEATED = 3  # pages of a site from which on a line of theirs is a menu or footer
COLUMNS = ["url", "title", "p", "snippet", "text"]
SHOWN = {"url", "title", "snippet", "text"}  # columns of a table to label
ANSWERS: dict[str, bool | None] = {"y": True, "n": False, "s": None}
PROMPT = "relevant? [y]es, [n]o, [s]kip, [u]ndo, [q]uit: "


def least_sure(
    web: Web,
    seeds: Iterable[str],
    classifier: Any,
    labels: Labels | str | Path | None = None,
    n: int = 20,
    *,
    taken: int = 0,
    fetches: int = FETCHES,
    rng: np.random.Generator | int = 0,
    keywords: Iterable[str] = (),
) -> pd.DataFrame:
    """Fetch pages around the seeds; return those about which the classifier is least sure.

    Half of the links to follow are those that the classifier likes best, half are drawn by `rng`.
    Of a registered domain at most two pages are shown, unless there are too few others.

    Parameters
    ----------
    labels : Labels or path, optional
        Pages with an answer, which are not shown again.
    n, fetches : int
        Pages to return, if there are so many; fetches at most, seeds and failed ones included.
    taken : int
        How many of the n are, by turns with the doubtful ones, those of the highest probability
        instead, of 0.5 or more. Seeds are then shown as well.

    Returns
    -------
    DataFrame
        A row a page, the most doubtful first: ``url``, ``title``, ``p``, ``snippet`` (around the
        first of the `keywords`, without lines that its site repeats) and the ``text`` judged.
    """
    members("web", web, "fetch(url)")
    seeds, rng, classifier = check_seeds(seeds), generator("rng", rng), as_classifier(classifier)
    answered = Labels() if labels is None else as_labels(labels)
    count("n", n)
    count("taken", taken, 0)
    looked_at = around(web, seeds, classifier, count("fetches", fetches), rng)
    pages = list({page.url: page for page in looked_at}.values())
    p = classifier.proba(list(map(page_text, pages)))
    table = question_table(pages, p, keywords).drop_duplicates("text")
    hidden = {label.url for label in answered}.union(() if taken else seeds)
    table = table[~table["url"].isin(hidden)]
    doubtful = _spread(table.iloc[np.argsort(np.abs(table["p"] - 0.5), kind="stable")])
    sure = table[table["p"] >= 0.5].sort_values("p", ascending=False, kind="stable")
    return by_turns(_spread(sure)[:taken], doubtful)[:n]


def question_table(pages: Sequence[Page], p: np.ndarray, keywords: Iterable[str]) -> pd.DataFrame:
    """Return the table of `least_sure` for pages with probabilities p (n,)."""
    matcher = KeywordMatcher(keywords)
    rows = [
        (page.url, printable(page.title), one, snippet(own or page.text, matcher), page_text(page))
        for page, own, one in zip(pages, own_texts(pages), p, strict=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"p": float})


def by_turns(*tables: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each table, then the second ones, each URL once."""
    each = pd.concat([table.reset_index(drop=True) for table in tables])
    return each.sort_index(kind="stable").drop_duplicates("url").reset_index(drop=True)


def _spread(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with those last that are too many of their registered domain."""
    excess = table.groupby(table["url"].map(domain)).cumcount() >= PER_DOMAIN
    return table.iloc[np.argsort(excess, kind="stable")]


def label_in_terminal(
    table: pd.DataFrame,
    labels: Labels | str | Path,
    ask: Callable[[str], str] = input,
    show: Callable[[str], object] = print,
) -> bool:
    """Ask about each page of `least_sure` that has no answer yet; return False after "quit".

    `labels` gets each answer at once; `ask` takes a prompt, `show` a text. "undo" asks once more
    about the page before, which until then counts as skipped.

    Examples
    --------
    >>> import tempfile
    >>> labels = Labels(f"{tempfile.mkdtemp()}/labels.jsonl")
    >>> page = {"url": "http://a.example/", "title": "Jazz", "snippet": "A band", "text": "A band"}
    >>> label_in_terminal(pd.DataFrame([page]), labels, lambda prompt: "y", lambda text: None)
    True
    """
    labels = as_labels(labels)
    waiting, i = _unanswered(table, labels), 0
    while i < len(waiting):
        row = waiting[i]
        show(f"\n{i + 1} of {len(waiting)}  {row['title']}\n{row['url']}\n{row['snippet']}")
        answer = _answer(ask)
        if answer == "q":
            return False
        if answer == "u":
            i = max(i - 1, 0)
            labels.add(waiting[i]["url"], waiting[i]["text"], None)
        else:
            labels.add(row["url"], row["text"], ANSWERS[answer])
            i += 1
    return True


def own_texts(pages: Sequence[Page]) -> list[str]:
    """Return each page's text without the lines that its site repeats, as menus and footers."""
    lines = [(domain(page.url), dict.fromkeys(page.text.split("\n"))) for page in pages]
    met = Counter((site, line) for site, of in lines for line in of)
    return ["\n".join(x for x in of if met[site, x] < REPEATED) for site, of in lines]


def around(
    web: Web,
    seeds: Sequence[str],
    classifier: RelevanceClassifier,
    fetches: int,
    rng: np.random.Generator,
) -> Iterator[Page]:
    """Yield the seeds' pages, and pages reached from them by promising and by random links."""
    score: dict[str, float] = {}  # of open links, by URL
    seen, waiting = set(seeds), list(seeds)
    for _ in range(fetches):
        if not waiting and not score:
            return
        url = waiting.pop(0) if waiting else _next(score, rng)
        try:
            page = web.fetch(url)
        except FetchError:
            continue
        new = {link.url: anchor_text(link) for link in page.links if link.url not in seen}
        seen.update(new, [page.url])
        score.update(zip(new, classifier.proba([*new.values()]).tolist(), strict=True))
        yield page


def _next(score: dict[str, float], rng: np.random.Generator) -> str:
    """Take an open link away: the one with the highest score, or any."""
    promising = rng.random() < PROMISING
    url = max(score, key=score.__getitem__) if promising else list(score)[rng.integers(len(score))]
    del score[url]
    return url


def _unanswered(table: pd.DataFrame, labels: Labels) -> list[dict[str, Any]]:
    instance("table", table, pd.DataFrame)
    if missing := SHOWN - set(table.columns):
        raise ValueError(f"table: has no {', '.join(missing)}; give what least_sure returns")
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    return [row for row in rows if row["url"] not in labels]


def _answer(ask: Callable[[str], str]) -> str:
    """Return "y", "n", "s", "u" or "q"; the end of the input is "q"."""
    try:
        while (answer := ask(PROMPT).strip().lower()[:1]) not in (*ANSWERS, "u", "q"):
            pass
    except EOFError:
        return "q"
    return answer
