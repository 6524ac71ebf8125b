"""The rounds of a crawl, from the first to the last: orders to the shards, and their reports."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.result import make_log

from .cluster import Cluster, Here
from .shard import Order, Report
from .worker import Job, write_order


def play_all(
    job: Job,
    where: Here | Cluster,
    sizes: np.ndarray,
    progress: bool,
    on_row: Callable[[dict[str, Any]], object] | None,
) -> tuple[pd.DataFrame, pd.DataFrame, Ending]:
    """Play all rounds; return the log, the table of rounds, and why they ended."""
    log: list[dict[str, Any]] = []
    table: list[dict[str, int]] = []
    teacher = ending = None
    orders = [Order(0, []) for _ in range(job.shards)]
    left, number = int(sizes.sum()), 0
    hidden = None if progress else True  # False would override the variable TQDM_DISABLE
    with tqdm(total=left, unit="page", desc="crawl", disable=hidden) as bar:
        while ending is None:
            if job.folder is not None:
                for shard, order in enumerate(orders):
                    write_order(job, shard, number, order)
            reports = where.rounds(job, number, orders)
            table += _rows(number, orders, reports)
            for row in _in_turn(number, reports, int(sizes.sum()) - left):
                log.append(row)
                if on_row:
                    on_row(row)
            fetched = sum(report.fetched for report in reports)
            bar.update(fetched)
            left, number = left - fetched, number + 1
            ending = next((report.stopped for report in reports if report.stopped), None)
            if ending is None and not left:
                ending = Ending(Stop.SPENT)
            if ending is None:
                teacher = teacher or next((r.teacher for r in reports if r.teacher), None)
                size = min(left, int(sizes[min(number, len(sizes)) - 1]))
                orders = _orders(size, reports, teacher)
                if not any(order.budget for order in orders):
                    ending = _why_nothing(reports)
    made = {name: np.array([row[name] for row in log], np.int64) for name in ("shard", "round")}
    return make_log(log).assign(**made), pd.DataFrame(table), ending


def round_sizes(budget: int, rounds: int) -> np.ndarray:
    """Return the fetches of each round, (n,) int64: short ones first, n <= rounds of them.

    After k of n rounds a share (k / n)^2 of the budget is spent: new links, and weights fitted to
    few pages, help the other shards most early on.

    Examples
    --------
    >>> round_sizes(1_000, 5)
    array([ 40, 120, 200, 280, 360])
    """
    spent = np.rint(budget * (np.arange(rounds + 1) / rounds) ** 2).astype(np.int64)
    sizes = np.diff(spent)
    return sizes[sizes > 0]


def divide(budget: int, relevant: np.ndarray, fetched: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Share out a round's fetches by the shards' harvest in the last one, (n,) int64.

    A shard gets them in proportion to (relevant + 1) / (fetched + 2), its harvest rate with one
    relevant and one other page added, but not more than it has links; what is over goes to the
    others in the same way.

    Examples
    --------
    >>> divide(60, np.array([9, 4, 0]), np.array([8, 8, 8]) + 1, np.array([100, 5, 100]))
    array([50,  5,  5])
    """
    rate = (relevant + 1) / (fetched + 2)
    shares = np.zeros(len(links), np.int64)
    while (left := budget - shares.sum()) > 0 and (open_ := shares < links).any():
        part = left * np.where(open_, rate, 0) / rate[open_].sum()
        whole = np.floor(part).astype(np.int64)
        largest = np.argsort(whole - part, kind="stable")[: left - whole.sum()]
        whole[largest] += 1
        shares = np.minimum(shares + whole, links)
    return shares


def _why_nothing(reports: list[Report]) -> Ending:
    endings = [report.rests for report in reports if report.rests and report.fetched]
    endings += [r.nothing for r in reports if r.nothing.stop is not Stop.EMPTY]
    return endings[0] if endings else Ending(Stop.EMPTY)


def _orders(size: int, reports: list[Report], teacher: Any) -> list[Order]:
    """Return what each shard is to do next, from what all did in the last round."""
    lessons = [report.lesson for report in reports if report.lesson is not None]
    advice = teacher.teach(lessons) if teacher is not None and lessons else None
    mail = [
        [letter for report in reports for letter in report.letters.get(shard, [])]
        for shard in range(len(reports))
    ]
    arrived = [sum(len(letter.links) for letter in letters) for letters in mail]
    relevant, fetched, links = np.array([(r.relevant, r.fetched, r.links) for r in reports]).T
    rests = np.array([report.rests is not None for report in reports])
    open_ = arrived + np.where(rests, 0, links)
    if not open_.any() and (links[fetched == 0] > 0).any():
        # The last try of all that rest, in one round, so that the same call can repeat it.
        open_ = links
    budgets = divide(size, relevant, fetched, open_)
    return [Order(int(n), letters, advice) for n, letters in zip(budgets, mail, strict=True)]


def _rows(number: int, orders: list[Order], reports: list[Report]) -> list[dict[str, int]]:
    return [
        {
            "round": number,
            "shard": shard,
            "budget": order.budget,
            "fetched": report.fetched,
            "relevant": report.relevant,
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
