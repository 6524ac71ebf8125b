"""How a crawl in a folder stands: its figures, and the links that are left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import CrawlOptions

if TYPE_CHECKING:
    import pandas as pd

    from tres_lib.focused import CrawlResult

SOME_SECONDS = 1.0  # before which a rate says nothing


def figures(
    options: CrawlOptions, result: CrawlResult, journals: Sequence[Path], extra: int
) -> dict[str, Any]:
    """Return figures of the crawl as it stands, a value a line of ``tres status``."""
    log = result.log[result.log["step"] > 0]
    reasons = result.log["reason"].str.replace(r"http\S+", "another page", regex=True)
    sites = result.log["domain"].nunique()
    errors = reasons[reasons != ""].value_counts().head(5)
    seconds = result.log["seconds"].max() if len(result.log) else 0.0
    left = f"{len(open_links(options, result, journals)):,}" if len(result.log) else "-"
    pages = fetched(options, result, journals)
    # A shard's rows come at the end of a round.
    part = {"in whole rounds": f"{len(log):,} of these, told of below"} if len(log) < pages else {}
    return {
        "state": result.stopped,
        "topic": options.topic,
        "policy": options.policy,
        "pages": f"{pages:,} of {options.budget + extra:,}",
        **part,
        "harvest rate": _percent(log["reward"]),
        "last 100 pages": _percent(log["reward"].tail(100)),
        "domains": f"{sites:,}, with relevant pages {result.domains:,}",
        "pages a second": f"{len(result.log) / seconds:.1f}" if seconds >= SOME_SECONDS else "-",
        "links left": left,
        "errors": "; ".join(f"{n} {why}" for why, n in errors.items()) or "none",
    }


def fetched(options: CrawlOptions, result: CrawlResult, journals: Sequence[Path]) -> int:
    """Return the number of pages so far, without the seeds; of shards by their journals as well."""
    steps = int((result.log["step"] > 0).sum())
    if not options.sharded:
        return steps
    return max(steps, sum(1 for _ in visits(journals)) - len(options.seeds))


def open_links(options: CrawlOptions, result: CrawlResult, journals: Sequence[Path]) -> list[str]:
    """Return the links in scope on the pages so far that were not fetched, each URL once."""
    log = result.log
    known = {*log["url"], *log["final_url"]}
    depths = log.set_index("url")["depth"].to_dict()
    others = set(log.loc[log["reason"] != "", "url"])  # such as copies: their links do not count
    scope = options.scope()
    found: dict[str, None] = {}
    for line in visits(journals):
        with suppress(ValueError):  # a line that is not whole
            visit = json.loads(line)
            if (page := visit.get("url")) in others:
                continue
            depth = depths.get(page, -1) + 1
            for url, _ in visit.get("links", ()):
                if url not in known and (scope is None or scope.follows(url, depth)):
                    found[url] = None
    return list(found)


def visits(journals: Sequence[Path]) -> Iterator[bytes]:
    """Yield a line for each page fetched, journal by journal."""
    return chain.from_iterable(map(lines, journals))


def lines(journal: Path) -> Iterator[bytes]:
    """Yield the lines of a journal after its header."""
    if journal.exists():
        with open(journal, "rb") as file:
            yield from islice(file, 1, None)


def _percent(rewards: pd.Series) -> str:
    return f"{100 * rewards.mean():.1f} %" if len(rewards) else "-"
