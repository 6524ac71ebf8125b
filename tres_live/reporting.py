"""What a person is told of a crawl: how it stands, what to look at, what comes next."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, takewhile
from pathlib import Path
from shlex import join, quote
from textwrap import shorten
from typing import Any

import pandas as pd

from tres_lib.focused import CrawlResult, Stop
from tres_lib.focused.result import rejected_seeds
from tres_lib.topics import page_text
from tres_webs.page import Link, Page

from .topic.labels import own_texts
from .topic.left import Left, relevant_left

POOR = 0.25  # harvest rate below which a crawl of some length gets advice
POOR_IN_DOUBT = 0.4  # the same, if many pages are in doubt
SOME = 50  # pages, from which a harvest rate says something
DOUBTFUL = (0.2, 0.5)  # probabilities of irrelevant pages that labels may change
MANY_DOUBTFUL = 0.1  # share of them
MANY_OF_A_SITE = 20  # pages
NEARLY_ALL = 0.95  # share of a site's pages, from which a menu may be what decides
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


@dataclass(frozen=True, eq=False)
class Crawled:
    """A crawl as far as it has come, of which a report or an export is made."""

    result: CrawlResult  # its log has ``copy_of``
    links: Callable[[], Mapping[str, Sequence[Link]]]  # in scope on each page, by the URL asked for
    options: Any  # those of the command
    folder: Path
    running: bool
    state: str  # whether it runs, or why not
    said: Mapping[str, bool | None]  # which pages a person calls relevant or not, by URL
    sample: Sequence[str]  # URLs that an audit is of, in their order
    audited: Mapping[str, bool | None]  # answers about these
    pages: Callable[[Collection[str]], Mapping[str, Page]]  # by the URL asked for
    classifier: Callable[[], Any]
    in_use: Any = None  # the classifier of a crawl that ran here

    def judge(self) -> Any:
        """Return the classifier; None of code that nobody has named."""
        return self.in_use or self.classifier()

    @property
    def taken(self) -> pd.DataFrame:
        """The rows of the log of the pages that were taken."""
        return self.result.steps[self.result.steps["reward"] > 0]

    def waiting(self) -> list[str]:
        """Return the links in scope on the pages so far that were not fetched, each URL once."""
        asked = {*self.result.log["url"], *self.result.log["final_url"]}
        seen = chain.from_iterable(self.links().values())
        return list(dict.fromkeys(link.url for link in seen if link.url not in asked))


def report(crawled: Crawled, at_end: bool = False) -> str:
    """Return all that ``tres status`` says of a crawl, or ``tres crawl`` at its end."""
    left = relevant_left(crawled.result.log, crawled.links())
    lines = [f"{name:>{INDENT}}  {value}" for name, value in figures(crawled, left).items()]
    more = (*used_up(crawled.result, left), *(remarks(crawled) if at_end else ()))
    lines += [f"look: {line}" for line in (*warnings(crawled.result), *more)]
    lines += [f"relevant pages: {crawled.folder / 'relevant.html'}"] * at_end
    lines += () if crawled.running else what_next(crawled)
    return "\n".join([*lines, claim(crawled)])


def figures(crawled: Crawled, left: Left) -> dict[str, Any]:
    """Return figures of the crawl so far, a value a line of ``tres status``."""
    result, options = crawled.result, crawled.options
    log = result.log[result.log["step"] > 0]
    reasons = result.log["reason"].str.replace(r"http\S+", "another page", regex=True)
    errors = reasons[reasons != ""].value_counts().head(5)
    listed = [f"{n} {shorten(why, LONGEST_REASON, placeholder=' …')}" for why, n in errors.items()]
    seconds = result.log["seconds"].max() if len(result.log) else 0.0
    near = int((log["copy_of"] != "").sum())
    copies = {"near-copies": f"{near:,} relevant pages, not counted"} if near else {}
    return {
        "state": crawled.state,
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


def used_up(result: CrawlResult, left: Left) -> Iterator[str]:
    """Yield a line if the links that wait lead to few relevant pages beside those taken."""
    n = int((result.steps["reward"] > 0).sum())
    if left.waiting and left.high < USED_UP * n:  # false where too little is known
        of = f"{n:,} relevant pages were taken, and {left}"
        yield f"what these seeds lead to looks used up: {of}; other seeds may find more"


def remarks(crawled: Crawled) -> Iterator[str]:
    """Yield how many pages of sites taken whole are relevant without the lines that they repeat."""
    log = crawled.result.steps.dropna(subset="p")
    for site in whole_sites(crawled.result).index[:SITES_READ_AGAIN]:
        urls = log.loc[log["domain"] == site, "url"].tolist()
        there = crawled.pages(set(urls))
        pages = [there[url] for url in urls]
        own = [replace(page, text=text) for page, text in zip(pages, own_texts(pages), strict=True)]
        p = crawled.judge().proba([page_text(page) for page in own])
        share = f"{(p >= 0.5).sum()} of {len(pages)} pages would be relevant"
        yield f"without the lines that {site} repeats, {share}"


def what_next(crawled: Crawled) -> Iterator[str]:
    """Yield the commands that lead to more pages, if there are any."""
    result, options, path = crawled.result, crawled.options, quote(str(crawled.folder))
    stop = result.ending and result.ending.stop
    if stop in REMEDIES:
        yield REMEDIES[stop]
    limit = options.max_per_domain
    pages = result.log.loc[result.log["step"] > 0, "domain"].value_counts()
    full = pages.index[pages >= limit] if limit else []
    if stop not in (Stop.SPENT, Stop.EMPTY) and len(full):
        yield (
            f"{full[0]} is at its limit of {limit} pages: `tres extend {path} "
            "--max-per-domain N` (0: none) lifts it; more seeds find more elsewhere, and with "
            f"--allow-domain {full[0]} a crawl stays there"
        )
    nothing = crawled.taken.empty and result.log["step"].max() > 0
    if nothing:
        yield f"nothing was taken: `tres review {path}` asks about the likeliest pages"
    if poor_harvest(result) or nothing:
        yield f"anew, with other keywords or with questions: {_anew(crawled.folder)}"
    if stop is Stop.NO_SEED:
        yield f"again: tres resume {path}, or the same command with other --seeds"
    elif stop is Stop.SPENT and not nothing:
        yield f"more: tres extend {path} --budget {options.budget}"
    elif stop not in ORDERLY:
        yield f"to go on: tres resume {path}"


def claim(crawled: Crawled) -> str:
    """Return how many pages were taken, and how many of these are relevant, by an audit if any."""
    rows = crawled.taken
    claimed = f"claims {len(rows):,} relevant pages"
    still, said = set(rows["final_url"]), crawled.audited
    there = [url for url in crawled.sample if url in still]
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
    others = rows[~rows["final_url"].isin(crawled.said)]
    yours = len(rows) - len(others)
    claimed += f", {yours:,} of them by your own word" * (yours > 0)
    if others.empty:
        return claimed
    of = "the others" if yours else "them"
    own = f"{100 * others['p'].mean():.0f} % of {of} rightly by the classifier's own probabilities"
    remedy = f"tres review {quote(str(crawled.folder))} --audit 20"
    return f"{claimed}, {own}; nobody has checked: {remedy}"


def warnings(result: CrawlResult) -> list[str]:
    """Return what a person should look at: seeds turned down, little found, pages all alike."""
    seeds = result.log[result.log["step"] == 0].to_dict("records")
    found = rejected_seeds(seeds), poor_harvest(result), _whole_sites_line(result)
    return list(filter(None, found))


def poor_harvest(result: CrawlResult) -> str:
    """Return what may help a crawl that found little; else ""."""
    p = result.steps["p"].dropna()
    doubtful = ((p >= DOUBTFUL[0]) & (p < DOUBTFUL[1])).mean()
    enough = POOR_IN_DOUBT if doubtful >= MANY_DOUBTFUL else POOR
    if len(p) < SOME or result.harvest_rate >= enough:
        return ""
    line = f"only {result.harvest_rate:.1%} of the fetches were relevant"
    if doubtful >= MANY_DOUBTFUL:
        line += f", and {doubtful:.0%} of the pages are in doubt (p from .2 to .5)"
        return f"{line}: label some pages (--ask) or give more examples"
    return f"{line}: try keywords, examples and seeds nearer to what you look for"


def whole_sites(result: CrawlResult) -> pd.DataFrame:
    """Return the sites whose pages were nearly all judged relevant, the largest first."""
    pages = result.steps[result.steps["p"].notna()]
    sites = pages.groupby("domain")["p"].agg(relevant=lambda p: (p >= 0.5).sum(), pages="size")
    many = sites["pages"] >= MANY_OF_A_SITE
    found = sites[many & (sites["relevant"] >= NEARLY_ALL * sites["pages"])]
    return found.sort_values("pages", ascending=False, kind="stable")


def _whole_sites_line(result: CrawlResult) -> str:
    sites = whole_sites(result)
    if sites.empty:
        return ""
    relevant, pages = sites.iloc[0]
    return (
        f"{relevant} of {pages} pages of {sites.index[0]} were judged relevant; a menu "
        "or footer that is on every page may be what decides. Look at some in relevant.html; "
        "`tres judge URL --folder FOLDER` shows by which words; if they are wrong, label some "
        "(--ask)"
    )


def _anew(folder: Path) -> str:
    """Return the command of the same crawl in another folder, with questions."""
    names = (Path(f"{folder}-{n}") for n in count(2))
    other = next(name for name in names if not name.exists())
    settings, labels = str(folder / "crawl.json"), folder / "labels.jsonl"
    command = join(["tres", "crawl", settings, "--ask", "--folder", str(other)])
    mine = f" (your answers: copy {labels} there once it has begun, and `tres review` it)"
    return command + mine * labels.exists()


def _percent(rewards: pd.Series) -> str:
    return f"{100 * rewards.mean():.1f} %" if len(rewards) else "-"
