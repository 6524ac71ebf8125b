"""Which shard owns a domain."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tres_live.shards.shard import owner

DOMAINS = [f"site-{i}.example" for i in range(4_000)]


@pytest.mark.parametrize("shards", [1, 2, 7, 64])
def test_shards_own_about_as_many(shards):
    held = np.bincount([owner(name, shards) for name in DOMAINS], minlength=shards)
    mean = len(DOMAINS) / shards
    assert len(held) == shards
    assert np.abs(held - mean).max() <= 5 * np.sqrt(mean) * (shards > 1)


@given(st.text(), st.integers(1, 300))
def test_one_more_shard_takes_domains_from_the_others_alone(domain, shards):
    old, new = owner(domain, shards), owner(domain, shards + 1)
    assert 0 <= old < shards
    assert new in (old, shards)


@pytest.mark.parametrize("shards", [1, 2, 5, 20])
def test_one_more_shard_moves_no_more_than_its_share(shards):
    moved = np.mean([owner(name, shards) != owner(name, shards + 1) for name in DOMAINS])
    assert moved == pytest.approx(1 / (shards + 1), abs=0.03)


def test_a_number_of_shards_below_one():
    with pytest.raises(ValueError, match="shards=0"):
        owner("a.example", 0)
