"""The leaves' samples against a dict of sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tres_lib.focused.tres.tree_frontier import LeafSamples


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_leaves_are_sets(seed):
    rng = np.random.default_rng(seed)
    samples, truth, n = LeafSamples(), {0: set()}, 0
    for _ in range(80):
        k = int(rng.integers(1, 30))
        ids, to = np.arange(n, n + k), rng.choice(list(truth), k)
        samples.add(ids, to)
        for i, leaf in zip(ids.tolist(), to.tolist(), strict=True):
            truth[leaf].add(i)
        n += k
        for members in truth.values():
            for i in [i for i in members if rng.random() < 0.2]:
                samples.remove(i)
                members.remove(i)
        if rng.random() < 0.3:
            leaf, first = int(rng.choice(list(truth))), 2 * len(truth) + 1
            members = samples.members(leaf)
            to_second = rng.random(len(members)) < 0.5
            samples.split(leaf, first, to_second)
            del truth[leaf]
            truth[first] = set(members[~to_second].tolist())
            truth[first + 1] = set(members[to_second].tolist())
        assert len(samples) == sum(map(len, truth.values()))
        assert samples.ids().tolist() == sorted(set().union(*truth.values()))
    for leaf, members in truth.items():
        assert set(samples.members(leaf).tolist()) == members
    drawn = samples.sample(rng).tolist()
    assert all(sum(i in members for i in drawn) == bool(members) for members in truth.values())
