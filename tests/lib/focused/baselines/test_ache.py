"""ACHE's turns and its limit by hand; golden logs hold the rest."""

from __future__ import annotations

from functools import partial

from fakes import CountingClassifier, DictWeb, crawl, page

from tres_lib.focused import Ache, Stop
from tres_webs import Page


class InOrder(Ache):
    first_come = True


OURS = partial(InOrder, classifier=CountingClassifier())
IN_LINE = partial(Ache, scheduler="global", classifier=CountingClassifier())


HUB, *SITES = (f"http://{name}.example/" for name in "habc")


def crawled(pages: dict[str, list[str]], policy=OURS, **options):
    """Crawl from the hub a web all of whose pages are on apples; return the result."""
    known = {url: page(url, *links, text="apple") for url, links in pages.items()}
    urls = {link for links in pages.values() for link in links} - known.keys()
    web = DictWeb(known | {url: page(url, text="apple") for url in urls})
    return crawl(web, [HUB], policy, **options)


def test_domains_take_turns():
    a, b, c = ([f"{site}{n}" for n in (1, 2, 3)] for site in SITES)
    pages = {HUB: [*a, *b], b[0]: c}
    got = crawled(pages).log["url"].tolist()
    # The third domain is found at b1, and goes next: it was never accessed.
    assert got == [HUB, a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]]
    assert crawled(pages, IN_LINE).log["url"].tolist() == [HUB, *a, *b, *c]


def test_the_limit_counts_links_when_they_are_inserted_so_that_a_crawl_runs_dry():
    a, b = ([f"{site}{n}" for n in range(5)] for site in SITES[:2])
    pages = {HUB: [*a[:3], b[0]], b[0]: [a[0], *a[3:], b[1]]}
    result = crawled(pages, max_per_domain=4)
    assert result.log["url"].tolist() == [HUB, a[0], b[0], a[1], b[1], a[2], a[3]]


def test_a_crawl_that_its_limit_ran_dry_says_so():
    a = [f"{SITES[0]}{n}" for n in range(4)]
    web = DictWeb({HUB: page(HUB, *a, text="apple"), a[0]: page(a[0], text="apple")})
    moved = Page(a[1], 200, "", "apple", ())
    web.pages |= {a[0]: moved, a[1]: moved}  # both are one page, so one fetch of two is new
    result = crawl(web, [HUB], OURS, budget=9, max_per_domain=3)
    assert result.ending.stop is Stop.DRY
    assert result.stopped == "ran dry: the policy takes only a domain's first links (1 links left)"
