"""The order of another crawler's fetches goes on by its journal."""

from __future__ import annotations

from fakes import TOPIC, CountingClassifier, page

import tres_live

A = "http://a.example/"
PAGES = {f"{A}{i}": page(f"{A}{i}", *(f"{A}{k}" for k in range(9)), text="apple") for i in range(9)}


def order(path, **how):
    how = {"policy": "bfs", "classifier": CountingClassifier(), "budget": 20, **how}
    return tres_live.Order(TOPIC, journal=path, **how)


def test_max_holds_for_a_seed_s_domain_after_it_was_opened_again(tmp_path):
    for _ in range(2):
        mine = order(tmp_path / "j", max_per_domain=2)
        mine.ask(f"{A}0", seed=True)
        for url in list(mine.waiting) + [mine.ask()]:
            if url:
                mine.tell(url, PAGES[url])
        mine.close()
    fetched = order(tmp_path / "j", max_per_domain=2)
    while url := fetched.ask():
        fetched.tell(url, PAGES[url])
    assert len(fetched.rows) == 1 + 2


def test_what_came_unasked_is_told_again_whatever_the_budget(tmp_path):
    mine = order(tmp_path / "j", budget=2)
    mine.ask(f"{A}0", seed=True)
    for url in PAGES:
        mine.tell(url.upper().replace("HTTP://A", "http://A"), PAGES[url])
    mine.close()
    again = order(tmp_path / "j", budget=2)
    assert [row["url"] for row in again.rows] == [row["url"] for row in mine.rows] == list(PAGES)
    again.close()
