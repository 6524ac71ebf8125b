"""A crawl that goes on: what its journal tells is what it lived, within other bounds too."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from fakes import (
    NAMES,
    TOPIC,
    Arrivals,
    CountingClassifier,
    crawl,
    orchard,
    page,
    seed_of,
    untrained,
    web_of,
)

from tres_lib.focused import Crawl, DomainCap, Stop
from tres_lib.focused.result import make_log
from tres_webs import FetchError, domain

WEB = orchard(sites=20, pages=10)
POLICIES = untrained(WEB)
pytestmark = pytest.mark.slow


def run(path, policy="best-first", left=float("inf"), budget=40, web=None, **how):
    """Crawl on in a journal until it is killed, after `left` arrivals; return log and web."""
    web, rows = web or Arrivals(WEB, left), []
    how = {"checkpoint": path, "policy": POLICIES.get(policy, policy), "budget": budget} | how
    try:
        log = crawl(web, seed_of(WEB), on_row=rows.append, **how).log
    except KeyboardInterrupt:
        log = make_log(rows)
    return log.drop(columns="seconds"), web


def assert_same(first, second, **how):
    pd.testing.assert_frame_equal(first, second, check_dtype=False, **how)


@pytest.mark.parametrize("policy", NAMES)
def test_what_is_told_is_as_what_was_lived(policy, tmp_path):
    whole, _ = run(None, policy)
    fetched = []
    for left in (2, 14, 99):  # kills, one after the other
        log, web = run(tmp_path / "j", policy, left)
        fetched += web.fetched
    assert_same(log, whole)
    assert fetched == whole["url"].tolist()


@pytest.mark.parametrize("policy", NAMES)
def test_what_was_in_flight_is_fetched_first(policy, tmp_path):
    lived, killed = run(tmp_path / "j", policy, 17, in_flight=4, grow=0)
    log, web = run(tmp_path / "j", policy, in_flight=4, grow=0)
    assert_same(log[:17], lived)
    assert len(log) == 41 and log["url"].is_unique and web.known == killed.fetched
    assert web.started[:4] == killed.flying and not {*web.fetched} & {*killed.fetched}


def elsewhere(url, depth):
    return domain(url) not in {"site1.example", "site4.example", "site8.example"}


def near(url, depth):
    return domain(url) in {"site0.example", "site4.example"}


class Contrary(CountingClassifier):
    """Takes what the other turns down."""

    def proba(self, texts):
        return 1 - super().proba(texts)


CHANGES = {  # what a crawl was given, and what it is given when it goes on
    "budget": ({}, {}),
    "MAX lifted": ({"max_per_domain": 2}, {}),
    "MAX": ({}, {"max_per_domain": 3}),
    "MAX that falls": ({}, {"max_per_domain": (4, 2)}),
    "narrower": ({}, {"follow": elsewhere}),
    "wider": ({"follow": near}, {}),
    "deeper": ({"follow": lambda url, depth: depth < 2}, {"follow": lambda url, depth: depth < 3}),
    "classifier": ({}, {"classifier": Contrary()}),
    "from breadth first": ({"policy": "bfs"}, {}),
    "to breadth first": ({}, {"policy": "bfs"}),
    "in flight": ({"in_flight": 4, "grow": 0}, {"follow": elsewhere, "in_flight": 2}),
}


# Two policies by all changes, the others by one.
PAIRS = [(p, c) for p in NAMES for c in CHANGES if p in ("tres", "prospector") or c == "in flight"]


@pytest.mark.parametrize(("policy", "change"), PAIRS)
def test_a_crawl_goes_on_as_another_one(policy, change, tmp_path):
    before, after = ({"policy": POLICIES[policy]} | given for given in CHANGES[change])
    first, web = run(tmp_path / "j", budget=25, **before)
    log, more = run(tmp_path / "j", budget=40, **after)
    assert log["url"].is_unique and not {*web.fetched} & {*more.fetched}
    past, new = log[: len(first)], log[len(first) :]
    same = ["step", "url", "status", "reason"] + ["reward", "p"] * (change != "classifier")
    assert_same(past[same], first[same])
    if not policy.startswith("seedfinder"):  # whose results have none
        assert (past["parent"][1:] != "").all()
    assert {*log["parent"]} - {""} <= {*log["url"]}
    cap = DomainCap(after.get("max_per_domain"), 40)
    counts = log[log["step"] > 0].groupby("domain").cumcount() + 1
    assert all(counts[row] <= cap.at(step) for row, step in new["step"].items())
    assert len(new) or "max_per_domain" in after or len(first) < 26
    if "follow" in after:
        assert all(map(after["follow"], new["url"], new["depth"] - 1))
    if change == "classifier":
        np.testing.assert_allclose(past["p"], 1 - first["p"])


@pytest.mark.parametrize("change", ["MAX lifted", "wider", "deeper"])
def test_links_that_were_kept_out_come_in(change, tmp_path):
    before, after = CHANGES[change]
    first, _ = run(tmp_path / "j", "bfs", budget=400, **before)
    more, _ = run(tmp_path / "j", "bfs", budget=400, **after)
    assert len(more) > len(first) and more["url"][: len(first)].equals(first["url"])
    assert more["url"][len(first)] in {
        link.url for url in first["url"] if url in WEB.pages for link in WEB.pages[url].links
    }


@pytest.mark.parametrize("in_flight", [1, 4])
@pytest.mark.parametrize("policy", ["bfs", "best-first", "prospector", "tree-random", "ache"])
def test_a_smaller_budget_gives_the_shorter_crawl(policy, in_flight, tmp_path):
    how = {"in_flight": in_flight, "grow": 0, "errors": "skip"}
    run(tmp_path / "j", policy, **how)
    lines = (tmp_path / "j").read_bytes()
    short, web = run(tmp_path / "j", policy, budget=20, **how)
    assert web.fetched == [] and (tmp_path / "j").read_bytes() == lines
    assert short["step"].max() == 20
    whole, n = run(None, policy, budget=20, **how)[0], 99 if in_flight == 1 else 16
    if policy != "ache":  # which plans by the budget
        assert_same(short[:n], whole[:n])  # the end comes in another order if several fly


@pytest.mark.parametrize("in_flight", [1, 3])
def test_the_last_line_cut_at_any_place_is_fetched_again(in_flight, tmp_path):
    urls, path = [f"http://a.example/{i}" for i in range(5)], tmp_path / "j"
    web, how = web_of(*(page(url, *urls, text="é") for url in urls)), {"in_flight": in_flight}
    how |= {"budget": 4, "checkpoint": path, "grow": 0}
    whole = crawl(Arrivals(web), urls[:1], **how).log
    content = path.read_bytes()
    start = content.rstrip().rindex(b"\n") + 1
    for left in range(start, len(content), 7):
        path.write_bytes(content[:left])
        again = Arrivals(web)
        assert crawl(again, urls[:1], **how).log.equals(whole)
        assert again.fetched == whole["url"][-1:].tolist() and path.read_bytes() == content


def test_a_line_that_was_taken_out_is_fetched_again(tmp_path):
    first, _ = run(tmp_path / "j", "bfs")
    lines = (tmp_path / "j").read_bytes().splitlines(keepends=True)
    (tmp_path / "j").write_bytes(b"".join(lines[:9] + lines[10:]))
    log, web = run(tmp_path / "j", "bfs")
    assert web.fetched == [first["url"][8]] and {*log["url"]} == {*first["url"]}


def test_a_visit_that_nobody_asked_for_is_named(tmp_path):
    run(tmp_path / "j", "bfs", 9)
    header, line, *rest = (tmp_path / "j").read_text().splitlines(keepends=True)
    line = json.dumps(json.loads(line) | {"asked": []}) + "\n"
    (tmp_path / "j").write_text("".join([header, line, *rest]))
    with pytest.raises(ValueError, match="line 2 has .*site0.*, which was not asked for"):
        run(tmp_path / "j", "bfs")


def test_patience_begins_once_all_seeds_are_told(tmp_path):
    """Four seeds are gone; the fifth leads on."""
    good, *gone = (f"http://{name}.example/" for name in "abcdf")
    web = web_of(page(good, *(f"{good}{i}" for i in range(9)), text="apple"), truth=set())
    result = crawl(web, [*gone, good], patience=3, checkpoint=tmp_path / "j", budget=20)
    assert result.ending.stop is Stop.FAILING and good in set(result.log["url"])


def test_all_hosts_rest_when_exploration_ends():
    """TRES by discovery then scores anew all that waits, at rest or not."""
    web = orchard()
    core = Crawl(
        seed_of(web), TOPIC, policy="tres-async", budget=60, classifier=CountingClassifier()
    )
    rests = domain(seed_of(web, 2)[1])
    while url := core.ask(ready=lambda url: domain(url) != rests):
        core.tell(url, web.pages.get(url) or FetchError(url, "gone", 404))
    assert len(core.rows) == 61 and core.resting


def rewritten(path, edit, header=()):
    first, *lines = map(json.loads, path.read_text().splitlines())
    texts = map(json.dumps, [first | dict(header), *map(edit, lines)])
    path.write_text("".join(f"{text}\n" for text in texts))


@pytest.mark.parametrize("in_flight", [1, 4])
@pytest.mark.parametrize("policy", ["bfs", "prospector"])
def test_a_journal_of_an_older_version_is_read(policy, in_flight, tmp_path):
    how = {"in_flight": in_flight, "grow": 0}
    lived, web = run(tmp_path / "j", policy, 17, **how)
    header = {"budget": 999, "policy": "sync", "errors": "skip", "private_suffixes": False}
    rewritten(tmp_path / "j", lambda line: {n: line[n] for n in line if n != "asked"}, header)
    log, more = run(tmp_path / "j", policy, **how)
    assert log["url"][:17].equals(lived["url"]) and len(log) == 41
    assert not {*web.fetched} & {*more.fetched}
    if in_flight == 1:
        assert_same(log, run(None, policy, **how)[0])


def test_a_journal_of_0_2_has_a_redirect_into_the_flight(tmp_path):
    """Two were in flight, the first led to the second; each line says its URL alone."""
    start, one, two = (f"http://{name}.example/" for name in "abc")
    web = web_of(page(start, one, two, text="apple"), page(one), page(two))
    path = tmp_path / "j"
    crawl(web, [start], checkpoint=path, budget=2)
    header, first, second, third = path.read_text().splitlines()
    lines = [json.loads(line) for line in (first, second, third)]
    for line in lines:
        del line["asked"]
    lines[1]["page"][0] = two  # where it led
    path.write_text("\n".join([header, *map(json.dumps, lines)]) + "\n")
    log = crawl(web, [start], checkpoint=path, budget=5).log
    assert log["url"].tolist() == [start, one] and log["final_url"].tolist() == [start, two]
