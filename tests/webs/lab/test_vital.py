"""VitalWeb: a page is a function of (seed, URL), and the truth about it is known."""

import contextlib
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tres_webs as web
from tres_book.chapters import c01_webs as webs
from tres_book.crawls.muted import MutedWeb
from tres_webs.lab.addresses import Ref


@pytest.fixture(scope="module", params=["second", "first"])
def small(request):
    return web.VitalWeb(seed=3, sites=600, law=request.param)


@pytest.fixture(scope="module")
def sample(small):
    return small.random_article_pages(150, np.random.default_rng(0))


def links(small, sample):
    return [link for url in sample for link in small.fetch(url).links]


@pytest.mark.slow
def test_its_repr_tells_it_from_other_webs():
    law = web.WebLaw(dead=0.3)
    others = [
        web.VitalWeb(3, 50, law="first"),
        web.VitalWeb(3, 50, half="training"),
        web.VitalWeb(3, 50, law=law),
    ]
    assert repr(web.VitalWeb(3, 50)) == "VitalWeb(seed=3, sites=50)"
    assert repr(others[0]) == "VitalWeb(seed=3, sites=50, law='first')"
    assert len({repr(MutedWeb(lab, 0.5)) for lab in others}) == 3
    assert repr(web.VitalWeb(3, 50, law=law)) == repr(others[2])


@pytest.mark.slow
def test_parsed_html_is_the_page(small, sample):
    kinds = Counter(small.kind(link.url) for link in links(small, sample))
    urls = {small.kind(link.url): link.url for link in links(small, sample)}
    assert {"article", "section", "front", "about", "missing", "moved"} <= kinds.keys()
    for url in [*sample, *(u for k, u in urls.items() if k not in ("missing", "moved"))]:
        page, parsed = small.fetch(url), web.parse_page(url, small.html(url))
        assert parsed.title == page.title
        assert parsed.text.split() == page.text.split()
        assert parsed.links == page.links
        assert [link.path for link in parsed.links] == [link.path for link in page.links]


@pytest.mark.slow
def test_links_are_canonical_distinct_and_leave_the_site(small, sample):
    found = links(small, sample)
    assert all(web.canonical_url(link.url) == link.url for link in found)
    for url in sample:
        targets = [link.url for link in small.fetch(url).links]
        assert len(targets) == len(set(targets)) and url not in targets
    leaving = np.mean(webs.links_of(small, sample).leaves_site)
    low, high = (0.2, 0.5) if small.law == web.LAWS["first"] else (0.05, 0.15)
    assert low < leaving < high


@pytest.mark.slow
def test_dead_links_fail_and_moved_links_arrive(small, sample):
    moved = next(k.url for k in links(small, sample) if small.kind(k.url) == "moved")
    target = small.fetch(moved).url
    assert target != moved and small.kind(target) == "article"
    assert small.fetch(moved).text == small.fetch(target).text
    gone = [k.url for k in links(small, sample) if small.kind(k.url) == "missing"]
    outcomes = Counter()
    for url in gone:
        try:
            outcomes[small.fetch(url).title] += 1
        except web.FetchError as error:
            assert error.status == 404
            outcomes["404"] += 1
        assert small.is_relevant(url, "sports") is False
    assert outcomes["404"] > 0 and outcomes["Page not found"] > 0


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.org/",
        "http://www.daily-zzzzz.example/",
        "ftp://x",
        "",
        "http://[",
        "mailto:a@b.example",
    ],
)
def test_foreign_urls_are_unknown(small, url):
    assert small.is_relevant(url, "sports") is None
    with pytest.raises(web.FetchError):
        small.fetch(url)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30))
@pytest.mark.slow
def test_any_path_is_a_page_or_a_fetch_error(small, path):
    url = small.random_article_pages(1, np.random.default_rng(1))[0].rsplit("/", 1)[0] + "/" + path
    with contextlib.suppress(web.FetchError):
        assert small.fetch(url).status == 200


def test_addresses_come_back(small):
    addresses = small.writer.addresses
    table = small.table
    for entry in range(0, len(table.site), 97):
        site, article = int(table.site[entry]), int(table.article[entry])
        for kind in ("article", "print", "moved"):
            ref = Ref(kind, site, article, int(table.count[entry]) - 1)
            assert addresses.parse(addresses.url(ref)) == ref


def test_truth_of_articles_and_hubs(small):
    labels = small.labels("food")
    for url in small.random_article_pages(200, np.random.default_rng(2)):
        expected = bool(labels[small.article(url)]) and small.kind(url) != "spam"
        assert small.is_relevant(url, "food") == expected
    for site in range(0, 600, 7):
        front = Ref("front", site)
        _, blocks = small.writer.compose(front, False)
        contents = next(links for text, links in blocks if text == "Contents")
        expected = np.mean([labels[small.article(k.url)] for k in contents]) >= 0.5
        expected &= small.kind(contents[0].url) != "spam"
        assert small.is_relevant(small.writer.addresses.url(front), "food") == expected


def test_seeds_are_relevant_unconnected_and_on_different_sites(small):
    seeds = small.seeds("sports", 6, np.random.default_rng(0))
    assert seeds == small.seeds("sports", 6, np.random.default_rng(0))
    assert len({web.domain(u) for u in seeds}) == 6
    for url in seeds:
        assert small.is_relevant(url, "sports") is True
        assert not {k.url for k in small.fetch(url).links} & set(seeds)


@pytest.mark.parametrize("seed", range(8))
def test_the_tiniest_web_has_pages(seed):
    tiny = web.VitalWeb(seed, sites=1)
    for url in tiny.random_article_pages(5, np.random.default_rng(0)):
        assert tiny.fetch(url).links


@pytest.mark.slow
def test_templates_order_the_lists_of_a_site_and_change_nothing_else(small, sample):
    small = web.VitalWeb(3, 600, law=replace(small.law, templates=1))
    lab = web.VitalWeb(seed=3, sites=600, law=replace(small.law, templates=6))
    orders, moved = {}, 0
    for url in sample[:60]:
        plain, page = small.fetch(url), lab.fetch(url)
        assert {link.url for link in page.links} == {link.url for link in plain.links}
        assert sorted(page.text.split("\n")) == sorted(plain.text.split("\n"))
        moved += page.links != plain.links
        parsed = web.parse_page(url, lab.html(url))
        assert parsed.links == page.links and parsed.text.split() == page.text.split()
        lists = re.findall(r"^(?:Menu|Related|On the Web|Most read|More)$", page.text, re.M)
        orders.setdefault(web.domain(url), set()).add(tuple(dict.fromkeys(lists)))
    assert moved > 30
    assert len(set.union(*orders.values())) >= 5
    several = [found for found in orders.values() if len(found) > 1]
    assert not several  # a site has one template


def second(**changes):
    return web.VitalWeb(seed=3, sites=600, law=replace(web.LAWS["second"], **changes))


@pytest.fixture(scope="module")
def large():
    return second()


def test_a_page_that_is_gone_is_gone_for_every_link(large):
    """Fates are drawn for pages: what one link finds, all find."""
    pages = large.random_article_pages(300, np.random.default_rng(5))
    targets = {link.url for url in pages for link in large.fetch(url).links}
    fates = Counter(large.kind(url) for url in targets)
    assert 0.01 < fates["missing"] / len(targets) < 0.05
    assert 0.01 < fates["moved"] / len(targets) < 0.05
    gone = next(url for url in targets if large.kind(url) == "missing")
    alive = {large.fetch(url).url for url in pages}
    assert gone not in alive and not alive & {u for u in targets if large.kind(u) == "moved"}
