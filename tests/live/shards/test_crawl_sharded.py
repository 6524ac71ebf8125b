"""Crawls of many shards in one process: what they fetch, what they log, how they resume."""

from functools import partial

import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, orchard, page, seed_of
from hypothesis import given, settings, strategies as st

import tres_live
from tres_lib import focused, web
from tres_lib.store import StorageError
from tres_lib.web.page import Failure
from tres_live.shards.job import crawl_sharded
from tres_live.shards.shard import owner

A, B, C = (f"http://{name}.example/" for name in "abc")
POLICIES = [
    *["prospector", "tres", "ache", "oracle", "bfs", "linear"],
    "best-first",
    "random",
    "tree-random",
]


def sharded(place, seeds, **how):
    given = {"policy": "bfs", "budget": 60, "rounds": 6, "classifier": CountingClassifier()}
    return crawl_sharded(place, seeds, TOPIC, progress=False, **given | how)


class Frugal(focused.Policy):
    """Take the oldest links, and only so many."""

    def __init__(self, context, most):
        self.live, self.most = context.live, most

    @property
    def exhausted(self):
        return self.most == 0

    def choose(self, step):
        self.most -= 1
        return self.live()[0]


def frugal(*most):
    """Return what builds a policy for each shard, one that takes so many links."""
    left = iter(most)
    return lambda context: Frugal(context, next(left))


def check(log: pd.DataFrame, shards: int) -> None:
    assert log["url"].is_unique
    assert log["shard"].tolist() == [owner(name, shards) for name in log["domain"]]
    taken = log[log["step"] > 0]
    assert taken["step"].tolist() == list(range(1, len(taken) + 1))
    assert log["round"].is_monotonic_increasing
    seen = {""}
    for parent, url in zip(log["parent"], log["url"], strict=True):
        assert parent in seen
        seen.add(url)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_crawls_in_shards(policy):
    place = orchard()
    result = sharded(place, seed_of(place, 2), policy=policy, shards=3)
    check(result.log, 3)
    assert set(result.log["shard"]) == {0, 1, 2}
    assert (result.log["step"] > 0).sum() == 60
    assert result.stopped == "budget spent"
    assert sorted(place.fetched) == sorted(result.log["url"])


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(1, 9), st.integers(0, 50), st.integers(1, 12))
def test_in_the_end_shards_fetch_what_one_crawl_fetches(shards, seed, rounds):
    place = orchard(seed, sites=9, pages=6)
    seeds = seed_of(place)
    result = sharded(place, seeds, shards=shards, rounds=rounds, budget=10_000)
    check(result.log, shards)
    how = {"policy": "bfs", "budget": 10_000, "classifier": CountingClassifier()}
    alone = focused.crawl(place, seeds, TOPIC, progress=False, **how)
    assert set(result.log["url"]) == set(alone.log["url"])
    assert result.stopped == "frontier empty"


@pytest.mark.parametrize("budget", [41, 45, 53])
def test_a_budget_is_spent_while_any_shard_has_links(budget):
    place = orchard(sites=9, pages=6)
    result = sharded(place, seed_of(place), shards=9, rounds=12, budget=budget)
    assert result.stopped == "budget spent"
    assert (result.log["step"] > 0).sum() == budget


def test_a_shard_that_takes_nothing_more_leaves_the_budget_to_others():
    place = orchard()
    result = sharded(place, seed_of(place, 2), policy=frugal(1_000, 2, 2), shards=3)
    assert result.stopped == "budget spent"
    fetched = result.rounds.groupby("shard")["fetched"].sum()
    assert fetched.tolist() == [56, 2, 2]


def test_the_table_of_rounds_adds_up():
    place = orchard()
    result = sharded(place, seed_of(place), policy="prospector", shards=4)
    rounds = result.rounds
    assert rounds["fetched"].sum() == (result.log["step"] > 0).sum()
    assert rounds["relevant"].sum() == result.log.query("step > 0")["reward"].sum()
    assert (rounds["fetched"] <= rounds["budget"]).all()
    assert set(rounds["shard"]) == {0, 1, 2, 3}
    assert rounds["bytes"].min() > 0


def test_equal_arguments_give_equal_crawls():
    place = orchard()
    how = {"policy": "tres", "shards": 3, "rng": 5}
    logs = [sharded(place, seed_of(place), **how).log.drop(columns="seconds") for _ in range(2)]
    pd.testing.assert_frame_equal(*logs)


def test_shards_have_streams_of_their_own():
    drawn = []

    class Draws(focused.Policy):
        def __init__(self, context):
            self.live = context.live
            drawn.append(context.rng.random())

        def choose(self, step):
            return self.live()[0]

    sharded(orchard(), seed_of(orchard()), policy=Draws, shards=4)
    assert len(set(drawn)) == 4


def test_a_redirect_to_another_shard_is_left_to_its_owner():
    a, b = next((x, y) for x in "abcdef" for y in "abcdef" if owner(f"{x}.example", 2) == 0
                and owner(f"{y}.example", 2) == 1)  # fmt: skip
    start, moved, target = f"http://{a}.example/", f"http://{a}.example/old", f"http://{b}.example/"
    there = page(target, text="apple")
    place = DictWeb({start: page(start, moved, text="apple"), moved: there, target: there})
    log = sharded(place, [start], shards=2).log.set_index("url")
    assert log.loc[moved, "reason"].endswith(target)
    assert log.loc[moved, "reward"] == 0
    assert log.loc[target, ["parent", "reward", "shard"]].tolist() == [moved, 1, 1]


def sites_of(shard: int, shards: int = 2) -> list[str]:
    urls = (f"http://{name}.example/" for name in "abcdefghij")
    return [url for url in urls if owner(web.domain(url), shards) == shard]


def test_a_redirect_keeps_the_path_of_its_link():
    (start, end, *_), (target, *_) = sites_of(0), sites_of(1)
    moved, there = start + "old", page(target, end, text="apple")
    pages = {start: page(start, moved, text="apple"), moved: there, target: there, end: page(end)}
    log = sharded(DictWeb(pages), [start], policy="ache", budget=10).log.set_index("url")
    assert log["depth"].to_dict() == {start: 0, moved: 1, target: 1, end: 2}


def test_a_seed_that_another_shard_owns_after_a_redirect():
    (start, *_), (target, *_) = sites_of(0), sites_of(1)
    place = DictWeb({start: page(target, text="apple"), target: page(target, text="apple")})
    for policy in ("bfs", "ache"):
        result = sharded(place, [start], shards=2, policy=policy)
        assert result.stopped == "frontier empty"
        assert result.log["url"].tolist() == [start, target]


def test_redirects_to_other_shards_are_no_failures():
    (start, *_), (target, *_) = sites_of(0), sites_of(1)
    links = [f"{start}{i}" for i in range(9)]

    class Bound(DictWeb):
        def fetch(self, url):
            if url in links:
                raise web.FetchError(url, "moved", 301, Failure.NOT_OURS, target)
            return super().fetch(url)

    place = Bound({start: page(start, *links, text="apple"), target: page(target, text="apple")})
    result = sharded(place, [start], shards=2, patience=3)
    assert result.stopped == "frontier empty"
    assert target in set(result.log["url"])


def test_what_a_policy_suggests_is_asked_for_by_its_owner():
    place = orchard()

    class Suggests(focused.Policy):
        def __init__(self, context):
            self.live = context.live

        def suggest(self, step):
            return sorted(place.pages)[:: 25 * step]

        def choose(self, step):
            return self.live()[0]

    check(sharded(place, seed_of(place), policy=Suggests, shards=3).log, 3)


def test_shards_may_share_a_web_that_is_bound_to_each_in_turn():
    class Bound(DictWeb):
        def ask_only(self, owns):
            self.owns = owns

        def fetch(self, url):
            if not self.owns(url):
                raise web.FetchError(url, "not ours", None, Failure.NOT_OURS, url)
            return super().fetch(url)

    free = orchard()
    expected = sharded(free, seed_of(free), shards=3).log.drop(columns="seconds")
    place = Bound(free.pages, free.truth)
    log = sharded(place, seed_of(free), shards=3).log.drop(columns="seconds")
    pd.testing.assert_frame_equal(log, expected)
    assert place.owns(A) and place.owns(B) and place.owns(C)  # free again


@pytest.mark.parametrize("at", [0, 5])
def test_a_full_disk_stops_the_crawl_with_its_reason(at):
    class Full(DictWeb):
        def fetch(self, url):
            if len(self.fetched) == at:
                raise StorageError("the disk is full")
            return super().fetch(url)

    place = Full(orchard().pages)
    result = sharded(place, seed_of(orchard()), shards=2)
    assert result.stopped == "the disk is full"
    assert len(result.log) == at


class Breaks(DictWeb):
    """Is interrupted once, at one of its fetches."""

    at = 10**9

    def fetch(self, url):
        if len(self.fetched) == self.at:
            self.at = 10**9
            raise KeyboardInterrupt
        return super().fetch(url)


def check_resumed(place: Breaks, at: int, whole: DictWeb, seeds: list[str], **options) -> None:
    """A crawl that is interrupted at a fetch goes on as that of the whole, asking nothing twice."""
    folder = options.pop("checkpoint")
    expected = sharded(whole, seeds, **options).log.drop(columns="seconds")
    place.at = at
    with pytest.raises(KeyboardInterrupt):
        sharded(place, seeds, checkpoint=folder, **options)
    log = sharded(place, seeds, checkpoint=folder, **options).log.drop(columns="seconds")
    pd.testing.assert_frame_equal(log, expected)
    assert sorted(place.fetched) == sorted(log["url"])


@pytest.mark.parametrize("policy", ["bfs", "prospector", "tres"])
@pytest.mark.parametrize("at", [0, 1, 7, 23, 59])
def test_an_interrupted_crawl_goes_on_and_asks_for_nothing_twice(tmp_path, policy, at):
    whole = orchard()
    options = {"policy": policy, "shards": 3, "max_per_domain": 5, "checkpoint": tmp_path}
    check_resumed(Breaks(whole.pages, whole.truth), at, whole, seed_of(whole), **options)


class Dead(DictWeb):
    """Some sites are down: nobody answers."""

    down: tuple[str, ...] = ()

    def fetch(self, url):
        if web.domain(url) in self.down:
            self.fetched.append(url)
            raise web.FetchError(url, "timeout")
        return super().fetch(url)


def two_sites(pages=60):
    """Return a site for each of two shards, each page of which links to all, and its URLs."""
    (one, *_), (other, *_) = sites_of(0), sites_of(1)
    links = [f"{site}{i}" for i in range(pages) for site in (one, other)]
    place = Dead({url: page(url, *links, text="apple") for url in (one, *links)})
    return place, one, [web.domain(one), web.domain(other)]


def test_a_shard_whose_sites_are_down_leaves_its_budget_to_the_others():
    place, start, (_, other) = two_sites()
    place.down = (other,)
    result = sharded(place, [start], shards=2, patience=5)
    assert result.stopped == "budget spent"
    taken = result.log[result.log["step"] > 0]
    assert len(taken) == 60
    # A try when links come, after those by which it gave up.
    assert 5 <= (taken["domain"] == other).sum() <= 5 + result.rounds["round"].nunique()
    assert (result.rounds["fetched"] <= result.rounds["budget"]).all()


@pytest.mark.parametrize("policy", ["bfs", "prospector"])
@pytest.mark.parametrize("at", [9, 20, 40])
def test_a_crawl_with_a_resting_shard_goes_on_after_an_interruption(tmp_path, policy, at):
    class Both(Breaks, Dead):
        pass

    free, start, (_, other) = two_sites()
    place = Both(free.pages)
    place.down = free.down = (other,)
    options = {"policy": policy, "shards": 2, "patience": 5, "checkpoint": tmp_path}
    check_resumed(place, at, free, [start], **options)


@pytest.mark.parametrize("first", [9, 16, 33])  # pages before the network is gone
def test_a_crawl_without_network_stops_and_the_same_call_goes_on(tmp_path, first):
    class Gone(Dead):
        def fetch(self, url):
            self.down = self.sites if len(self.fetched) >= first else ()
            return super().fetch(url)

    free, start, sites = two_sites()
    place = Gone(free.pages)
    place.sites = sites
    how = {"shards": 2, "patience": 5, "checkpoint": tmp_path}
    stopped = sharded(place, [start], **how)
    assert "fetches in a row failed, the last one: timeout" in stopped.stopped
    assert len(stopped.log) <= first + 2 * 5 + 2
    for _ in range(2):  # still gone
        again = sharded(place, [start], **how)
        assert (again.stopped, len(again.log)) == (stopped.stopped, len(stopped.log))
    place.sites = ()
    result = sharded(place, [start], **how)
    assert result.stopped == "budget spent"
    assert (result.log["step"] > 0).sum() == 60


@pytest.mark.parametrize("most", [(3, 8), (0, 0)])
def test_shards_that_take_nothing_more_end_the_crawl(most):
    place, start, _ = two_sites()
    result = sharded(place, [start], policy=frugal(*most), shards=2)
    assert str(result.stopped).startswith("nothing left that the policy would take")
    assert len(result.log) == 1 + sum(most)


def test_rows_come_after_each_round():
    place, rows, seen = orchard(), [], []

    class Notes(DictWeb):
        def fetch(self, url):
            seen.append(len(rows))
            return super().fetch(url)

    result = sharded(Notes(place.pages), seed_of(place), shards=2, on_row=rows.append)
    assert [row["url"] for row in rows] == result.log["url"].tolist()
    assert [row["step"] for row in rows] == result.log["step"].tolist()
    sizes = result.log.groupby("round").size().cumsum().tolist()
    assert sorted(set(seen)) == [0, *sizes[:-1]]


def test_an_empty_address_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("TRES_EXECUTOR", "")  # as the Makefile has it
    place = orchard()
    result = sharded(place, seed_of(place), shards=2, checkpoint=tmp_path)
    assert result.stopped == "budget spent"


def test_a_checkpoint_keeps_the_log_and_refuses_another_crawl(tmp_path):
    place = orchard()
    result = sharded(place, seed_of(place), shards=2, checkpoint=tmp_path)
    kept = tres_live.ShardedResult.from_parquet(tmp_path / "log.parquet")
    pd.testing.assert_frame_equal(kept.log, result.log)
    assert {"shard", "round"} <= set(kept.log)
    with pytest.raises(ValueError, match="shards was 2, is 3"):
        sharded(place, seed_of(place), shards=3, checkpoint=tmp_path)


def test_a_shard_writes_an_archive_of_its_own(tmp_path):
    documents = {url: f"<p>apple<a href={A}>a</a><a href={B}>b</a><a href={C}>c</a>" for url in
                 (A, B, C)}  # fmt: skip
    with tres_live.serve(web.ReplayWeb.from_pages(documents)) as served:
        live = partial(
            tres_live.LiveWeb, "me/1", "me@example.org", delay=0, allow_private=True,
            proxies=served.proxies,
        )  # fmt: skip
        result = sharded(live, [A], shards=3, archive=True, checkpoint=tmp_path)
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert set(result.log["url"]) == {A, B, C}
    for file in files:
        number = int(file.name[6:10])
        held = set(web.ReplayWeb.from_warc([file]).urls())
        assert held == set(result.log.loc[result.log["shard"] == number, "url"])


def test_archives_hold_what_the_guard_turns_down_as_that_of_a_crawl_without_shards(tmp_path):
    links = "".join(f"<a href={url}{i}>apple</a>" for url in (A, B, C) for i in range(3))
    documents = {f"{url}{i}": f"<p>apple{links}" for url in (A, B, C) for i in ("", 0, 1, 2)}
    place = web.ReplayWeb.from_pages(documents)
    how = {"policy": "bfs", "budget": 20, "classifier": CountingClassifier(), "progress": False}
    guarded = tres_live.Guard(tres_live.Archive(place, tmp_path / "one.warc.gz"))
    alone = focused.crawl(guarded, [A], TOPIC, **how)
    assert alone.log["reason"].str.startswith("copy of").sum() == 9
    more = {"shards": 3, "archive": True, "wrap": tres_live.Guard, "checkpoint": tmp_path / "kept"}
    crawl_sharded(place, [A], TOPIC, **how, **more)
    held = set(web.ReplayWeb.from_warc(sorted((tmp_path / "kept").glob("*.warc.gz"))).urls())
    assert held == set(web.ReplayWeb.from_warc([tmp_path / "one.warc.gz"]).urls())


def test_seeds_that_cannot_be_fetched():
    result = sharded(DictWeb({}), [A, B], shards=2)
    assert result.stopped == "no seed could be fetched"
    assert result.log["status"].tolist() == [404, 404]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"shards": 0}, "shards=0"),
        ({"rounds": 0}, "rounds=0"),
        ({"budget": 0}, "budget=0"),
        ({"rng": -1}, "rng=-1"),
        ({"policy": object()}, "policy="),
        ({"archive": True}, "checkpoint: give a folder"),
        ({"client": "tcp://127.0.0.1:1"}, "checkpoint: give a folder"),
    ],
)
def test_a_wrong_argument_is_named(how, told):
    with pytest.raises(ValueError, match=told):
        sharded(DictWeb({}), [A], **how)


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "prospectr"},
        {"in_flight": 0},
        {"max_per_domain": 0},
        {"keywords": "apple"},
        {"scope": "a.example"},
        {"client": 5},
    ],
)
def test_a_wrong_argument_leaves_nothing_in_the_checkpoint(tmp_path, wrong):
    place = orchard()
    with pytest.raises(ValueError, match=next(iter(wrong))):
        sharded(place, seed_of(place), checkpoint=tmp_path, **wrong)
    assert len(sharded(place, seed_of(place), checkpoint=tmp_path).log) == 61


@pytest.mark.parametrize("wrong", [5, "http://a.example/", None])
def test_a_web_that_is_none(wrong):
    with pytest.raises(ValueError, match="web="):
        sharded(wrong, [A])
