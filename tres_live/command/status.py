"""How a crawl in a folder stands: its figures, and what comes next."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count, takewhile
from pathlib import Path
from shlex import join, quote
from textwrap import shorten
from typing import Any

import pandas as pd

from tres_lib import topics
from tres_lib.focused import CrawlResult, Stop
from tres_webs.files import read_file
from tres_webs.page import Link

from .. import advice
from ..topic.labels import Labels
from ..topic.left import Left, relevant_left
from ..topic.questions import own_texts
from .crawling import CrawlFolder

INDENT, LONGEST_REASON = 15, 60  # characters of a name, and of an error
SOME_SECONDS = 1.0  # before which a rate says nothing
SITES_READ_AGAIN = 3
ANOTHER = "a new crawl by another --policy, such as best-first, would take the links left"
ORDERLY = (Stop.SPENT, Stop.EMPTY, Stop.AT_LIMIT, Stop.DECLINED, Stop.DRY)  # nothing to resume
REMEDIES = {
    Stop.FAILING: "look whether the network is there and the hosts answer",
    Stop.UNWRITTEN: "look whether the disk is full or the folder read-only",
    Stop.ERROR: "crawl.log has the error; mend its cause",
    Stop.EMPTY: "no link is left; `tres extend` with another --allow-domain, --include or "
    "--max-depth may find more, or a new crawl with more seeds",
    **dict.fromkeys((Stop.DECLINED, Stop.DRY), ANOTHER),
}
USED_UP = 0.1  # relevant pages left over those taken, at most, where a topic looks used up
MANY_OF_A_SITE, MOST = 40, 0.8  # pages of a site, and the share from which they are doubtful


def figures(folder: CrawlFolder, result: CrawlResult, left: Left) -> dict[str, Any]:
    """Return figures of the crawl so far, a value a line of ``tres status``."""
    options = folder.options
    log = result.log[result.log["step"] > 0]
    reasons = result.log["reason"].str.replace(r"http\S+", "another page", regex=True)
    errors = reasons[reasons != ""].value_counts().head(5)
    listed = [f"{n} {shorten(why, LONGEST_REASON, placeholder=' …')}" for why, n in errors.items()]
    seconds = result.log["seconds"].max() if len(result.log) else 0.0
    near = int((log["copy_of"] != "").sum())
    copies = {"near-copies": f"{near:,} relevant pages, not counted"} if near else {}
    return {
        "state": folder.state(),
        "topic": options.topic,
        "policy": options.policy,
        "pages": f"{len(log):,} of {options.budget:,}",
        "harvest rate": _percent(log["reward"]),
        "last 100 pages": _percent(log["reward"].tail(100)),
        **copies,
        "domains": f"{result.log['domain'].nunique():,}, with relevant pages {result.domains:,}",
        "pages a second": f"{len(result.log) / seconds:.1f}" if seconds >= SOME_SECONDS else "-",
        "links left": f"{left.waiting:,}" if len(result.log) else "-",
        "relevant left": str(left) if left.waiting else "-",
        "errors": f"\n{'':{INDENT + 2}}".join(listed) or "none",
    }


def standing(folder: CrawlFolder, at_end: bool = False) -> str:
    """Return all that ``tres status`` says of a crawl, or ``tres crawl`` at its end."""
    result = folder.result()
    left = relevant_left(result.log, seen_links(folder, result))
    values = figures(folder, result, left)
    lines = [f"{name:>{INDENT}}  {value}" for name, value in values.items()]
    more = (*used_up(result, left), *(remarks(folder, result) if at_end else ()))
    lines += [f"look: {line}" for line in (*looks(folder, result), *more)]
    lines += [f"relevant pages: {folder.path / 'relevant.html'}"] * at_end
    lines += () if folder.running else what_next(folder, result)
    return "\n".join([*lines, claim(folder, result)])


def looks(folder: CrawlFolder, result: CrawlResult) -> Iterator[str]:
    """Yield what a person should look at, of a crawl that may still run."""
    yield from advice.warnings(result)
    pages = result.log[(result.log["step"] > 0) & result.log["p"].notna()]
    sites = pages.groupby("domain")["reward"].agg(["sum", "size"]).astype(int)
    many = sites[(sites["size"] >= MANY_OF_A_SITE) & (sites["sum"] > MOST * sites["size"])]
    for site, taken, n in many.drop(advice.whole_sites(result).index, errors="ignore").itertuples():
        review = f"`tres review {folder.path}` asks about some"
        yield f"{taken} of {n} pages of {site} were taken; if that is too many, {review}"


def used_up(result: CrawlResult, left: Left) -> Iterator[str]:
    """Yield a line if the links that wait lead to few relevant pages beside those taken."""
    n = len(taken(result))
    if left.waiting and left.high < USED_UP * n:  # false where too little is known
        of = f"{n:,} relevant pages were taken, and {left}"
        yield f"what these seeds lead to looks used up: {of}; other seeds may find more"


def open_links(folder: CrawlFolder, result: CrawlResult) -> list[str]:
    """Return the links in scope on the pages so far that were not fetched, each URL once."""
    asked = {*result.log["url"], *result.log["final_url"]}
    seen = chain.from_iterable(seen_links(folder, result).values())
    return list(dict.fromkeys(link.url for link in seen if link.url not in asked))


def seen_links(folder: CrawlFolder, result: CrawlResult) -> dict[str, list[Link]]:
    """Return the links in scope on each page so far, by the URL that was asked for."""
    log, scope = result.log, folder.options.scope()
    depths = log.set_index("url")["depth"].to_dict()
    refused = set(log.loc[log["failure"] != "", "url"])  # as copies: their links do not count
    links: dict[str, list[Link]] = {}
    for visit in folder.visits():
        if (page := visit.get("url", "")) not in refused:
            depth = depths.get(page, -1) + 1
            there = (Link(url, anchor) for url, anchor, *_ in visit.get("links", ()))
            links[page] = [x for x in there if scope is None or scope.follows(x.url, depth)]
    return links


def remarks(folder: CrawlFolder, result: CrawlResult) -> Iterator[str]:
    """Yield how many pages of sites taken whole are relevant without the lines that they repeat."""
    log = result.log[(result.log["step"] > 0) & result.log["p"].notna()]
    sites = advice.whole_sites(result).index[:SITES_READ_AGAIN]
    there = folder.pages() if len(sites) else {}
    for site in sites:
        pages = [there[url] for url in log.loc[log["domain"] == site, "final_url"]]
        own = [replace(page, text=text) for page, text in zip(pages, own_texts(pages), strict=True)]
        p = folder.classifier().proba([topics.page_text(page) for page in own])
        share = f"{(p >= 0.5).sum()} of {len(pages)} pages would be relevant"
        yield f"without the lines that {site} repeats, {share}"


def what_next(folder: CrawlFolder, result: CrawlResult) -> Iterator[str]:
    """Yield the commands that lead to more pages, if there are any."""
    options, path = folder.options, quote(str(folder.path))
    stop = result.ending and result.ending.stop
    if stop in REMEDIES:
        yield REMEDIES[stop]
    limit = folder.options.max_per_domain
    pages = result.log.loc[result.log["step"] > 0, "domain"].value_counts()
    full = pages.index[pages >= limit] if limit else []
    if stop not in (Stop.SPENT, Stop.EMPTY) and len(full):
        yield (
            f"{full[0]} is at its limit of {limit} pages: `tres extend {path} "
            "--max-per-domain N` (0: none) lifts it; more seeds find more elsewhere, and with "
            f"--allow-domain {full[0]} a crawl stays there"
        )
    nothing = taken(result).empty and result.log["step"].max() > 0
    if nothing:
        yield f"nothing was taken: `tres review {path}` asks about the likeliest pages"
    if advice.poor_harvest(result) or nothing:
        yield f"anew, with other keywords or with questions: {_anew(folder)}"
    if stop is Stop.NO_SEED:
        yield f"again: tres resume {path}, or the same command with other --seeds"
    elif stop is Stop.SPENT and not nothing:
        yield f"more: tres extend {path} --budget {options.budget}"
    elif stop not in ORDERLY:
        yield f"to go on: tres resume {path}"


def claim(folder: CrawlFolder, result: CrawlResult) -> str:
    """Return how many pages were taken, and how many of these are relevant.

    An audit tells the share within an interval of 95 %. Without one it is the mean probability of
    the pages that nobody has judged.
    """
    rows, order = taken(result), audit_order(folder)
    claimed = f"claims {len(rows):,} relevant pages"
    said = {label.url: label.relevant for label in Labels(folder.audited)}
    still = set(rows["final_url"])
    there = [url for url in order if url in still]
    answers = [said[url] for url in takewhile(said.__contains__, there)]
    checked = [answer for answer in answers if answer is not None]
    if checked:
        from tres_lib.numerics import share_interval

        low, high = share_interval(sum(checked), len(checked), len(there))
        of = f"; of the {len(there):,} that were audited" * (len(there) < len(rows))
        share = f"probably {100 * low:.0f} to {100 * high:.0f} % of them rightly"
        if len(checked) == len(there):
            share = f"{100 * low:.0f} % of them rightly"
        return f"{claimed}{of}, {share} ({len(checked)} checked)"
    others = rows[~rows["final_url"].isin(folder.said())]
    yours = len(rows) - len(others)
    claimed += f", {yours:,} of them by your own word" * (yours > 0)
    if others.empty:
        return claimed
    of = "the others" if yours else "them"
    own = f"{100 * others['p'].mean():.0f} % of {of} rightly by the classifier's own probabilities"
    remedy = f"tres review {quote(str(folder.path))} --audit 20"
    return f"{claimed}, {own}; nobody has checked: {remedy}"


def taken(result: CrawlResult) -> pd.DataFrame:
    """Return the rows of the log of the pages that were taken."""
    return result.log[(result.log["step"] > 0) & (result.log["reward"] > 0)]


def audit_order(folder: CrawlFolder) -> list[str]:
    """Return the addresses of the pages that an audit is of, in the order of its sample."""
    if not folder.audit.exists():
        return []
    order: list[str] = json.loads(read_file(folder.audit))["order"]
    return order


def _anew(folder: CrawlFolder) -> str:
    """Return the command of the same crawl in another folder, with questions."""
    names = (Path(f"{folder.path}-{n}") for n in count(2))
    other = next(name for name in names if not name.exists())
    settings, labels = str(folder.path / "crawl.json"), folder.path / "labels.jsonl"
    command = join(["tres", "crawl", settings, "--ask", "--folder", str(other)])
    mine = f" (your answers: copy {labels} there once it has begun, and `tres review` it)"
    return command + mine * labels.exists()


def _percent(rewards: pd.Series) -> str:
    return f"{100 * rewards.mean():.1f} %" if len(rewards) else "-"
