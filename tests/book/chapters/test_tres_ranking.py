"""TRES against the others, and domination: by hand."""

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters.c05_comparison import (
    agreement,
    best_others,
    dominated,
    dominates,
    limit_steps,
    orders,
)
from tres_book.crawls.comparison import crawler


def ends(*rows, topic="fruit"):
    """Crawls (policy, limit, web seed, harvest rate, domains) as `at_the_end` returns them."""
    columns = ["policy", "limit", "web_seed", "by the classifier", "domains"]
    table = pd.DataFrame(rows, columns=columns).assign(topic=topic)
    return table.assign(crawler=list(map(crawler, table["policy"], table["limit"])))


TWO_WEBS = ends(
    ("tres", "none", 0, 90, 5),
    ("tres", "none", 1, 80, 5),
    ("ache", "none", 0, 50, 9),
    ("ache", "none", 1, 70, 9),
    ("linear", "none", 0, 80, 1),
    ("linear", "none", 1, 50, 1),
    ("oracle", "none", 0, 100, 99),
    ("oracle", "none", 1, 100, 99),
    ("ache", "10", 0, 40, 20),
    ("ache", "10", 1, 40, 30),
)


def test_the_best_other_is_best_on_average_and_never_the_oracle():
    best = best_others(TWO_WEBS, "by the classifier", ["topic", "limit"])
    assert best["crawler"].tolist() == ["Linear", "Linear", "ACHE_10", "ACHE_10"]
    assert best["by the classifier"].tolist() == [80, 50, 40, 40]


def test_the_best_other_at_any_limit():
    best = best_others(TWO_WEBS, "domains", ["topic"])
    assert set(best["crawler"]) == {"ACHE_10"}


def test_the_best_others_come_in_the_order_of_the_groups():
    late = ends(("bfs", "none", 0, 9, 1), ("ache", "10", 0, 9, 1), ("linear", "none", 0, 10, 1))
    best = best_others(late, "by the classifier", ["limit"])
    assert best["crawler"].tolist() == ["Linear", "ACHE_10"]


def test_each_topic_has_its_own_best_other():
    more = ends(("ache", "none", 0, 10, 1), ("random", "none", 0, 20, 1), topic="stones")
    best = best_others(pd.concat([TWO_WEBS, more]), "by the classifier", ["topic"])
    assert best.groupby("topic")["crawler"].first().to_dict() == {
        "fruit": "Linear",
        "stones": "Random",
    }


def test_dominated_means():
    table = dominated(
        ends(
            ("tres", "none", 0, 90, 10),
            ("tres", "10", 0, 60, 50),
            ("ache", "none", 0, 70, 9),
            ("ache", "10", 0, 50, 50),
            ("ache", "5", 0, 55, 40),
            ("ache", "5", 1, 55, 70),  # 55 domains on average
            ("linear", "none", 0, 95, 1),
            ("oracle", "none", 0, 99, 99),
        )
    )
    assert dict(zip(table["crawler"], table["dominated"], strict=True)) == {
        "ACHE": True,
        "ACHE_10": True,
        "ACHE_5": False,
        "Linear": False,
    }


def test_points_are_compared_within_their_topic():
    table = pd.concat(
        [
            ends(("tres", "none", 0, 90, 9), ("ache", "none", 0, 80, 8)),
            ends(("tres", "none", 0, 10, 1), ("ache", "none", 0, 80, 8), topic="stones"),
        ]
    )
    assert dominated(table)["dominated"].tolist() == [True, False]


def test_steps_of_the_limit():
    table = limit_steps(
        ends(
            ("tres", "none", 0, 90, 10),
            ("tres", "none", 1, 80, 10),
            ("tres", "10", 0, 70, 50),
            ("tres", "10", 1, 80, 40),
            ("tres", "5", 0, 76, 60),
            ("tres", "5", 1, 76, 60),
            ("tres", "none", 2, 0, 999),  # has no other limit
            ("ache", "none", 0, 1, 1),
        )
    )
    assert table["step"].tolist() == ["none to 10"] * 2 + ["10 to 5"] * 2
    assert table["web_seed"].tolist() == [0, 1, 0, 1]
    assert table["by the classifier"].tolist() == [-20, 0, 6, -4]
    assert table["domains"].tolist() == [40, 30, 10, 20]


def rates(values, **options):
    rows = [(policy, "none", 0, value, 1) for policy, value in values.items()]
    return ends(*rows, **options)


def test_the_same_order_and_the_reverse():
    web = {"tres": 90, "ache": 60, "bfs": 10, "random": 5}
    other = {"tres": 40, "ache": 30, "bfs": 20, "random": 10, "oracle": 50}
    means = orders({"a web": rates(web), "another": rates(other)})
    assert means.loc[("fruit", "ache")].tolist() == [60, 30]
    assert agreement(means).loc["fruit", ["tau", "policies"]].tolist() == [1, 4]
    turned = {policy: -value for policy, value in other.items()}
    means = orders({"a web": rates(web), "another": rates(turned)})
    assert agreement(means)["tau"].tolist() == [-1]


def test_tau_by_hand():
    # Of the six pairs, one is turned: (5 - 1) / 6.
    means = orders(
        {
            "a web": rates({"a": 4, "b": 3, "c": 2, "d": 1}),
            "another": rates({"a": 4, "b": 2, "c": 3, "d": 1}),
        }
    )
    assert agreement(means)["tau"].item() == pytest.approx(4 / 6)


def test_orders_are_of_means_without_a_limit():
    means = orders({"a web": TWO_WEBS, "another": TWO_WEBS}, "domains")
    assert means.loc[("fruit", "ache"), "a web"] == 9
    assert means["a web"].tolist() == means["another"].tolist()


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
    assert dominates(np.array(first), np.array(second)) == expected


def test_all_pairs_at_once():
    tres, others = np.array([[3, 1], [1, 3]]), np.array([[2, 1], [2, 2], [0, 3]])
    assert dominates(tres[:, None], others).tolist() == [[True, False, False], [False, False, True]]
