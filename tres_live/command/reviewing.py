"""A person's look at the pages that a crawl took: answers that teach it, and an audit of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tres_lib.store import whole_file

from ..topic.labels import Labels
from ..topic.questions import by_turns, label_in_terminal, question_table
from .crawling import CrawlFolder
from .status import audit_order, taken

if TYPE_CHECKING:
    import pandas as pd

Ask = Callable[[str], str]  # is given a prompt
Show = Callable[[str], object]


def review(folder: CrawlFolder, ask: Ask, show: Show) -> None:
    """Ask about the pages that were taken, the surest and the least sure by turns.

    Then all pages are judged again, by what the answers teach. ValueError while the crawl runs, or
    if it has no classifier yet.
    """
    if folder.running:
        raise ValueError(f"{str(folder.path)!r} runs; review it when it has ended")
    before = taken(folder.result())
    table = _questions(folder, before.sort_values("p", ascending=False, kind="stable"))
    if len(table):
        folder.classifier()  # an error comes before the questions
    best = len(table) - len(table) // 2
    label_in_terminal(by_turns(table[:best], table[best:][::-1]), folder.labels(), ask, show)
    if ":" in folder.options.classifier:
        show("your answers count, but your own classifier learns nothing from them")
    elif folder.labels().answers():
        folder.judge_again()
    show(f"{len(before):,} pages were taken, {len(taken(folder.result())):,} are now")


def audit(folder: CrawlFolder, n: int, ask: Ask, show: Show) -> None:
    """Ask about n of the pages that were taken, drawn at random, and keep the answers apart.

    They teach nothing, so that `claim` can tell from them how many are relevant. Called again, it
    goes on with the same sample. Of pages taken since it draws a new one, and former answers are
    kept in ``audit-1.jsonl``.
    """
    rows = taken(folder.result()).set_index("final_url", drop=False)
    order, rng = audit_order(folder), folder.options.rng
    if not set(rows.index) <= set(order):
        order = np.random.default_rng(rng).permutation(rows.index.to_numpy()).tolist()
        if folder.audited.exists():  # of another sample, which may be no part of this one
            n_former = sum(1 for _ in folder.path.glob("audit-*.jsonl"))
            folder.audited.rename(folder.path / f"audit-{n_former + 1}.jsonl")
        with whole_file(folder.audit) as draft:
            text = json.dumps({"rng": rng, "order": order}, indent=1)
            draft.write_text(text + "\n", encoding="utf-8")
    sample = rows.loc[[url for url in order if url in rows.index][:n]]
    label_in_terminal(_questions(folder, sample), Labels(folder.audited), ask, show)


def _questions(folder: CrawlFolder, rows: pd.DataFrame) -> pd.DataFrame:
    """Return what to ask about the pages of rows of the log, in the same order."""
    pages = folder.pages()
    chosen = [pages[url] for url in rows["final_url"]]
    return question_table(chosen, rows["p"].to_numpy(), folder.options.base_topic().keywords)
