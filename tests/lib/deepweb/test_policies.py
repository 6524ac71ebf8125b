"""Each policy on databases so small that its choice can be worked out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tres_book.chapters.c12_laboratory import sample_documents
from tres_lib.deepweb import POLICIES, SearchSite, State, chao1, fit_zipf, surface
from tres_lib.deepweb.policies import make_policy, ranks


@pytest.fixture(scope="module")
def site():
    return SearchSite(sample_documents("en-us", 300, rng=3), "fields", 5, 20)


def asked(site, *terms):
    """The state after these terms."""
    state = State(site, np.random.default_rng(0))
    for term in terms:
        hits = site.query(term)
        pages = [site.page(term, k) for k in range(1, max(hits.pages, 1) + 1)]
        records = sum((page.records for page in pages), ())
        state.learn(term, hits.total, dict(zip(hits.ids, records, strict=True)))
    return state


def open_words(state):
    return {state.words[i]: i for i in state.pool()}


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "oracle"])
def test_without_candidates_there_is_no_choice(site, name):
    assert make_policy(name).choose(asked(site, "zzzzzz")) is None


def test_frequency_and_tfidf_take_the_maximum(site):
    state = asked(site, "american", "river", "city")
    words = open_words(state)
    frequent = make_policy("frequency").choose(state)
    assert state.df[words[frequent]] == max(state.df[i] for i in words.values())
    worth = {w: state.weight[i] * math.log(state.n / state.df[i]) for w, i in words.items()}
    assert worth[make_policy("tfidf").choose(state)] == max(worth.values())


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(0, 50))
def test_the_oracle_takes_the_most_new_records(seed):
    documents = sample_documents("en-us", 25, rng=seed)
    site = SearchSite(documents, "fields", max_results=4)
    log = surface(site, "oracle", max_cost=6, first_term="of").log
    known = set(site.query("of").ids)
    for row in log[1:].itertuples():
        most = max(len(set(site.query(w).ids) - known) for w in site.vocabulary())
        assert row.new == most
        known |= set(site.query(row.term).ids)


def test_zipf_is_recovered():
    rank = np.array([1, 2, 5, 20, 70, 300])
    fit = fit_zipf(rank, 900 * (rank + 3.0) ** -0.8)
    assert (fit.alpha, fit.beta, fit.gamma) == pytest.approx((900, 3, 0.8))
    assert fit.r_squared == pytest.approx(1) and fit.size(1) == pytest.approx(900 * 4**-0.8)
    assert ranks([5, 9, 5, 1]).tolist() == [2, 1, 3, 4]


def test_harvest_by_hand():
    """Sizes that fall with the rank: the candidate with the most unknown matches is taken."""
    state = asked(SearchSite(sample_documents("en-us", 300, rng=3)), "river", "water", "physics")
    chosen = make_policy("harvest").choose(state)
    rank = ranks(state.df)
    rows = [query.word for query in state.issued]
    size = fit_zipf(rank[rows], [query.total for query in state.issued]).size(rank)
    most = max(query.returned for query in state.issued)
    capped = any(query.returned < query.total for query in state.issued)
    new = np.minimum(size, most if capped else np.inf) * (1 - np.minimum(state.df / size, 1))
    assert new[open_words(state)[chosen]] == pytest.approx(new[state.pool()].max())


def test_theorem_1_is_exact_on_full_text_without_a_cap():
    """|S_R n S_i| = DF; that is the premise of the printed method."""
    site = SearchSite(sample_documents("en-us", 200, rng=0), max_results=None)
    log = surface(site, "frequency", max_cost=30, first_term="river").log
    assert (log["returned"] - log["new"] == log["df"]).all()
    fields = SearchSite(sample_documents("en-us", 200, rng=0), "fields", max_results=None)
    log = surface(fields, "frequency", max_cost=30, first_term="river").log
    assert (log["returned"] - log["new"] < log["df"]).any()


def test_chao1_by_hand():
    assert chao1(10, 4, 2) == 10 + 4 * 3 / 6
    assert chao1(10, 0, 3) == 10 and chao1(0, 0, 0) == 0
    with pytest.raises(ValueError, match="once=4, twice=2"):
        chao1(5, 4, 2)
