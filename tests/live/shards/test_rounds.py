"""How long rounds are, and how shards share them."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from tres_live.shards.rounds import divide, round_sizes

counts = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[arrays(np.int64, n, elements=st.integers(0, 200))] * 3)
)


@given(st.integers(1, 10_000), st.integers(1, 60))
def test_rounds_grow_and_spend_the_budget(budget, rounds):
    sizes = round_sizes(budget, rounds)
    assert sizes.sum() == budget
    assert 1 <= len(sizes) <= rounds
    assert (sizes > 0).all()
    assert (np.diff(sizes) >= -1).all()  # but for rounding


@given(st.integers(0, 3_000), counts)
def test_a_budget_is_spent_as_far_as_there_are_links(budget, of_shards):
    fetched, links, found = of_shards
    shares = divide(budget, np.minimum(found, fetched), fetched, links)
    assert shares.sum() == min(budget, links.sum())
    assert (shares >= 0).all()
    assert (shares <= links).all()


def test_worth_decides():
    plenty = np.full(3, 1_000)
    # 9 of 10, 4 of 10 and 0 of 10 found: (9 + 1) / 12, (4 + 1) / 12 and (0 + 1) / 12.
    shares = divide(160, np.array([9, 4, 0]), np.full(3, 10), plenty)
    assert shares.tolist() == [100, 50, 10]


def test_what_a_shard_cannot_use_goes_to_the_others():
    shares = divide(90, np.zeros(3, int), np.zeros(3, int), np.array([10, 1_000, 1_000]))
    assert shares.tolist() == [10, 40, 40]


def test_without_links_nothing_is_given():
    assert divide(5, np.zeros(2, int), np.zeros(2, int), np.zeros(2, int)).tolist() == [0, 0]
