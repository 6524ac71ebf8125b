"""What a person should look at in a crawl: seeds turned down, little found, copies."""

import pandas as pd

from tres_lib.focused.result import BARREN, CrawlResult, rejected_seeds
from tres_webs.page import Failure

POOR = 0.25  # harvest rate below which a crawl of some length gets advice
POOR_IN_DOUBT = 0.4  # the same, if many pages are in doubt
EARLY = 10  # times what the second half found: a crawl that has found nearly all
SOME = 50  # pages, from which a harvest rate says something
DOUBTFUL = (0.2, 0.5)  # probabilities of irrelevant pages that labels may change
MANY_DOUBTFUL = 0.1  # share of them
MANY_OF_A_SITE = 20  # pages
MANY_COPIES = 10  # of one page, on a site
NEARLY_ALL = 0.95  # share of a site's pages, from which a menu may be what decides


def warnings(result: CrawlResult) -> list[str]:
    """Return what a person should look at: seeds turned down, little found, pages all alike."""
    log, steps = result.log, result.steps
    told = [rejected_seeds(log[log["step"] == 0].to_dict("records"))]
    relevant = steps["reward"].to_numpy() > 0
    barren = steps.groupby(relevant.cumsum())["step"].count()
    longest = int((barren - (barren.index > 0)).max()) if len(barren) else 0
    if longest >= BARREN:
        told.append(f"nothing relevant in {longest} fetches in a row: look at the classifier")
    told += [poor_harvest(result), _whole_sites_told(result), _copies_told(result)]
    return [line for line in told if line]


def poor_harvest(result: CrawlResult) -> str:
    """Return what may help a crawl that found little; else ""."""
    p = result.steps["p"].dropna()
    doubtful = ((p >= DOUBTFUL[0]) & (p < DOUBTFUL[1])).mean()
    enough = POOR_IN_DOUBT if doubtful >= MANY_DOUBTFUL else POOR
    if len(p) < SOME or result.harvest_rate >= enough:
        return ""
    told = f"only {result.harvest_rate:.1%} of the fetches were relevant"
    if doubtful >= MANY_DOUBTFUL:
        told += f", and {doubtful:.0%} of the pages are in doubt (p from .2 to .5)"
        return f"{told}: label some pages (--ask) or give more examples"
    rewards = result.steps["reward"]
    if 0 < rewards.sum() >= EARLY * rewards.tail(len(rewards) // 2).sum():
        told += ", nearly all in the first half, so there may be few more"
    return f"{told}: try keywords, examples and seeds nearer to what you look for"


def whole_sites(result: CrawlResult) -> pd.DataFrame:
    """Return the sites whose pages were nearly all judged relevant, the largest first.

    By registered domain: ``relevant`` and ``pages``, of 20 pages or more.
    """
    pages = result.steps[result.steps["p"].notna()]
    sites = pages.groupby("domain")["p"].agg(relevant=lambda p: (p >= 0.5).sum(), pages="size")
    many = sites["pages"] >= MANY_OF_A_SITE
    found = sites[many & (sites["relevant"] >= NEARLY_ALL * sites["pages"])]
    return found.sort_values("pages", ascending=False, kind="stable")


def _whole_sites_told(result: CrawlResult) -> str:
    sites = whole_sites(result)
    if sites.empty:
        return ""
    relevant, pages = sites.iloc[0]
    more = f" (and of {len(sites) - 1} more sites nearly all)" if len(sites) > 1 else ""
    return (
        f"{relevant} of {pages} pages of {sites.index[0]}{more} were judged relevant; a menu "
        "or footer that is on every page may be what decides. Look at some in relevant.html; "
        "`tres judge URL --folder FOLDER` shows by which words; if they are wrong, label some "
        "(--ask)"
    )


def _copies_told(result: CrawlResult) -> str:
    steps = result.steps.reindex(columns=["domain", "failure", "reason"])
    copies = steps[steps["failure"].isin([Failure.COPY, Failure.ERROR_PAGE])]
    counts = copies.value_counts()
    if counts.empty or counts.iloc[0] < MANY_COPIES:
        return ""
    site, failure, reason = counts.index[0]
    told = f"{counts.iloc[0]} pages of {site} were not taken, each a {reason}"
    known = "if that is its page for what is not found, a probe (Guard(probe=True)) knows it"
    return told if failure == Failure.ERROR_PAGE else f"{told}; {known} from the start"
