"""SB-CLASSIFIER: groups of tag paths, the sleeping bandit and the classifier of URLs, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fakes import came, context, page, step

from tres_book.crawls.sb import PathGroups, SleepingBandit, UrlClassifier
from tres_webs import Link

X = np.zeros((9, 8), np.float32)
PATHS = ["html body nav a", "html body main ul li a", "html body footer p a"]


def bandit(links: list[Link], first: int = 9, **settings) -> SleepingBandit:
    """A bandit that has been given the first links."""
    policy = type("Bandit", (SleepingBandit,), settings)(context(X, links))
    ids = np.arange(len(links))[:first]
    policy.add(ids, X[ids])
    return policy


def taken(policy: SleepingBandit, action: int, reward: float | None) -> None:
    step(policy, 2, action)
    got = None if reward is None else page(f"http://a.example/{action}")
    came(policy, action, reward or 0.0, X[:0], page=got)


def test_groups_by_similarity():
    """Of seven pairs of tags two differ: 5 / 7. Of six and seven five are shared: 5 / root 42."""
    seven, other = "html body div ul li a", "html body div#x ul li a"
    shorter = "html body ul li a"
    strict, loose = PathGroups(2, 0.75), PathGroups(2, 0.7)
    assert [strict.of(path) for path in (seven, other, shorter)] == [0, 1, 0]
    assert [loose.of(path) for path in (seven, other, shorter)] == [0, 0, 0]
    assert 5 / 7 < 0.75 < 5 / math.sqrt(42)
    assert strict.of(other) == 1 and len(strict) == 2  # once in a group, always in it
    many = PathGroups(2, 0.75)
    assert [many.of(f"t{n} u{n} v{n}") for n in range(40)] == list(range(40))


def test_the_centre_of_a_group_is_the_sum_of_its_paths():
    groups = PathGroups(1, 0.7)
    assert groups.of("a b") == groups.of("a c") == 0  # 3 of 4 shared: .75
    # With ^, $, two a, a b and a c it has 2, 2, 2, 1, 1: with "b c", 6 / (2 root 14) is .80.
    assert groups.of("b c") == 0 and PathGroups(1, 0.7).of("b c") == 0
    apart = PathGroups(1, 0.7)
    assert [apart.of("a b"), apart.of("b c c c")] == [0, 1]


def test_the_bandit_by_hand():
    """Means 1/2, 0 and 0 after 2, 1 and 1 pages; at step 5 the bonus decides as computed here."""
    links = [Link(f"http://a.example/{n}", "", PATHS[n % 3]) for n in range(9)]
    policy = bandit(links, batch=99)
    assert policy.figures()["leaves"] == policy.figures()["nonempty_leaves"] == 3
    for action, reward in ((0, 1.0), (3, 0.0), (1, 0.0), (2, 0.0)):
        taken(policy, action, reward)
    alpha = 2 * math.sqrt(2)
    bonus = [alpha * math.sqrt(math.log(5) / n) for n in (2, 1, 1)]
    wanted = [-np.inf, 0.5 + bonus[0], bonus[1], bonus[2]]
    np.testing.assert_allclose(policy.scores(5)[:4], wanted, rtol=1e-6)
    before = policy.evaluations
    assert policy.choose(5) in (4, 7)  # the first of the best
    assert policy.q == pytest.approx(bonus[1], rel=1e-6) and policy.evaluations - before == 3
    assert bandit(links, exploration=0.0, batch=99).choose(1) in (0, 3, 6)


def test_an_arm_without_open_links_sleeps_until_it_gets_one():
    links = [Link(f"http://a.example/{n}", "", PATHS[n]) for n in (0, 0, 1)] * 2
    policy = bandit(links, first=3, batch=99)
    taken(policy, 0, 1.0)
    taken(policy, 1, 1.0)
    assert policy.figures()["nonempty_leaves"] == 1 and policy.choose(3) == 2
    assert policy.scores(3)[1] == -np.inf
    policy.add(np.array([3]), X[:1])
    taken(policy, 2, 0.0)
    assert policy.figures()["nonempty_leaves"] == 1 and policy.choose(4) == 3


def test_a_failed_fetch_counts_for_no_arm():
    policy = bandit([Link("http://a.example/", "", PATHS[0])])
    taken(policy, 0, None)
    assert policy.pages[1] == policy.rewards[1] == 0


def test_links_taken_for_targets_are_fetched_at_once_and_credit_the_page_s_arm():
    words = "list", "on", "off", "on2", "on3"
    links = [Link(f"http://a.example/{word}", "", PATHS[word != "list"]) for word in words]
    policy = bandit(links, first=1, batch=99)
    policy.urls.n, policy.urls.margins = 1, lambda urls: np.array(["on" in u for u in urls]) - 0.5
    assert policy.choose(1) == 0 and not math.isnan(policy.q)
    taken(policy, 0, 0.0)
    policy.add(np.arange(1, 4), X[:3])
    assert policy.choose(2) == 1 and math.isnan(policy.q)
    taken(policy, 1, 1.0)
    assert policy.rewards[:3].tolist() == [0, 1, 1] and policy.pages[:3].tolist() == [0, 1, 1]
    policy.add(np.array([4]), X[:1])  # on the page fetched at once: it waits in its arm
    policy.drop([3])  # ended meanwhile
    assert policy.choose(3) in (2, 4) and not math.isnan(policy.q)


def test_the_classifier_learns_in_batches():
    """After the first step of rate 10 on probability 1/2, "ab" has weight 5, and so the bias."""
    urls = UrlClassifier(batch=2)
    urls.learn("ab", True)
    assert urls.n == 0 and not urls.takes_for_targets(["ab"]).any()
    urls.learn("cd", False)
    p = 1 / (1 + math.exp(-5))
    step = -10 / (1 + 1 / 1_000) * p
    np.testing.assert_allclose(urls.margins(["ab", "cd", "x"]), [10 + step, 5 + 2 * step, 5 + step])
    assert urls.takes_for_targets(["ab", "cd", "x"]).tolist() == [True, False, False]
