"""Checks return what they were given, or name the argument and its value."""

import math

import numpy as np
import pytest

from tres_webs import checks
from tres_webs.checks import generator


def test_good_values_come_back():
    assert checks.count("n", np.int64(3)) == 3 and type(checks.count("n", np.int64(3))) is int
    assert checks.count("n", 0, least=0, most=0) == 0
    assert checks.positive("x", 2) == 2.0
    assert checks.one_of("kind", "a", ["a", "b"]) == "a"
    assert checks.numbers("x", [[1, 2]]).shape == (1, 2)
    assert checks.vector("x", [0, 1], zero=True, size=2).tolist() == [0.0, 1.0]
    assert checks.floats("x", [1, math.nan]).dtype == np.float64


def test_a_seed_may_have_several_parts():
    one, other = (generator("rng", [0, part]).random() for part in (1, 2))
    assert one != other and one == np.random.default_rng([0, 1]).random()
    with pytest.raises(ValueError, match="rng"):
        generator("rng", [0, -1])
