"""The core of a crawl, asked and told by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from fakes import NAMES, TOPIC, Arrivals, CountingClassifier, orchard, page, seed_of, untrained

from tres_lib import focused
from tres_lib.focused import Crawl, Stop
from tres_webs import Failure, FetchError, domain

A, B, C, D, E, F = (f"http://{name}.example/" for name in "abcdef")
WEB = orchard(sites=12, pages=8)
POLICIES = untrained(WEB)
GONE = FetchError(B, "HTTP 404", 404)


def core(policy="bfs", seeds=None, budget=60, **how):
    how = {"classifier": CountingClassifier(), "policy": POLICIES.get(policy, policy)} | how
    seeds = seed_of(WEB) if seeds is None else seeds
    truth = {"truth": lambda url: WEB.is_relevant(url, TOPIC)}
    return Crawl(seeds, TOPIC, budget=budget, **truth | how)


def tell(crawl, url):
    """Tell a crawl what is at a URL of the web; return whether there is a page."""
    try:
        return bool(crawl.tell(url, WEB.fetch(url)))
    except FetchError as error:
        return not crawl.tell(url, error)


def live(crawl, steps=10_000, **how):
    """Go on for so many steps, or to the end."""
    for _ in range(steps):
        if (url := crawl.ask(**how)) is None:
            break
        tell(crawl, url)
    return crawl


def after(*links, seeds=(A,), budget=9, **how):
    """A crawl whose first seed has been told, with these links."""
    crawl = core(seeds=list(seeds), budget=budget, **how)
    crawl.tell(crawl.ask(), page(A, *links, text="apple"))
    return crawl


# -- asking ---------------------------------------------------------------------------------


def test_seeds_come_one_by_one_and_links_between_them_are_no_actions():
    crawl = core(seeds=[A, B])
    assert (crawl.ask(), crawl.ask(), crawl.may_ask) == (A, None, True)
    crawl.tell(A, page(A, B, C))
    assert (crawl.ask(), crawl.ask()) == (B, None)
    crawl.tell(B, page(B, A))
    assert crawl.ask() == C and [row["step"] for row in crawl.rows] == [0, 0]


def test_after_none_nothing_is_asked_until_something_is_told():
    class Counting(focused.Policy):
        choices = 0

        def __init__(self, context):
            self.frontier = context.frontier

        def suggest(self, step):
            self.choices += 1
            return []

        def choose(self, step):
            return self.frontier.live()[0] if len(self.frontier.live()) > 1 else None

    crawl = after(B, C, policy=Counting)
    assert [crawl.ask() for _ in range(5)] == [B, *[None] * 4] and crawl.policy.choices == 2
    assert not crawl.may_ask and crawl.ending is None  # B is in flight
    crawl.tell(B, page(B, D))
    assert crawl.ask() == C and crawl.ask() is None
    crawl.tell(C, FetchError(C, "gone"))
    assert crawl.ask() is None and crawl.ending.stop is Stop.DECLINED


def test_steps_and_what_is_in_flight_never_pass_the_budget():
    crawl = after(B, C, D, budget=2)
    assert [crawl.ask() for _ in range(3)] == [B, C, None] and crawl.ending is None
    crawl.tell(C, page(C))
    assert crawl.ask() is None
    crawl.tell(B, page(B))
    assert crawl.ask() is None and crawl.ending.stop is Stop.SPENT


def test_max_counts_choices_and_a_skipped_error():
    crawl = after(*(f"{B}{n}" for n in range(5)), C, max_per_domain=2, errors="skip")
    assert [crawl.ask() for _ in range(4)] == [f"{B}0", f"{B}1", C, None]
    for url in (f"{B}0", f"{B}1", C):
        crawl.tell(url, FetchError(url, "gone"))
    assert crawl.ask() is None and crawl.ending.stop is Stop.AT_LIMIT


def test_max_counts_where_redirects_lead():
    links = [B, C, D, f"{E}1", f"{E}2"]
    crawl = after(*links, max_per_domain=2)
    for n, url in enumerate((B, C)):
        assert crawl.ask() == url and not crawl.is_full(E)
        crawl.tell(url, page(f"{E}moved{n}"))
    assert crawl.ask() == D and crawl.is_full(E) and not crawl.is_full(D)
    row = crawl.tell(D, FetchError(D, "", failure=Failure.NOT_OURS, target=f"{E}3"))
    assert row["failure"] == Failure.OUT_OF_SCOPE and "limit" in row["reason"]
    assert crawl.ask() is None and crawl.ending.stop is Stop.AT_LIMIT
    seeds = after(*links, seeds=(A, f"{E}5"), max_per_domain=1)  # seeds do not count
    seeds.tell(seeds.ask(), page(f"{F}seed"))
    assert not seeds.is_full(F)


@pytest.mark.parametrize("follow", [None, lambda url, depth: "f.example" not in url])
def test_max_counts_a_domain_that_no_link_has_named(follow):
    crawl = after(B, C, max_per_domain=1, follow=follow)
    for url in (B, C):
        crawl.tell(crawl.ask(), page(f"{F}{url[7]}", f"{F}other", D))
    assert crawl.is_full(F) and crawl.ask() == (None if follow else D)


def test_another_ones_choice_is_taken_with_its_path_and_without_a_value():
    crawl = after((B, "apple"), C, policy="best-first")
    assert crawl.ask(C) == C
    crawl.tell(C, page(C, D))
    crawl.ask(D)
    crawl.ask(B)
    for url in (D, B):
        crawl.tell(url, page(url))
    log = crawl.result().log.set_index("url")
    assert log.loc[[C, D, B], "parent"].tolist() == [A, C, A]
    assert log.loc[[C, D, B], "depth"].tolist() == [1, 2, 1]
    assert log["q"].isna().tolist() == [True, True, True, False]


# -- telling --------------------------------------------------------------------------------


def test_what_is_known_is_told_once_and_what_is_unknown_has_a_row():
    crawl = after(B)
    assert crawl.tell(A, page(A, F)) == {} and len(crawl.rows) == 1
    row = crawl.tell(E, page(E, B, D))
    assert (row["step"], row["parent"], row["depth"]) == (1, "", 0)
    assert crawl.ask(E) == E and not crawl.waiting and crawl.tell(E, GONE) == {}
    assert [crawl.ask() for _ in range(3)] == [B, D, None]


def test_a_seed_may_come_late_and_ends_the_actions_to_it():
    crawl = after(B, C)
    assert crawl.ask(B, seed=True) == B and len(crawl.frontier) == 1
    row = crawl.tell(B, page(B, D, text="stone"))
    assert (row["step"], row["reward"], row["parent"]) == (0, 1, "")
    assert [crawl.ask() for _ in range(3)] == [C, D, None]
    without = core(seeds=[])
    assert without.ask() is None and without.ask(A, seed=True) == A
    assert without.tell(A, page(A, B)) and without.ask() == B


@pytest.mark.parametrize("order", [(B, C, D), (D, C, B), (C, D, B)])
def test_pages_are_told_in_any_order(order):
    crawl = after(B, C, D)
    assert [crawl.ask() for _ in range(3)] == [B, C, D] == list(crawl.waiting)
    for url in order:
        crawl.tell(url, page(url, E, text="apple"))
    log = crawl.result().log
    assert log["url"].tolist() == [A, *order] and log["step"].tolist() == [0, 1, 2, 3]
    assert crawl.ask() == E and crawl.ask() is None
    assert crawl.frontier.parent_of(crawl.waiting[E].action) == order[0]


def test_a_redirect_into_the_flight_is_a_duplicate_both_ways():
    crawl = after(B, C, D)
    assert [crawl.ask() for _ in range(2)] == [B, C]
    first = crawl.tell(B, page(C, E))  # C is in flight
    assert (first["failure"], first["final_url"], first["reward"]) == (Failure.DUPLICATE, C, 0)
    assert crawl.tell(C, page(C, text="apple"))["reward"] == 1
    later = after(B, C, D)
    assert [later.ask() for _ in range(2)] == [B, C]
    later.tell(C, page(C, text="apple"))
    assert later.tell(B, page(C, E))["failure"] == Failure.DUPLICATE
    assert later.ask() == D  # nothing is learnt of E
    later.tell(D, page(F, B))
    assert later.ask() is None and later.knows(F)  # reached by a redirect
    ours = after(B)
    ours.ask()
    row = ours.tell(B, FetchError(B, "", failure=Failure.NOT_OURS))
    assert row["failure"] == Failure.OUT_OF_SCOPE and ours.failures == 0


def test_what_answers_is_no_failure_in_a_row():
    crawl = after(B, C, D, E)
    copy = FetchError(D, "a copy", 200, Failure.COPY)
    seen = []
    for came in (GONE, FetchError(C, "timeout"), copy, GONE):
        crawl.tell(crawl.ask(), came)
        seen.append(crawl.failures)
    assert seen == [1, 2, 0, 1]


def test_what_was_computed_elsewhere_is_not_computed_again():
    judge = CountingClassifier()
    crawl = after(B, policy="best-first", classifier=judge)
    before, own = len(judge.asked), np.float32([[1, 1, 0.7], [0, 0, 0.2], [0, 1, 0.9]])
    came = page(B, A, (C, "x"), (D, "y"))
    row = crawl.tell(crawl.ask(), came, 2.5, p=0.8, own=own)
    assert (row["p"], row["reward"], row["seconds"]) == (0.8, 1, 2.5)
    assert len(judge.asked) == before and crawl.ask() == D  # of A, C and D the best that is new


# -- every policy ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_choice_leaves_nothing_behind(name):
    """Only random numbers: with its generator put back, it is made again."""
    logs = []
    for times in (0, 2):
        rng = np.random.default_rng(4)
        crawl = live(core(name, rng=rng), 14)
        state, step = rng.bit_generator.state, len(crawl.rows)
        chosen = set()
        for _ in range(times):
            chosen.add(crawl.policy.choose(step))
            rng.bit_generator.state = state
        assert len(chosen) <= 1
        other = crawl.frontier.live()[len(crawl.frontier) // 3]  # of another one
        url = crawl.ask(crawl.frontier.url_of(other))
        tell(crawl, url)
        logs.append(live(crawl).result().log)
    pd.testing.assert_frame_equal(*(log.drop(columns="evaluations") for log in logs))
    assert len(logs[0]) > 25 and logs[0]["url"].is_unique


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_rests_is_not_chosen_and_what_woke_is(name):
    """Busy sites change; pages link to them meanwhile, and one of their URLs is taken by force."""
    crawl, busy, forced = core(name, budget=9_999), set(), 0
    rng, ready = np.random.default_rng(0), lambda url: domain(url) not in busy
    rested = False
    while crawl.ending is None:
        if len(crawl.rows) % 10 == 5:
            busy = {f"site{n}.example" for n in rng.choice(12, 9, replace=False)}
        url = crawl.ask(ready=ready)
        rested |= crawl.frontier.n_resting > 0
        if url is not None:
            assert ready(url)
        elif not crawl.frontier.n_resting:
            break
        else:
            assert crawl.ending is None and crawl.may_ask
            known = crawl.frontier._action
            resting = np.flatnonzero(known["rests"] & known["live"])
            url = crawl.ask(crawl.frontier.url_of(int(resting[-1])))
            forced += 1
        tell(crawl, url)
    assert rested and forced and crawl.frontier.n_resting == 0
    fetched = {row["url"] for row in crawl.rows}
    assert len(fetched) == len(crawl.rows) > 40
    if not name.startswith("seedfinder"):  # whose queries depend on the order
        assert fetched >= {row["url"] for row in live(core(name, budget=9_999)).rows}


@pytest.mark.parametrize("name", ["best-first", "prospector", "tres"])
def test_an_ask_without_readiness_ends_all_rests(name):
    crawl = after(B, C, D, policy=name)
    assert crawl.ask(ready=lambda url: False) is None and crawl.frontier.n_resting == 3
    assert crawl.may_ask and crawl.ending is None
    assert crawl.ask(ready=lambda url: url != C) in (B, D) and crawl.frontier.n_resting == 1
    assert {crawl.ask(), crawl.ask(), *crawl.waiting} == {B, C, D}


# -- the drivers' growth --------------------------------------------------------------------


@pytest.mark.parametrize(("grow", "most"), [(0, 8), (5, 8), (20, 4), (99, 1)])
def test_pages_in_flight_grow_with_the_log(grow, most):
    web = Arrivals(WEB)
    how = {"policy": "bfs", "classifier": CountingClassifier(), "progress": False}
    focused.crawl(web, seed_of(WEB), TOPIC, budget=80, in_flight=8, grow=grow, **how)
    allowed = [min(8, 1 + rows // grow) if grow else 8 for _, rows in web.most]
    assert all(n <= at_most for (n, _), at_most in zip(web.most, allowed, strict=True))
    assert max(n for n, _ in web.most) == most
    if not grow:
        assert web.most[:9] == [(1, 0), *((n, 1) for n in range(1, 9))]
