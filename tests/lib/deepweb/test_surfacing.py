"""The loop: costs, stop rules, going on after a kill, and the same seed giving the same crawl."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tres_book.chapters.c12_laboratory import sample_documents
from tres_lib.deepweb import Costs, SearchSite, surface
from tres_lib.deepweb.policies import POLICIES


@pytest.fixture(scope="module")
def site():
    return SearchSite(sample_documents("en-us", 250, rng=4), page_size=5, max_results=20)


class Longest:
    """A policy of one's own: the longest of the frequent words."""

    def choose(self, state):
        return max((state.words[row] for row in state.pool(100)), key=len, default=None)


@pytest.mark.parametrize("policy", [*POLICIES, Longest])
def test_a_crawl_and_its_log(site, policy):
    result = surface(site, policy, 15, 1, "river")
    log = result.log
    assert log["query"].tolist() == list(range(1, 16)) and log["term"].is_unique
    assert log["term"][0] == "river" and result.stopped == "cost"
    assert (log["new"].cumsum() == log["acquired"]).all() and log["acquired"].iloc[-1] == len(
        result.ids
    )
    assert log["cost"].tolist() == list(range(1, 16))
    for row in log.itertuples():
        hits = site.query(row.term)
        assert (row.total, row.returned, row.pages) == (
            hits.total,
            len(hits.ids),
            max(hits.pages, 1),
        )
    assert set(result.ids) == {i for term in log["term"] for i in site.query(term).ids}


def test_coverage(site):
    result = surface(site, "frequency", 12, first_term="river")
    assert result.coverage(0) == 0
    assert result.coverage(1) == result.log["acquired"][0] / 250
    assert result.coverage(12) == result.coverage(999) == len(result.ids) / 250
    shares = result.coverage(np.arange(13))
    assert shares.shape == (13,) and (np.diff(shares) >= 0).all()
    with pytest.raises(ValueError, match="queries=-1"):
        result.coverage(-1)


@pytest.mark.parametrize("policy", ["random", "rl"])
def test_the_seed_decides(site, policy):
    one, same = (surface(site, policy, 14, rng=seed).log for seed in (7, 7))
    assert one.equals(same)
    generator = surface(site, policy, 14, rng=np.random.default_rng(7)).log
    assert one.equals(generator)
    assert any(not surface(site, policy, 14, rng=seed).log.equals(one) for seed in (8, 9))


@settings(deadline=None, max_examples=25)
@given(
    st.floats(1, 4), st.floats(0, 2), st.floats(0, 1), st.floats(4, 30), st.sampled_from([None, 1])
)
@pytest.mark.slow
def test_the_cost_stays_within_its_limit(site, query, page, record, limit, patience):
    costs = Costs(query, page, record)
    result = surface(site, "frequency", limit, first_term="river", costs=costs, patience=patience)
    log, steps = result.log, result.log["cost"].diff().fillna(result.log["cost"])
    assert (log["cost"] <= limit + 1e-6).all()
    expected = query + page * log["pages"] + record * log["returned"]
    assert np.allclose(steps, expected)


def test_patience_turns_no_page_after_duplicates(site):
    usual = surface(site, "frequency", 30, first_term="river").log
    hasty = surface(site, "frequency", 30, first_term="river", patience=1).log
    assert hasty["pages"].sum() < usual["pages"].sum()
    assert (hasty["returned"] <= 20).all()


def test_pages_that_go_round_end(site):
    class Endless(Mortal):
        def page(self, term, number):
            return replace(self.site.page(term, 1), more=True)

    log = surface(Endless(site, 0), "frequency", 4, first_term="of").log
    assert (log["pages"] <= 2).all() and (log["returned"] <= 5).all()


def test_candidates_end(site):
    class Nothing:
        def choose(self, state):
            return None

    result = surface(site, Nothing(), 10, first_term="river")
    assert result.stopped == "candidates" and len(result.log) == 1
    dots = SearchSite([{"title": "..."}])
    assert surface(dots, "rl", 10).stopped == "candidates"  # no word to start with
    assert surface(dots, "rl", 10, first_term="x").log["returned"].tolist() == [0]


class Killed(Exception):
    pass


class Mortal:
    """A site that dies after so many pages."""

    def __init__(self, site, pages):
        self.site, self.left = site, pages

    def front_page(self):
        return self.site.front_page()

    def __len__(self):
        return len(self.site)

    def page(self, term, number):
        if not self.left:
            raise Killed
        self.left -= 1
        return self.site.page(term, number)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["rl", "random", "harvest"])
def test_a_killed_crawl_goes_on_to_the_same_end(site, policy, tmp_path):
    path = tmp_path / "crawl.jsonl"
    whole = surface(site, policy, 20, rng=2)
    for pages in (1, 9, 17):
        with pytest.raises(Killed):
            surface(Mortal(site, pages), policy, 20, rng=2, checkpoint=path)
    with path.open("ab") as file:
        file.write(b'{"term": "torn')
    left = int(whole.log["pages"].sum()) - (1 + 9 + 17)
    rest = surface(Mortal(site, left), policy, 20, rng=2, checkpoint=path)
    assert rest.log.equals(whole.log) and rest.ids == whole.ids
    again = surface(Mortal(site, 0), policy, 20, rng=2, checkpoint=path)  # all from the journal
    assert again.log.equals(whole.log)
    longer = surface(site, policy, 25, rng=2, checkpoint=path)
    assert longer.log.equals(surface(site, policy, 25, rng=2).log)


def test_a_checkpoint_of_something_else_is_refused_and_kept(site, tmp_path):
    path = tmp_path / "crawl.jsonl"
    surface(site, "frequency", 3, rng=2, checkpoint=path)
    with pytest.raises(ValueError, match="policy was 'frequency', is 'tfidf'"):
        surface(site, "tfidf", 3, rng=2, checkpoint=path)
    for text in ("my diary", "my diary\n", "[1]\n", '{"a": 1}\n'):
        path.write_text(text)
        with pytest.raises(ValueError, match="name another file"):
            surface(site, "frequency", 3, rng=2, checkpoint=path)
        assert path.read_text() == text


@pytest.mark.parametrize("line", ["rubbish", "{}", '{"term": "x", "number": 1, "records": 5}'])
def test_a_damaged_checkpoint_is_refused_and_kept(site, tmp_path, line):
    path = tmp_path / "crawl.jsonl"
    surface(site, "frequency", 3, rng=2, checkpoint=path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], line, *lines[3:]]) + "\n")
    before = path.read_text()
    with pytest.raises(ValueError, match="checkpoint=.*line . is damaged"):
        surface(site, "frequency", 3, rng=2, checkpoint=path)
    assert path.read_text() == before
