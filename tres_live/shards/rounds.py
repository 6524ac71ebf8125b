"""The rounds of a crawl, from the first to the last: orders to the shards, and their reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tres_lib.focused.loop import EMPTY, SPENT
from tres_lib.focused.result import make_log

from .budgets import divide
from .places import Cluster, Here
from .worker import Job, Order, Report, write_order

if TYPE_CHECKING:
    import pandas as pd


def play_all(
    job: Job,
    where: Here | Cluster,
    sizes: np.ndarray,
    progress: bool,
    on_row: Callable[[dict[str, Any]], object] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Play all rounds; return the log, the table of rounds, and why they ended."""
    import pandas as pd
    from tqdm.auto import tqdm

    log: list[dict[str, Any]] = []
    table: list[dict[str, int]] = []
    teacher = None
    orders = [Order(0, []) for _ in range(job.shards)]
    left, number, stopped = int(sizes.sum()), 0, ""
    shown = {} if progress else {"disable": True}
    with tqdm(total=left, unit="page", desc="crawl", **shown) as bar:
        while not stopped:
            reports = _round(job, where, number, orders)
            table += _rows(number, orders, reports)
            for row in _in_turn(number, reports, int(sizes.sum()) - left):
                log.append(row)
                if on_row is not None:
                    on_row(row)
            fetched = sum(report.fetched for report in reports)
            bar.update(fetched)
            left, number = left - fetched, number + 1
            stopped = _why_stopped(reports) or SPENT * (not left)
            if not stopped:
                teacher = teacher or next((r.teacher for r in reports if r.teacher), None)
                size = min(left, int(sizes[min(number, len(sizes)) - 1]))
                orders = _orders(size, reports, teacher)
                if not any(order.budget for order in orders):
                    stopped = _why_nothing(reports)
    made = {name: np.array([row[name] for row in log], np.int64) for name in ("shard", "round")}
    return make_log(log).assign(**made), pd.DataFrame(table), stopped


def _why_stopped(reports: list[Report]) -> str:
    return next((report.stopped for report in reports if report.stopped), "")


def _why_nothing(reports: list[Report]) -> str:
    told = [report.rests for report in reports if report.rests and report.fetched]
    told += [report.nothing for report in reports if report.nothing != EMPTY]
    return told[0] if told else EMPTY


def _round(job: Job, where: Here | Cluster, number: int, orders: list[Order]) -> list[Report]:
    if job.folder is not None:
        for shard, order in enumerate(orders):
            write_order(job, shard, number, order)
    return where.rounds(job, number, orders)


def _orders(size: int, reports: list[Report], teacher: Any) -> list[Order]:
    """Return what each shard is to do next, from what all did in the last round."""
    lessons = [report.lesson for report in reports if report.lesson is not None]
    advice = teacher.teach(lessons) if teacher is not None and lessons else None
    mail = [
        [letter for report in reports for letter in report.letters.get(shard, [])]
        for shard in range(len(reports))
    ]
    came = [sum(len(letter.links) for letter in letters) for letters in mail]
    found, fetched, links = np.array([(r.found, r.fetched, r.links) for r in reports]).T
    rests = np.array([bool(report.rests) for report in reports])
    open_ = came + np.where(rests, 0, links)
    if not open_.any() and (links[fetched == 0] > 0).any():
        # The last try of all that rest, in one round, so that the same call can repeat it.
        open_ = links
    budgets = divide(size, found, fetched, open_)
    return [Order(int(n), letters, advice) for n, letters in zip(budgets, mail, strict=True)]


def _rows(number: int, orders: list[Order], reports: list[Report]) -> list[dict[str, int]]:
    return [
        {
            "round": number,
            "shard": shard,
            "budget": order.budget,
            "fetched": report.fetched,
            "relevant": report.found,
            "links": report.links,
            "sent": sum(len(x.links) for mail in report.letters.values() for x in mail),
            "bytes": len(json.dumps([list(report.letters.values()), report.lesson])),
        }
        for shard, (order, report) in enumerate(zip(orders, reports, strict=True))
    ]


def _in_turn(number: int, reports: list[Report], steps: int) -> Iterator[dict[str, Any]]:
    """Yield a round's rows, in turn from each shard, after so many steps of the rounds before."""
    places = sorted((i, shard) for shard, r in enumerate(reports) for i in range(len(r.rows)))
    for step, (i, shard) in enumerate(places, steps + 1):
        row = reports[shard].rows[i]
        yield row | {"step": row["step"] and step, "shard": shard, "round": number}
