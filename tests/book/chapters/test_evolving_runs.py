"""The watch beside splits on evolving webs, and what is counted as served."""

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters import c15_evolving as evolving

SMALL = {"topic": "sports", "sites": 30, "bandwidth": 30.0, "days": 9.0, "warm_up": 3.0}


def test_the_plan_is_the_watch_the_simplex_and_the_stored_fifo_on_each_web():
    plan = evolving.studies()[evolving.NAME].settings
    assert len(plan) == 10 * 17 and {setting["web_seed"] for setting in plan} == {*range(500, 510)}
    shares = np.array([setting["shares"] for setting in plan[1:16]])
    assert shares.sum(axis=1) == pytest.approx(1, abs=2e-4) and shares.min() > 0.06
    assert len(np.unique(shares, axis=0)) == 15
    assert [plan[k]["policy"] for k in (0, 1, 15, 16)] == ["watch", "split", "split", "fifo"]


class OneADay:
    """A relevant page that is asked for once a day, and changes on day 5; others are not."""

    def at(self, day):
        return self

    def is_relevant(self, url, topic):
        return url != "other"

    def born(self, url):
        return 1.0 if url == "news" else None

    def served(self, url, since, until):
        ends = min(until, 5.0) if since < 5 else until
        return max(ends - since, 0.0)


def test_what_a_copy_serves_counts_after_the_warm_up_until_the_next_look():
    looks = pd.DataFrame(
        [(1.0, "page"), (2.0, "news"), (2.5, "other"), (3.0, "page"), (8.0, "page")],
        columns=["day", "url"],
    )
    found = evolving.requests_served(OneADay(), looks, "sports", until=10.0, since=2.0)
    assert found == {"old": (3 - 2) + (5 - 3) + (10 - 8), "news": 5 - 2}


@pytest.mark.slow
def test_a_run_is_the_same_again_and_a_split_keeps_its_shares():
    run = evolving.trial(0, "watch", [], **SMALL)
    assert run == evolving.trial(0, "watch", [], **SMALL)
    assert run["served"] >= run["of_news"] >= 0 and run["served"] > 0
    split = evolving.trial(0, "split", [0.4, 0.3, 0.3], **SMALL)
    assert split["link"] <= 0.4 * 30 + 1 and split["link"] + split["page"] + split["hub"] <= 31
    with pytest.raises(ValueError, match="policy="):
        evolving.trial(0, "fifo", [], **SMALL)


def test_margins_are_over_each_webs_best_split_and_the_common_one():
    served = {
        "watch": [("", 3.0, 6.0)],
        "split": [("a", 2.0, 8.0), ("b", 2.5, 4.0), ("c", 1.0, 5.0)],
    }
    rows = [
        (web, policy, [name], found)
        for policy, values in served.items()
        for name, *both in values
        for web, found in enumerate(both)
    ]
    found = evolving.margins(pd.DataFrame(rows, columns=["web_seed", "policy", "shares", "served"]))
    assert found["split"].tolist() == pytest.approx([3 / 2.5 - 1, 6 / 8 - 1])
    assert found["common"].tolist() == pytest.approx([3 / 2 - 1, 6 / 8 - 1])  # that is a
