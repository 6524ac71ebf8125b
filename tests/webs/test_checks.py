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


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: checks.count("n", 9, most=8), "n=9.*from 1 to 8"),
        (lambda: checks.one_of("kind", "c", ["a", "b"]), "kind='c'.*a, b"),
        (lambda: checks.numbers("x", [[1, 2], [3, 0]]), r"x=0.0 at \[1, 1\].*above 0"),
        (lambda: checks.numbers("x", [1, -1], zero=True), r"x=-1.0 at \[1\].*from 0 on"),
        (lambda: checks.numbers("x", math.nan), "x=nan:"),
        (lambda: checks.numbers("x", [math.inf]), r"x=inf at \[0\]"),
        (lambda: checks.floats("x", ["one"]), "x: not numbers"),
        (lambda: checks.vector("x", []), r"x: shape \(0,\)"),
        (lambda: checks.vector("x", [[1]]), r"x: shape \(1, 1\)"),
        (lambda: checks.vector("x", [1, 2], size=3), "x: 2 numbers; give 3"),
    ],
)
def test_what_is_wrong_is_told(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_a_seed_may_have_several_parts():
    one, other = (generator("rng", [0, part]).random() for part in (1, 2))
    assert one != other and one == np.random.default_rng([0, 1]).random()
    with pytest.raises(ValueError, match="rng"):
        generator("rng", [0, -1])
