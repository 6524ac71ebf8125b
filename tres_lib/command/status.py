"""How a crawl in a folder stands: its figures, and the links that are left."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from ..focused import CrawlResult
    from .folder import CrawlFolder

SOME_SECONDS = 1.0  # before which a rate says nothing


def figures(folder: CrawlFolder, stage: str) -> dict[str, Any]:
    """Return figures of the crawl as it stands, a value a line of ``tres status``."""
    result = folder.result()
    log = result.log[result.log["step"] > 0]
    reasons = result.log["reason"].str.replace(r"http\S+", "another page", regex=True)
    sites = result.log["domain"].nunique()
    errors = reasons[reasons != ""].value_counts().head(5)
    seconds = result.log["seconds"].max() if len(result.log) else 0.0
    return {
        "state": stage,
        "topic": folder.options.topic,
        "policy": folder.options.policy,
        "pages": f"{fetched(folder, result):,} of {folder.options.budget + folder.extra:,}",
        "harvest rate": _percent(log["reward"]),
        "last 100 pages": _percent(log["reward"].tail(100)),
        "domains": f"{sites:,}, with relevant pages {result.domains:,}",
        "pages a second": f"{len(result.log) / seconds:.1f}" if seconds >= SOME_SECONDS else "-",
        "links left": f"{len(open_links(folder, result)):,}" if len(result.log) else "-",
        "errors": "; ".join(f"{n} {why}" for why, n in errors.items()) or "none",
    }


def fetched(folder: CrawlFolder, result: CrawlResult) -> int:
    """Return the number of pages so far, without the seeds; of shards by their journals as well."""
    steps = int((result.log["step"] > 0).sum())
    if not folder.options.sharded:
        return steps
    return max(steps, sum(1 for _ in folder.visits()) - len(folder.options.seeds))


def open_links(folder: CrawlFolder, result: CrawlResult) -> list[str]:
    """Return the links in scope on the pages so far that were not fetched, each URL once."""
    log = result.log
    known = {*log["url"], *log["final_url"]}
    depths = log.set_index("url")["depth"].to_dict()
    others = set(log.loc[log["reason"] != "", "url"])  # such as copies: their links do not count
    scope = folder.options.scope()
    found: dict[str, None] = {}
    for line in folder.visits():
        with suppress(ValueError):  # a line that is not whole
            visit = json.loads(line)
            if (page := visit.get("url")) in others:
                continue
            depth = depths.get(page, -1) + 1
            for url, _ in visit.get("links", ()):
                if url not in known and (scope is None or scope.follows(url, depth)):
                    found[url] = None
    return list(found)


def _percent(rewards: pd.Series) -> str:
    return f"{100 * rewards.mean():.1f} %" if len(rewards) else "-"
