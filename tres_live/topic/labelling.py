"""Labels given while looking: the pages that a classifier doubts, a person's answers, and again."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tres_lib import topics
from tres_lib.checks import count, generator, instance, members, texts
from tres_lib.focused.scope import check_seeds
from tres_lib.topics import KeywordMatcher, RelevanceClassifier, page_text
from tres_lib.topics.vectors import WORD
from tres_lib.web.page import Web
from tres_lib.web.reader import printable
from tres_lib.web.topic import Topic, get_topic
from tres_lib.web.urls import domain

from .labels import Labels, as_labels
from .own import own_classifier
from .surroundings import around, own_texts

if TYPE_CHECKING:
    import ipywidgets

FETCHES = 150  # pages around the seeds, of which the doubtful ones are chosen
ROUNDS = 3
SNIPPET = 300  # characters
BEFORE = 15  # words of it before the first keyword
ANSWERS: dict[str, bool | None] = {"y": True, "n": False, "s": None}
SHOWN = ("url", "title", "snippet", "text")  # columns of a table to label
QUESTION = "relevant? [y]es, [n]o, [s]kip, [q]uit: "


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
    web : Web
    seeds : iterable of str
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
    known: Container[str]
    if isinstance(labels, Labels | str | Path):
        known = as_labels(labels)
    else:
        known = texts("labels", labels)
    count("n", n)
    count("fetches", fetches)
    count("per_domain", per_domain)
    classifier = topics.as_classifier(classifier)
    rng = generator("rng", rng)
    pages = {p.url: p for p in around(web, seeds, classifier, fetches, rng)}
    shown = {page_text(p): p for url, p in pages.items() if url not in known and url not in seeds}
    p = classifier.proba(list(shown))
    own = dict(zip(pages, own_texts(list(pages.values())), strict=True))
    matcher = KeywordMatcher(keywords)
    rows = [
        (page.url, printable(page.title), p[i], _snippet(own[page.url] or page.text, matcher), text)
        for i, (text, page) in enumerate(shown.items())
    ]
    table = pd.DataFrame(rows, columns=["url", "title", "p", "snippet", "text"])
    doubt = np.argsort(np.abs(p - 0.5), kind="stable").tolist()
    chosen = _spread(table["url"].tolist(), doubt, per_domain)[:n]
    return table.iloc[chosen].reset_index(drop=True)


def label_in_terminal(
    table: pd.DataFrame,
    labels: Labels | str | Path,
    ask: Callable[[str], str] = input,
    show: Callable[[str], object] = print,
) -> bool:
    """Ask about each page of `least_sure` that has no answer yet; return False after "quit".

    Parameters
    ----------
    table : DataFrame
    labels : Labels or path
        Gets each answer at once.
    ask, show : callable
        Of a prompt, and of a text.

    Examples
    --------
    >>> import tempfile
    >>> labels = Labels(f"{tempfile.mkdtemp()}/labels.jsonl")
    >>> page = {"url": "http://a.example/", "title": "Jazz", "snippet": "A band", "text": "A band"}
    >>> label_in_terminal(pd.DataFrame([page]), labels, lambda prompt: "y", lambda text: None)
    True
    """
    labels = as_labels(labels)
    waiting = _unanswered(table, labels)
    for i, row in enumerate(waiting, 1):
        show(f"\n{i} of {len(waiting)}  {row['title']}\n{row['url']}\n{row['snippet']}")
        answer = _answer(ask)
        if answer not in ANSWERS:
            return False
        labels.add(row["url"], row["text"], ANSWERS[answer])
    return True


def labelling_panel(table: pd.DataFrame, labels: Labels | str | Path) -> ipywidgets.VBox:
    """Return a panel for JupyterLab that asks what `label_in_terminal` asks.

    Parameters
    ----------
    table : DataFrame
        As `least_sure` returns it.
    labels : Labels or path
        Gets each answer at once.

    Raises
    ------
    ValueError
        If ipywidgets is not installed.
    """
    try:
        import ipywidgets
    except ImportError as error:
        remedy = "pip install ipywidgets, or use label_in_terminal"
        raise ValueError(f"labelling_panel: ipywidgets is missing; {remedy}") from error
    labels = as_labels(labels)
    waiting = _unanswered(table, labels)
    page = ipywidgets.HTML()
    styles = {"relevant": "success", "not relevant": "danger", "skip": ""}
    buttons = [ipywidgets.Button(description=d, button_style=s) for d, s in styles.items()]

    def show() -> None:
        page.value = _card(waiting[0], len(waiting)) if waiting else "Done: all have an answer."
        for button in buttons:
            button.disabled = not waiting

    def answer(relevant: bool | None) -> None:
        row = waiting.pop(0)
        labels.add(row["url"], row["text"], relevant)
        show()

    for button, relevant in zip(buttons, ANSWERS.values(), strict=True):
        button.on_click(lambda _, relevant=relevant: answer(relevant))
    show()
    return ipywidgets.VBox([page, ipywidgets.HBox(buttons)])


def teach(
    web: Web,
    seeds: Iterable[str],
    topic: str | Topic,
    labels: Labels | str | Path,
    *,
    rounds: int = ROUNDS,
    n: int = 20,
    kind: str = "svm",
    seed: int = 0,
    ask: Callable[[str], str] = input,
    show: Callable[[str], object] = print,
) -> RelevanceClassifier:
    """Look, label and retrain, three times; return the last classifier.

    Called again, with the same file of labels, it goes on where it was left, or begins again if
    all rounds were whole.

    Parameters
    ----------
    web, seeds, labels, n, ask, show
        See `least_sure` and `label_in_terminal`.
    topic, kind, seed
        See `tres_live.own_classifier`.
    rounds : int
        It ends with `rounds` times `n` answers, or a multiple of that if there were as many; after
        "quit"; or if there are no other pages.

    Examples
    --------
    A program answers here; without `ask` and `show` a person does, in a terminal.

    >>> import tempfile
    >>> from tres_lib.web import ReplayWeb
    >>> start, shown = "http://a.example/", []
    >>> small = {start: "<a href=/b>Wein</a> <a href=/c>Steuern</a>"}
    >>> small |= {f"{start}b": "Der Winzer keltert Wein", f"{start}c": "Der Staat erhebt Steuern"}
    >>> wine = Topic("wine", ["Wein", "Traube"], examples=["Die Trauben für den Wein sind reif"])
    >>> labels = Labels(f"{tempfile.mkdtemp()}/labels.jsonl")
    >>> classifier = teach(
    ...     ReplayWeb.from_pages(small), [start], wine, labels, rounds=1, n=2,
    ...     ask=lambda question: "yes" if "Wein" in shown[-1] else "no", show=shown.append)
    >>> sorted((label.url, label.relevant) for label in labels)
    [('http://a.example/b', True), ('http://a.example/c', False)]
    >>> classifier.proba(["Rotwein und Weisswein, der Wein der Winzer"]) >= 0.5
    array([ True])
    """
    members("web", web, "fetch(url)")
    seeds = check_seeds(seeds)
    topic = get_topic(topic)
    labels = as_labels(labels)
    count("rounds", rounds)
    count("n", n)
    wanted = (len(labels) // (rounds * n) + 1) * rounds * n
    while True:
        show(f"training the classifier, with {len(labels)} answers")
        classifier = own_classifier(topic, kind, seed, labels=labels)
        missing = wanted - len(labels)
        if missing <= 0:
            return classifier
        size = missing % n or n  # the rest of a round that was left
        show(f"fetching {FETCHES} pages at most, to find {size} that the classifier doubts")
        table = least_sure(web, seeds, classifier, labels, size, rng=seed, keywords=topic.keywords)
        if table.empty:
            show("no page without an answer was found; name more seeds to be asked more")
            return classifier
        if not label_in_terminal(table, labels, ask, show):
            return own_classifier(topic, kind, seed, labels=labels)


def _snippet(text: str, keywords: KeywordMatcher) -> str:
    """Return some of the text, from shortly before its first keyword, or else its beginning."""
    words = list(WORD.finditer(text.lower()))
    found = keywords.starts([word[0] for word in words])
    first = max(0, found[0] - BEFORE) if found else 0
    start = words[first].start() if first else 0
    return printable(("… " if start else "") + text[start : start + SNIPPET])


def _spread(urls: Sequence[str], order: Sequence[int], per_domain: int) -> list[int]:
    """Return the order, with what exceeds a domain's number moved to the end."""
    taken: Counter[str] = Counter()
    first: list[int] = []
    last: list[int] = []
    for i in order:
        home = domain(urls[i])
        taken[home] += 1
        (first if taken[home] <= per_domain else last).append(i)
    return first + last


def _unanswered(table: pd.DataFrame, labels: Labels) -> list[dict[str, Any]]:
    instance("table", table, pd.DataFrame)
    missing = [name for name in SHOWN if name not in table]
    if missing:
        raise ValueError(f"table: has no {', '.join(missing)}; give what least_sure returns")
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    return [row for row in rows if row["url"] not in labels]


def _answer(ask: Callable[[str], str]) -> str:
    """Return "y", "n", "s" or "q"; the end of the input is "q"."""
    while True:
        try:
            answer = ask(QUESTION).strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in (*ANSWERS, "q"):
            return answer


def _card(row: dict[str, Any], left: int) -> str:
    """Return a page as HTML, in which nothing of it is markup."""
    title, url, snippet = (html.escape(str(row[name])) for name in ("title", "url", "snippet"))
    return f"<b>{title}</b> ({left} left)<br><small>{url}</small><p>{snippet}</p>"
