"""The crawler's knowledge: counts of words against a plain recount, pools, features."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tres_lib.deepweb import State
from tres_lib.deepweb.learners import Memory, encode, similarity
from tres_lib.topics.vectors import tokenize
from tres_webs.forms.answers import Part


def record(title, text=""):
    return (Part("h3.title", 6, title), Part("p.extract", 7, text))


@pytest.fixture
def state():
    return State(site=None, rng=np.random.default_rng(0))


def row(state, word):
    return state.words.index(word)


def test_counts_by_hand(state):
    state.learn("wine", None, {1: record("Red wine", "wine is red"), 2: record("Port", "a wine")})
    wine, red, port = (row(state, word) for word in ("wine", "red", "port"))
    assert state.n == 2
    assert state.tf[[wine, red, port]].tolist() == [3, 2, 1]
    assert state.df[[wine, red, port]].tolist() == [2, 1, 1]
    assert state.df_by_tag[:2, wine].tolist() == [1, 2]
    assert state.weight[wine] == pytest.approx(2 / 5 + 1 / 3)
    again = state.learn("red", None, {1: record("Red wine", "wine is red"), 3: record("Red")})
    assert (again.returned, again.new, again.returned - again.new, again.df) == (2, 1, 1, 1)
    assert (state.n, state.once, state.twice) == (3, 2, 1)
    assert state.df[red] == 2  # a record counts once, however often it comes


@pytest.mark.slow
@given(st.lists(st.lists(st.text("ab cé", max_size=12), min_size=2, max_size=2), max_size=12))
def test_counts_are_those_of_a_recount(texts):
    state = State(site=None, rng=np.random.default_rng(0))
    records = {i: record(*pair) for i, pair in enumerate(texts)}
    for i, found in records.items():
        state.learn(f"term {i}", None, {i: found, 0: records[0]})
    words = [tokenize(" ".join(pair)) for pair in texts]
    tf, df = Counter(sum(words, [])), Counter(w for found in words for w in set(found))
    counted = {w: (state.tf[i], state.df[i]) for i, w in enumerate(state.words) if state.tf[i]}
    assert counted == {w: (tf[w], df[w]) for w in tf}
    titles = Counter(w for title, _ in texts for w in set(tokenize(title)))
    first = state.df_by_tag[0] if texts else np.zeros(0)
    assert {w: first[i] for i, w in enumerate(state.words) if first[i]} == dict(titles)


def test_candidates_are_words_not_issued(state):
    state.note("Front page")
    assert [state.words[i] for i in state.pool()] == ["front", "page"]
    state.learn("Page", None, {1: record("page one", "one two two"), 2: record("two")})
    assert [state.words[i] for i in state.pool()] == ["front", "one", "two"]
    assert [state.words[i] for i in state.pool(1)] == ["two"]  # in two records
    assert [state.words[i] for i in state.pool(2)] == ["one", "two"]
    state.learn("one two", None, {})
    assert len(state.pool()) == 3  # a phrase is no word


def test_features_by_hand(state):
    state.learn("x", None, {1: record("Río", "a1 abcdefghijk"), 2: record("río", "río")})
    rows = np.array([row(state, word) for word in ("río", "a1", "abcdefghijk")])
    found = encode(state, rows, by_field=False)
    assert found.statistical[0, :2] == pytest.approx(np.log1p([3, 2]))
    assert encode(state, rows, by_field=True).statistical[0, 3:5] == pytest.approx(np.log1p([2, 1]))
    assert found.linguistic.astype(bool).astype(int).tolist() == [
        [1, 0, 0, 0, 0, 1, 0],  # short, not of English letters
        [1, 0, 0, 0, 0, 0, 1],  # short, with a digit
        [0, 0, 0, 1, 1, 0, 0],  # long, of English letters
    ]
    for part in (found.linguistic, found.html):
        assert np.linalg.norm(part, axis=1) == pytest.approx(np.ones(3))
    same = similarity(found, found, 0.5, (0.8, 0.1, 0.1))
    assert np.diag(same) == pytest.approx(np.ones(3)) and (same <= 1 + 1e-9).all()
    memory = Memory(by_field=False)
    before = memory.features(state, now=False)  # of x, issued when there was no record
    assert not before.statistical.any() and not before.html.any()
    memory.keep(found, 0)
    state.learn("río", None, {})
    kept = memory.features(state, now=False)
    assert (kept.statistical[1] == found.statistical[0]).all() and len(kept.linguistic) == 2
