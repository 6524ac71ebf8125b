"""Paired differences, on numbers that can be worked by hand."""

from __future__ import annotations

import pandas as pd

from tres_lib.focused import against


def crawls(policy: str, limit: str, seeds: list[int], rate: float, domains: int) -> pd.DataFrame:
    rows = [
        {"topic": "sports", "limit": limit, "web_seed": seed, "policy": policy}
        | {"crawler": f"{policy}_{limit}", "domains": domains + seed}
        | {"by the classifier": rate + seed, "by the truth": rate - seed}
        for seed in seeds
    ]
    return pd.DataFrame(rows)


def test_only_crawls_in_the_same_surroundings_are_paired():
    ends = pd.concat(
        [
            crawls("tres", "10", [0, 1], 60.0, 30),
            crawls("linear", "10", [0, 1, 2], 50.0, 60),
            crawls("bfs", "5", [0], 10.0, 5),
        ],
        ignore_index=True,
    )
    gains = against(ends, "tres")
    assert gains["policy"].tolist() == ["linear", "linear"]
    assert gains["web_seed"].tolist() == [0, 1]
    assert gains["by the classifier"].tolist() == [10.0, 10.0]
    assert gains["domains"].tolist() == [-30, -30]
    assert gains["domain ratio"].tolist() == [0.5, 31 / 61]


def test_a_crawler_without_domains_gives_a_finite_ratio():
    ends = pd.concat([crawls("tres", "10", [0], 60.0, 30), crawls("bfs", "10", [0], 0.0, 0)])
    assert against(ends)["domain ratio"].tolist() == [30.0]
