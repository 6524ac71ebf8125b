"""The laws of VitalWeb: the former two give the same pages as ever, the third its outside links."""

import hashlib
from dataclasses import fields, replace

import numpy as np
import pytest

import tres_webs as web
from tres_webs import checks
from tres_webs.lab import sites
from tres_webs.lab.parameters import HANDMADE_LINKS

# Of web 7, made before the tables were drawn for some sites at a time: 100 pages of 20,000 sites,
# and the tables of 100,000.
PAGES = {"first": "35bf667a51a86b6c", "second": "bad7fb430229d96b"}
TABLES = {"first": "646c29c086fd8053", "second": "671cb8e1de991b41"}
THIRD = web.LAWS["third"]


def of_table(table):
    digest = hashlib.sha256()
    for field in fields(table):
        digest.update(np.ascontiguousarray(getattr(table, field.name), np.int64).tobytes())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("law", PAGES)
def test_the_former_laws_give_the_same_pages_bit_for_bit(law):
    lab = web.VitalWeb(7, 20_000, law=law)
    urls = lab.random_article_pages(60, 5) + [url for url, _ in lab.hubs(40)]
    pages = "\n".join(repr(lab.fetch(url)) for url in urls)
    assert hashlib.sha256(pages.encode()).hexdigest()[:16] == PAGES[law]


@pytest.mark.parametrize("law", TABLES)
def test_and_the_same_tables(law):
    assert of_table(web.VitalWeb(7, 100_000, law=law).table) == TABLES[law]


def test_how_many_pages_are_drawn_at_once_changes_nothing(monkeypatch):
    at_once = of_table(web.VitalWeb(3, 600).table)
    monkeypatch.setattr(sites, "AT_ONCE", 700)  # less than the largest site has
    assert of_table(web.VitalWeb(3, 600).table) == at_once


@pytest.fixture(scope="module")
def third():
    return web.VitalWeb(3, 2_000, law="third")


def test_outside_links_by_the_third_law():
    """Worked out by hand: 2.7 and a few on small sites, own ones alone on large ones."""
    assert THIRD.outside(1) == (2.7, pytest.approx(37 * 0.30 - 3 - 2.7))
    own, usual = THIRD.outside(25)
    assert own == pytest.approx(0.54) and usual == pytest.approx(37 * 0.21 - 3 - 0.54)
    assert THIRD.outside(10_000) == (pytest.approx(0.027), 0.0)
    assert THIRD.outside(400, by_hand=True)[0] == HANDMADE_LINKS


def test_its_sites_are_those_of_the_second_law(third):
    assert of_table(third.table) == of_table(web.VitalWeb(3, 2_000).table)
    assert repr(third) == "VitalWeb(seed=3, sites=2000, law='third')"


def test_its_pages_have_outside_links_of_their_own(third):
    """By the second law all pages of a site share a few outside sites: here 6, by the third 9."""
    table = third.table
    fifty = np.flatnonzero((table.sizes >= 30) & (table.sizes <= 80) & (table.role != sites.SPAM))

    def outside(lab, site):
        entries = range(*table.indptr[site : site + 2])
        refs = [lab.ref(i, k) for i in entries for k in range(table.count[i])]
        urls = [lab.addresses.url(ref) for ref in refs if lab.writer.stands(ref)]
        links = {link.url for url in urls for link in lab.fetch(url).links}
        return len({web.domain(url) for url in links}) - 1

    second = web.VitalWeb(3, 2_000)
    pairs = [(outside(third, i), outside(second, i)) for i in fifty[:12]]
    assert np.median([a for a, _ in pairs]) > 1.4 * np.median([b for _, b in pairs])


def test_sites_by_hand_are_nested_and_pages_elsewhere_the_same(third):
    some, more = (web.VitalWeb(3, 2_000, law=replace(THIRD, handmade=h)) for h in (0.25, 0.5))
    by_hand = [{i for i in range(2_000) if lab.writer.has(i, "handmade")} for lab in (some, more)]
    assert by_hand[0] < by_hand[1]
    assert [len(part) / 2_000 for part in by_hand] == pytest.approx([0.25, 0.5], abs=0.04)
    urls = third.random_article_pages(40, 1)
    changed = {url for url in urls if third.fetch(url) != more.fetch(url)}
    site = {url: third.addresses.parse(url).site for url in urls}
    assert changed and all(site[u] in by_hand[1] for u in changed)
    assert all(third.table.sizes[site[url]] <= 2_000 for url in changed)


def test_more_sites_than_memory_holds_or_another_law(monkeypatch):
    with pytest.raises(ValueError, match=r"sites=10{12}: takes about [\d,.]+ GB .* are free"):
        web.VitalWeb(sites=10**12)
    monkeypatch.setattr(checks, "free_memory", lambda: 1e9)
    with pytest.raises(ValueError, match=r"sites=3000000: .* 1\.6 GB of memory, and 1\.0 GB are"):
        web.VitalWeb(sites=3_000_000)
    with pytest.raises(ValueError, match=r"law='fourth': give one of second, first, third"):
        web.VitalWeb(law="fourth")
