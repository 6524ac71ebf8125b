"""The database: what matches, what is handed out, and that a term is only text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from tres_book.chapters.c12_laboratory import sample_documents
from tres_lib.deepweb import SearchSite
from tres_lib.topics.vectors import tokenize
from tres_webs.forms.answers import LONGEST_TERM


def document(title, description="", extract="", topic="Secret"):
    return {"title": title, "description": description, "extract": extract, "topic": topic}


SMALL = [
    document("River bank", "edge of water", "The bank of a river. A bank, a bank!"),
    document("Bank", "financial institution", "It lends money."),
    document("Café", "place for coffee", "People of the bank drink it, or not."),
    document('Quote "mark"', "a sign: AND, OR; NOT*", "It ends speech."),
]


@pytest.fixture(scope="module")
def articles():
    return sample_documents("en-us", 400, rng=0)


def test_both_modes_by_hand():
    full, fields = SearchSite(SMALL), SearchSite(SMALL, mode="fields")
    assert sorted(full.query("bank").ids) == [0, 1, 2]
    assert sorted(fields.query("bank").ids) == [0, 1]
    assert full.query("money").ids == (1,) and fields.query("money").total == 0
    for site in (full, fields):
        assert site.query("Secret").total == 0  # the topic is never indexed
        assert site.query("café").ids == (2,) and site.query("cafe").ids == ()


def test_the_orders_by_hand():
    assert SearchSite(SMALL, order="static").query("bank").ids == (0, 1, 2)
    assert SearchSite(SMALL, order="rank").query("bank").ids[-1] == 2  # once in a longer text


@pytest.mark.parametrize("term", ["bank*", "title:bank", "bank OR money", "NEAR(bank)", "-bank"])
def test_operators_are_words(term):
    """What tokens remain must stand side by side, as they do in no other order."""
    words = tokenize(term)
    expected = [
        i
        for i, d in enumerate(SMALL)
        if any(
            tokenize(d[field])[k : k + len(words)] == words
            for field in ("title", "description", "extract")
            for k in range(len(tokenize(d[field])))
        )
    ]
    assert sorted(SearchSite(SMALL).query(term).ids) == expected


@given(st.text())
@example('"')
@example('""bank""')
@example("*")
@example("a AND")
@example("\0bank")
@example("\ud800")
@example("AND OR NOT")
@example("bank " * 5_000)
@example("x" * 10**6)
@pytest.mark.slow
def test_any_term_is_safe(term):
    hits = SearchSite(SMALL).query(term)
    assert hits.total == len(hits.ids) <= len(SMALL)
    if not tokenize(term[:LONGEST_TERM]):
        assert hits.total == 0


@pytest.mark.parametrize("mode", ["fulltext", "fields"])
@pytest.mark.parametrize("order", ["rank", "static"])
def test_the_database_finds_what_a_scan_finds(articles, mode, order):
    site = SearchSite(articles, mode, max_results=None, order=order)
    fields = ("title", "description", "extract")[: 3 if mode == "fulltext" else 2]
    words = [set(tokenize(" ".join(d[f] for f in fields))) for d in articles]
    for term in ("the", "river", "1985", "was", "of"):
        expected = [i for i, found in enumerate(words) if term in found]
        hits = site.query(term)
        assert sorted(hits.ids) == expected and hits.total == len(expected)
        assert site.vocabulary().get(term, 0) == len(expected)


@pytest.mark.parametrize("order", ["rank", "static"])
def test_the_cap_and_the_pages(articles, order):
    everything = SearchSite(articles, max_results=None, order=order).query("the")
    site = SearchSite(articles, page_size=20, max_results=50, order=order)
    hits = site.query("the")
    assert hits.ids == everything.ids[:50] and hits.total == everything.total > 50
    assert hits.pages == 3
    pages = [site.page("the", number) for number in (1, 2, 3)]
    assert sum((page.ids for page in pages), ()) == hits.ids
    assert [page.more for page in pages] == [True, True, False]
    assert pages[1].records[0][0].text == articles[pages[1].ids[0]]["title"]
    with pytest.raises(ValueError, match="number=4"):
        site.page("the", 4)
