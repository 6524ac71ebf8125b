"""Asking a person about pages: in a terminal, or on a panel in JupyterLab."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tres_lib.checks import instance

from .labels import Labels, as_labels

if TYPE_CHECKING:
    import ipywidgets

ANSWERS: dict[str, bool | None] = {"y": True, "n": False, "s": None}
COLUMNS = ("url", "title", "snippet", "text")  # of a table to label
QUESTION = "relevant? [y]es, [n]o, [s]kip, [q]uit: "


def label_in_terminal(
    table: pd.DataFrame,
    labels: Labels | str | Path,
    ask: Callable[[str], str] = input,
    show: Callable[[str], object] = print,
) -> bool:
    """Ask about each page of `least_sure` that has no answer yet; return False after "quit".

    `labels` gets each answer at once; `ask` takes a prompt, `show` a text.

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
    """Return a panel that asks about each page of `least_sure`; ValueError without ipywidgets."""
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


def _unanswered(table: pd.DataFrame, labels: Labels) -> list[dict[str, Any]]:
    instance("table", table, pd.DataFrame)
    missing = [name for name in COLUMNS if name not in table]
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
