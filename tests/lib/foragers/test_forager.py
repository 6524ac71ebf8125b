"""Algorithms 1 to 7, 10 and 11 on numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib.foragers import FleetSettings
from tres_lib.foragers.agent import Forager, advance
from tres_lib.foragers.algorithms import (
    AgentLog,
    WebArrays,
    download,
    forage as compiled_forage,
    manage_received_url,
    order_urls,
    relevant_pages,
    update_ordering,
)
from tres_lib.foragers.settings import HOUR, rules_of

forage = compiled_forage.py_func  # the algorithm itself, on arrays of any type
OLD = -np.inf
STATES = np.array([[1, 0], [0, 1], [0.5, 0.5], [0, -1], [0, 2]], np.float32)


def tiny_web():
    """URL 0 links to 1, 2 and 3; URL 1 is dated and changes at time 50; URL 3 comes at 100."""
    born = np.array([OLD, OLD, OLD, 50.0, 100.0])
    url = np.array([0, 1, 2, 1, 3])
    date = np.array([OLD, 0.0, OLD, 50.0, 100.0])
    first_link, link = np.array([0, 3, 3, 3, 3, 3]), np.array([1, 2, 3])
    links = first_link, link, np.array([1, 2, -1])  # URL 3 was not there when URL 0 appeared
    return WebArrays(born, url, np.arange(5), date, STATES, *links, np.full(4, -1))


def empty_log():
    known = (np.zeros(5, bool), np.full(5, np.inf), np.zeros(4, bool), np.zeros(4, np.int64))
    return AgentLog(*known, *np.zeros((3, 10), np.int64))


def forager(kind="WL", weblog=None, weight=(1.0, 0.0), web=None, **readings):
    rules = rules_of(kind, FleetSettings(**readings))
    return Forager(web or tiny_web(), weblog or {0: 0.0}, np.array(weight, np.float32), rules)


def on_a_path(urls, profits, **options):
    one = forager(**options)
    one.memory.path_url[: len(urls)] = urls
    one.memory.path_profit[: len(urls)] = profits
    one.status["step"] = len(urls)
    return one


def test_algorithm_1_by_hand():
    # Sums from each step on: 297, 199, 100. URL 2 is known with 10: 0.7 * 10 + 0.3 * 199.
    one = on_a_path([1, 2, 3], [98, 99, 100], weblog={2: 10.0, 9: 150.0})
    one.weblog_update()
    assert one.weblog == pytest.approx({1: 297, 9: 150, 3: 100, 2: 66.7})
    assert list(one.weblog) == [1, 9, 3, 2]


def test_readings_of_algorithm_1():
    after = on_a_path([1, 2, 3], [98, 99, 100], inclusive=False)
    after.weblog_update()
    assert [after.weblog[u] for u in (1, 2, 3)] == [199, 100, 0]
    less = on_a_path([1, 2, 3], [98, 99, 100], discount=0.5)
    less.weblog_update()
    assert [less.weblog[u] for u in (1, 2, 3)] == [98 + 0.5 * 149, 149, 100]


def test_algorithm_3_takes_the_best_of_the_frontier():
    web = tiny_web()
    advance(web, 0, 100.0)
    for kind, weight, best in [("NONE", (0, 1), 3), ("RL", (0, -1), 1), ("WL", (1, 0.1), 2)]:
        one = forager(kind, weight=weight, web=web)
        one.select_start(np.random.default_rng(0))
        one.memory.frontier[0], one.status["frontier"] = 0, 0
        _, versions = download(one.memory, 0, web, one.rules)
        assert versions.tolist() == [0, 3, 2, 4]
        assert one.memory.frontier[order_urls(one.memory, web, one.rules)] == best


def test_algorithm_4_by_hand():
    # delta = 99 + 0.9 * 2 - 1 = 99.8; the weight grows by 0.1 * 99.8 in the direction (1, 0).
    rules = rules_of("RL", FleetSettings())
    weight = np.array([1, 2], np.float32)
    last, this = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    update_ordering(weight, last, this, 99.0, rules)
    assert weight == pytest.approx([1 + 9.98, 2])


def test_algorithm_5_sends_what_is_fresh_once():
    web, one = tiny_web(), forager()
    versions = np.arange(5)
    assert relevant_pages(one.memory, versions, web, 100.0, one.rules).tolist() == [1, 3, 4]
    assert relevant_pages(one.memory, versions, web, 100.0, one.rules).tolist() == []
    late = forager().memory
    assert relevant_pages(late, versions, web, 24 * HOUR + 50, one.rules).tolist() == [3, 4]


def test_algorithm_7_by_hand():
    web, log, one, two = tiny_web(), empty_log(), forager(), forager()
    rules = one.rules
    assert manage_received_url(one.memory, log, 1, web, 10.0, rules)
    assert one.status["score"] == pytest.approx(100.95)  # 100 - 0.05 + 1
    assert not manage_received_url(two.memory, log, 1, web, 20.0, rules)  # seen
    assert two.status["score"] == pytest.approx(99.95)
    assert not manage_received_url(two.memory, log, 3, web, 25 * HOUR, rules)  # too old
    assert two.status["score"] == pytest.approx(99.9)
    assert log.found_at.tolist() == [np.inf, 10, np.inf, np.inf, np.inf]


@pytest.mark.parametrize(("stored", "found"), [(False, [0, 3, 2, 4]), (True, [0, 1, 2])])
def test_links_lead_to_what_is_there_or_to_what_was(stored, found):
    web = tiny_web()
    advance(web, 0, 100.0)
    one = forager(web=web, stored_links=stored)
    one.status["path"] = 1
    downloads, versions = download(one.memory, 0, web, one.rules)
    assert downloads == 4 and versions.tolist() == found
    queued = one.memory.frontier[: one.status["frontier"]]
    assert sorted(queued) == ([1, 2] if stored else [1, 2, 3])


def test_algorithm_6_halves_the_weblog():
    weblog = {url: 100.0 - url for url in range(101)}
    parent = forager("WL", weblog)
    child = parent.multiply(np.random.default_rng(0))
    assert len(child.weblog) == 50 and len(parent.weblog) == 51
    assert parent.weblog | child.weblog == weblog
    for one in (parent, child):
        assert list(one.weblog.values()) == sorted(one.weblog.values(), reverse=True)
    assert (child.memory.weight != parent.memory.weight).all()
    assert child.status["score"] == 100 and not child.status["frontier"]


def test_a_child_that_learns_copies_weights_and_shares_seeds():
    parent = forager("RL", {0: 0.0, 1: 0.0}, weight=(3, 4))
    parent.memory.marked[1] = True
    child = parent.multiply(np.random.default_rng(0))
    assert child.weblog == parent.weblog == {0: 0.0, 1: 0.0}
    assert child.memory.weight.tolist() == [3, 4]
    child.memory.weight[:] = 0
    assert parent.memory.weight.tolist() == [3, 4] and not child.memory.marked.any()
    parent = forager("RL", {0: 0.0, 1: 0.0}, split_fixed=True, inherit_marked=True)
    parent.memory.marked[1] = True
    child = parent.multiply(np.random.default_rng(0))
    assert len(child.weblog) == 1 and child.memory.marked[1]


def test_algorithm_11_starts_from_the_first_of_the_weblog():
    one = forager("WL", {url: -float(url) for url in range(4)}, start_size=2)
    rng, starts = np.random.default_rng(0), set()
    for _ in range(40):
        one.select_start(rng)
        starts.add(int(one.memory.frontier[0]))
        assert one.status["step"] == 0 and one.status["frontier"] == 1
    assert starts == {0, 1}


def test_a_path_is_a_start_and_further_steps():
    """The page and its three links are 4 downloads, one of them missing; then two leaves."""
    web, log, one = tiny_web(), empty_log(), forager("NONE", weight=(0, 1))
    advance(web, 0, 10.0)
    one.select_start(np.random.default_rng(0))
    now = forage(one.memory, web, log, 10.0, 1e9, one.rules)
    assert one.memory.path_url[:3].tolist() == [0, 1, 2] and one.status["step"] == 3
    assert log.downloaded[0] == 4 + 1 + 1 and log.sent[0] == log.relevant[0] == 1
    assert now == pytest.approx(10 + 6 * 2.592)
    assert one.memory.path_profit[:3].tolist() == [100, 0, 0]
    assert log.found_url.tolist() == [True, True, True, False]
    assert log.steps.tolist() == [1, 1, 1, 0]
    assert not one.status["frontier"]


def test_a_path_ends_at_its_length_and_a_turn_after_the_step_under_way():
    web, log = tiny_web(), empty_log()
    advance(web, 0, 10.0)
    short = forager("NONE", web=web, max_step=1)
    short.select_start(np.random.default_rng(0))
    forage(short.memory, web, log, 10.0, 1e9, short.rules)
    assert short.status["step"] == 2 and short.status["frontier"] == 1
    busy = forager("NONE", web=web)
    busy.select_start(np.random.default_rng(0))
    assert forage(busy.memory, web, log, 10.0, 11.0, busy.rules) > 11
    assert busy.status["step"] == 1


def test_penalties_count_unless_told_otherwise():
    for penalties, expected in ((True, -1.0), (False, 0.0)):
        web, log = tiny_web(), empty_log()
        advance(web, 0, 10.0)
        log.seen[1] = True  # by another forager
        one = forager("NONE", web=web, penalties=penalties)
        one.select_start(np.random.default_rng(0))
        forage(one.memory, web, log, 10.0, 11.0, one.rules)
        assert one.memory.path_profit[0] == expected


def test_learning_goes_from_step_to_step_of_a_path():
    """Start, then URL 1: weight += 0.1 * (0 + 0.9 * w.s_1 - w.s_0) * s_0, with w = (1, 2)."""
    web, log = tiny_web(), empty_log()
    advance(web, 0, 10.0)
    one = forager("RL", weight=(1, 2), web=web, max_step=1)
    one.select_start(np.random.default_rng(0))
    forage(one.memory, web, log, 10.0, 1e9, one.rules)
    assert one.memory.path_url[1] == 1
    assert one.memory.weight == pytest.approx([1 + 0.1 * (0.9 * 2 - 1), 2])
    one.select_start(np.random.default_rng(0))
    assert one.status["last"] == -1
