"""Domination, the Pareto front and the hypervolume: by hand and by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tres_lib.experiments.pareto import dominates, front, hypervolume

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8)


def cells_below(points):
    """Count the unit squares under a point's corner, one by one."""
    return sum(any(x > i and y > j for x, y in points) for i in range(6) for j in range(6))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((2, 2), (1, 1), True),
        ((2, 1), (1, 1), True),
        ((1, 1), (1, 1), False),
        ((2, 1), (1, 2), False),
        ((1, 1), (2, 1), False),
    ],
)
def test_domination_by_hand(first, second, expected):
    assert dominates(first, second) == expected


def test_all_pairs_at_once():
    tres, others = np.array([[3, 1], [1, 3]]), np.array([[2, 1], [2, 2], [0, 3]])
    assert dominates(tres[:, None], others).tolist() == [[True, False, False], [False, False, True]]


def test_the_front_by_hand():
    points = [(0.9, 10), (0.5, 50), (0.5, 40), (0.4, 40), (0.1, 60), (0.1, 60)]
    assert front(points).tolist() == [True, True, False, False, True, True]


def test_hypervolume_by_hand():
    # Boxes 0.9 x 0.1, and above it 0.5 x 0.4; (0.4, 0.3) lies inside.
    assert hypervolume([(0.5, 0.5), (0.9, 0.1), (0.4, 0.3)]) == pytest.approx(0.09 + 0.2)
    assert hypervolume([(3, 4)], reference=(1, 2)) == 4
    assert hypervolume([(3, 1), (0, 9)], reference=(1, 2)) == 0
    assert hypervolume([(1, 1)]) == 1


def test_no_points_have_no_front_and_no_area():
    assert hypervolume([]) == 0 and front([]).tolist() == []


@given(pairs)
def test_hypervolume_counts_the_cells_below(points):
    assert hypervolume(points) == cells_below(points)


@given(pairs, st.randoms())
def test_hypervolume_is_that_of_the_front_in_any_order(points, random):
    shuffled = random.sample(points, len(points))
    best = [point for point, on in zip(points, front(points), strict=True) if on]
    assert hypervolume(best) == hypervolume(shuffled) == hypervolume(points)


@given(pairs, st.tuples(st.integers(0, 6), st.integers(0, 6)))
def test_a_point_more_never_takes_area_away(points, point):
    assert hypervolume([*points, point]) >= hypervolume(points)


@given(pairs)
def test_what_is_off_the_front_is_dominated_from_it(points):
    on = front(points)
    best = [point for point, keep in zip(points, on, strict=True) if keep]
    for point, keep in zip(points, on, strict=True):
        beaten = any(x >= point[0] and y >= point[1] and (x, y) != point for x, y in best)
        assert beaten != keep


@pytest.mark.parametrize("points", [[(1, np.nan)], [(1, np.inf)], [1, 2], [(1, 2, 3)]])
def test_bad_points_are_named(points):
    for function in (front, hypervolume):
        with pytest.raises(ValueError, match="points: shape .*give n pairs of finite numbers"):
            function(points)
