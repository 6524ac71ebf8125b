"""What the command line says at a crawl's end: what to look at, and which command goes on."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from shlex import join, quote

import pandas as pd

from tres_lib import topics
from tres_lib.focused.fetcher import Visit
from tres_lib.focused.loop import EMPTY, SPENT
from tres_lib.focused.result import CrawlResult

from ..topic.questions import own_texts
from .folder import CrawlFolder
from .status import visits

SITES_READ_AGAIN = 3
NO_SEED = "no seed could be fetched"
AT_LIMIT = "all domains with links left are at their limit"
DECLINED = "nothing left that the policy would take"


def remarks(folder: CrawlFolder, result: CrawlResult) -> Iterator[str]:
    """Yield what the command can say of a crawl beyond its `CrawlResult.warnings`."""
    if sites := result.whole_sites().index[:SITES_READ_AGAIN].tolist():
        for site, found in _own_relevance(folder, sites).iterrows():
            share = f"{found['relevant']} of {found['pages']} pages"
            yield f"without the lines that {site} repeats, {share} would be relevant"
    if result.stopped == EMPTY:
        yield "no link is left; loosen --allow-domain, --include, --max-depth; more seeds"
    if result.stopped.startswith(DECLINED):
        yield "a new crawl by another --policy, such as best-first, would take the links left"
    limit = folder.options.max_per_domain
    pages = result.log.loc[result.log["step"] > 0, "domain"].value_counts()
    full = pages.index[pages >= limit] if limit else []
    if result.stopped not in (SPENT, EMPTY) and len(full):
        yield (
            f"{full[0]} is at its limit of {limit} pages: a new crawl with a higher "
            "--max-per-domain (0: none) or more seeds finds more, and with --allow-domain "
            f"{full[0]} it stays there"
        )


def what_next(folder: CrawlFolder, result: CrawlResult) -> Iterator[str]:
    """Yield the commands that lead to more pages, if there are any."""
    options, path = folder.options, quote(str(folder.path))
    if result.poor_harvest:
        yield f"anew, with questions: {_anew(folder)}"
    if result.stopped == NO_SEED:
        yield f"again: tres resume {path}, or the same command with other --seeds"
    elif result.stopped == SPENT:
        if not options.sharded:
            yield f"more: tres extend {path} --budget {options.budget}"
    elif not result.stopped.startswith((EMPTY, AT_LIMIT, DECLINED)):
        yield f"to go on: tres resume {path}"


def _own_relevance(folder: CrawlFolder, sites: Iterable[str]) -> pd.DataFrame:
    """Judge the fetched pages of sites again, without lines that a site repeats, as in menus.

    Returns
    -------
    DataFrame
        By site: ``relevant`` and ``pages``.
    """
    log = folder.result().log
    rows = log[(log["step"] > 0) & log["p"].notna() & log["domain"].isin(list(sites))]
    site_of = dict(zip(rows["url"], rows["domain"], strict=True))
    found = (Visit.from_json(json.loads(line)) for line in visits(folder.journals()))
    kept = [(v.url, v.page) for v in found if v.page is not None and v.url in site_of]
    pages = [page for _, page in kept]
    own = [replace(page, text=text) for page, text in zip(pages, own_texts(pages), strict=True)]
    p = pd.Series(folder.classifier().proba([topics.page_text(page) for page in own]))
    of_site = (p >= 0.5).groupby([site_of[url] for url, _ in kept])
    return of_site.agg(relevant="sum", pages="size")


def _anew(folder: CrawlFolder) -> str:
    """Return the command of the same crawl in another folder, with labels and questions."""
    options, labels = folder.options, folder.path / "labels.jsonl"
    if not options.labels and labels.exists():
        options = replace(options, labels=str(labels))
    names = (Path(f"{folder.path}-{n}") for n in count(2))
    other = next(name for name in names if not name.exists())
    return join(["tres", "crawl", *options.words(), "--ask", "--folder", str(other)])
