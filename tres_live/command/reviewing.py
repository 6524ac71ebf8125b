"""A person's look at the pages that a crawl took: answers that teach it, and an audit of them."""

import json
from collections.abc import Callable
from itertools import count

import numpy as np
import pandas as pd

from tres_lib.store import save_whole
from tres_webs.files import file_lock, remove, write_whole

from ..topic.labels import Labels
from ..topic.own import OwnTopic
from ..topic.questions import by_turns, label_in_terminal, question_table
from .crawling import CrawlFolder
from .status import audit_order, taken

LIKELIEST = 20  # pages that are asked about where none was taken

Ask = Callable[[str], str]  # is given a prompt
Show = Callable[[str], object]


def review(folder: CrawlFolder, ask: Ask, show: Show) -> None:
    """Ask about the pages that were taken, the surest and the least sure by turns.

    Where none was, ask about the likeliest.
    Then all pages are judged again, by what the answers teach. ValueError while the crawl runs, or
    if it has no classifier yet.
    """
    if folder.running:
        raise ValueError(f"{str(folder.path)!r} runs; review it when it has ended")
    log = (result := folder.result()).log
    before = taken(result)
    asked = log[log["p"].notna()].nlargest(LIKELIEST, "p") if before.empty else before
    unsaid = asked[~asked["final_url"].isin(folder.example_urls())]
    table = _questions(folder, unsaid.sort_values("p", ascending=False, kind="stable"))
    own_code = ":" in folder.options.classifier
    if len(table) and not own_code:
        folder.classifier()  # an error comes before the questions
    best = len(table) - len(table) // 2
    label_in_terminal(by_turns(table[:best], table[best:][::-1]), folder.labels(), ask, show)
    if own_code:
        show("your answers count, but your own classifier learns nothing from them")
    elif folder.labels().answers():
        judge_again(folder)
    after = folder.result()
    folder.tabulate(after)
    show(f"{len(before):,} pages were taken, {len(taken(after)):,} are now")


def judge_again(folder: CrawlFolder) -> None:
    """Train on all answers, and judge the pages so far anew; a later run goes on by that.

    Killed, it has changed nothing, or the next who opens the folder ends it. ValueError if another
    process runs this crawl.
    """
    with folder.alone():
        own = OwnTopic.load(folder.model, folder.labels())
        own.train()
        for left in ("judged", "judged-draft"):  # by a review of version 0.2
            remove(folder.path / left)
        save_whole(own, folder.next_model)  # from here on, whoever opens the folder ends this
        try:
            folder.finish_review()
        except ValueError:  # a journal that cannot be told
            remove(folder.next_model)
            raise


def audit(folder: CrawlFolder, n: int, ask: Ask, show: Show) -> None:
    """Ask about n of the pages that were taken, drawn at random, and keep the answers apart.

    They teach nothing, so that `claim` can tell from them how many are relevant. Called again, it
    goes on with the same sample. Of pages taken since it draws a new one, and former answers are
    kept in ``audit-1.jsonl``.
    """
    rows = taken(folder.result()).set_index("final_url", drop=False)
    rng = folder.options.rng
    with file_lock(folder.audit):
        order = audit_order(folder)
        if not set(rows.index) <= set(order):
            order = np.random.default_rng(rng).permutation(rows.index.to_numpy()).tolist()
            if folder.audited.exists():  # of another sample, which may be no part of this one
                names = (folder.path / f"audit-{n}.jsonl" for n in count(1))
                folder.audited.rename(next(name for name in names if not name.exists()))
            write_whole(folder.audit, json.dumps({"rng": rng, "order": order}, indent=1) + "\n")
    sample = rows.loc[[url for url in order if url in rows.index][:n]]
    label_in_terminal(_questions(folder, sample), Labels(folder.audited), ask, show)


def _questions(folder: CrawlFolder, rows: pd.DataFrame) -> pd.DataFrame:
    """Return what to ask about the pages of rows of the log, in the same order."""
    pages = folder.pages()
    chosen = [pages[url] for url in rows["final_url"]]
    return question_table(chosen, rows["p"].to_numpy(), folder.options.base_topic().keywords)
