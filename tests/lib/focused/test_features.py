"""State-action vectors: Fig. 1's example, conventions, and the frontier that computes them."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import CountingClassifier

from tres_lib.focused.features import Path, link_features
from tres_lib.focused.frontier import Frontier
from tres_webs import Link


def own(n: int, p: float = 0.0) -> np.ndarray:
    return np.tile(np.float32([0, 0, p]), (n, 1))


def to(*urls: str) -> list[Link]:
    return [Link(url, "") for url in urls]


def test_figure_1():
    """Seed and A relevant, C between A and D not; three of the domain's four pages relevant."""
    frontier = Frontier()
    site = "http://en.wikipedia.org/wiki/"
    path = Path()
    for page, reward in (("Seed", 1.0), ("A", 1.0), ("C", 0.0)):
        path = path.extend(reward)
        frontier.add(0, to(site + page), own(1))
        frontier.take(site + page)
        frontier.visit(site + page, reward)
    frontier.add(0, to(site + "B"), own(1))
    frontier.visit(site + "B", 1.0)
    ids = frontier.add(frontier.add_page(path), to(site + "D"), own(1, p=0.3))
    expected = [0, 1 / 2, 2 / 3, 0, 0, 0.3, 3 / 4, 1]
    np.testing.assert_allclose(frontier.features(ids)[0], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ((), (0, 0, 0)),
        ((1,), (1, 1, 1)),
        ((0,), (0, 0, 0)),
        ((1, 0, 0), (0, 1 / 3, 1 / 3)),
        ((1, 0, 0, 1), (1, 1, 1 / 2)),
        ((0, 0, 1, 0), (0, 1 / 2, 1 / 4)),
    ],
)
def test_state_features(rewards, expected):
    path = Path()
    for reward in rewards:
        path = path.extend(reward)
    assert path.features() == pytest.approx(expected)


def test_link_features():
    links = [
        Link("http://a.example/apple/1", "more"),
        Link("http://apple.example/x", "Ripe  FRUIT here"),
        Link("http://a.example/pineapple", "apples"),
    ]
    features = link_features(["apple", "ripe fruit"], CountingClassifier(), blind=False)
    expected = [[1, 0, 0.9], [0, 1, 0.1], [0, 0, 0.9]]
    np.testing.assert_allclose(features(links), expected, rtol=1e-6)
    assert features([]).shape == (0, 3)
