"""A person's look at the pages that a crawl took: answers that teach it, and an audit of them."""

import json
from collections.abc import Callable
from itertools import count

import numpy as np
import pandas as pd

from tres_lib.store import save_whole
from tres_webs.files import file_lock, remove, write_whole

from ..reporting import Crawled
from ..topic.labels import Labels, by_turns, label_in_terminal, question_table
from ..topic.own import OwnTopic
from .crawling import classifier, example_urls, finish_review, so_far, tabulate
from .options import Folder

LIKELIEST = 20  # pages that are asked about where none was taken

Ask = Callable[[str], str]  # is given a prompt
Show = Callable[[str], object]


def review(folder: Folder, ask: Ask, show: Show) -> Crawled:
    """Ask about pages that were taken, or else the likeliest, and judge all by the answers."""
    if folder.running:
        raise ValueError(f"{str(folder.path)!r} runs; review it when it has ended")
    before = so_far(folder)
    log, asked = before.result.log, before.taken
    if asked.empty:
        asked = log[log["p"].notna()].nlargest(LIKELIEST, "p")
    unsaid = asked[~asked["final_url"].isin(example_urls(folder))]
    table = _questions(before, unsaid.sort_values("p", ascending=False, kind="stable"))
    own_code = ":" in folder.options.classifier
    if len(table) and not own_code:
        classifier(folder)  # an error comes before the questions
    best, labels = len(table) - len(table) // 2, Labels(folder.labels)
    label_in_terminal(by_turns(table[:best], table[best:][::-1]), labels, ask, show)
    if own_code:
        show("your answers count, but your own classifier learns nothing from them")
    elif labels.answers():
        judge_again(folder)
    after = so_far(folder)
    tabulate(after)
    show(f"{len(before.taken):,} pages were taken, {len(after.taken):,} are now")
    return after


def judge_again(folder: Folder) -> None:
    """Train on all answers, and judge the pages so far anew; a later run goes on by that."""
    with folder.alone():
        own = OwnTopic.load(folder.model, Labels(folder.labels))
        own.train()
        for left in ("judged", "judged-draft"):  # by a review of version 0.2
            remove(folder.path / left)
        save_whole(own, folder.next_model)  # from here on, whoever opens the folder ends this
        try:
            finish_review(folder)
        except ValueError:  # a journal that cannot be told
            remove(folder.next_model)
            raise


def audit(folder: Folder, n: int, ask: Ask, show: Show) -> Crawled:
    """Ask about n of the pages that were taken, drawn at random, and keep the answers apart.

    They teach nothing. Called again, it goes on with the same sample, unless more was taken.
    """
    rng = folder.options.rng
    with file_lock(folder.audit):
        now = so_far(folder)
        rows, order = now.taken.set_index("final_url", drop=False), now.sample
        if not set(rows.index) <= set(order):
            order = np.random.default_rng(rng).permutation(rows.index.to_numpy()).tolist()
            if folder.audited.exists():  # of another sample, which may be no part of this one
                names = (folder.path / f"audit-{n}.jsonl" for n in count(1))
                folder.audited.rename(next(name for name in names if not name.exists()))
            write_whole(folder.audit, json.dumps({"rng": rng, "order": order}, indent=1) + "\n")
    sample = rows.loc[[url for url in order if url in rows.index][:n]]
    label_in_terminal(_questions(now, sample), Labels(folder.audited), ask, show)
    return so_far(folder)


def _questions(crawled: Crawled, rows: pd.DataFrame) -> pd.DataFrame:
    """Return what to ask about the pages of rows of the log, in the same order."""
    there = crawled.pages(set(rows["url"]))
    chosen = [there[url] for url in rows["url"]]
    return question_table(chosen, rows["p"].to_numpy(), crawled.options.base_topic().keywords)
