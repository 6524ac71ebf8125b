"""A crawl that goes on within other bounds: its past stays, links that were kept out come in."""

import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_lib import focused
from tres_lib.focused import Bounds, Scope
from tres_lib.web import domain

POLICIES = ("bfs", "best-first", "linear", "tree-random", "tres", "ache", "prospector", "sb")


def crawl(checkpoint, policy="bfs", budget=30, **changes):
    web = orchard()
    given = {"classifier": CountingClassifier(), "progress": False, "checkpoint": checkpoint}
    return focused.crawl(web, seed_of(web), TOPIC, policy=policy, budget=budget, **given | changes)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_lifted_cap_lets_in_the_links_that_it_kept_out(policy, tmp_path):
    file = tmp_path / "journal"
    first = crawl(file, policy, max_per_domain=1).log
    later = (Bounds(len(first)),)  # rows but the seed, and one
    more = crawl(file, policy, max_per_domain=1, extra=80, later=later).log
    columns = ["step", "url", "reward"]
    assert more[columns][: len(first)].equals(first[columns])
    new = more[len(first) :]
    assert len(new) == 80 and more["url"].is_unique
    assert set(new["domain"]) & set(first["domain"]), "domains that were at their cap"
    again = crawl(file, policy, max_per_domain=1, extra=80, later=later).log
    assert again[columns].equals(more[columns])


def test_a_crawl_that_ran_dry_goes_on_where_a_wider_scope_leads(tmp_path):
    file, home = tmp_path / "journal", domain(seed_of(orchard())[0])
    near = Scope(allow=(home,))
    dry = crawl(file, budget=100, scope=near)
    assert dry.ending.stop is focused.Stop.EMPTY
    n = len(dry.log)
    wider = crawl(file, budget=100, scope=near, later=(Bounds(n, None, None),)).log
    assert len(wider) == 101 and set(wider["domain"][:n]) == {home} != set(wider["domain"])
    reached = {link.url for url in dry.log["url"] for link in links_of(url)}
    assert wider["url"][n] in reached - set(dry.log["url"])


def test_bounds_hold_at_once_where_nothing_is_left_to_choose(tmp_path):
    file = tmp_path / "journal"
    full = crawl(file, budget=100, max_per_domain=1)
    assert full.ending.stop is focused.Stop.AT_LIMIT
    more = crawl(file, budget=100, max_per_domain=1, later=(Bounds(len(full.log) + 7),)).log
    assert len(more) == 101 and more["url"][: len(full.log)].tolist() == full.log["url"].tolist()


def test_bounds_after_an_interruption_with_pages_in_flight(tmp_path):
    file, k = tmp_path / "journal", 4
    whole = crawl(file, budget=60, in_flight=k).log
    lines = file.read_bytes().splitlines(keepends=True)
    for arrived in (10, 21, 33):  # visits after the seed, when it was killed
        file.write_bytes(b"".join(lines[: 2 + arrived]))
        later = (Bounds(arrived + k, None, Scope(deny=("site1.example",))),)
        more = crawl(file, budget=60, in_flight=k, later=later).log
        assert more["url"][: arrived + 1].tolist() == whole["url"][: arrived + 1].tolist()
        assert "site1.example" not in set(more["domain"][arrived + k + 1 :])


def test_a_narrower_scope_drops_the_links_that_wait(tmp_path):
    file, home = tmp_path / "journal", domain(seed_of(orchard())[0])
    first = crawl(file).log
    near = Bounds(31, None, Scope(allow=(home,)))
    more = crawl(file, extra=20, later=(near,)).log
    assert set(first["domain"]) - {home} and set(more["domain"][31:]) == {home}


def test_a_depth_is_that_of_the_shortest_way(tmp_path):
    file = tmp_path / "journal"
    flat = crawl(file, budget=40, scope=Scope(max_depth=1))
    n = len(flat.log)
    deeper = crawl(
        file, budget=40, scope=Scope(max_depth=1), later=(Bounds(n, None, Scope(max_depth=2)),)
    )
    assert flat.ending.stop is focused.Stop.EMPTY and deeper.log["depth"].max() == 2
    assert deeper.log["depth"][n:].min() == 2


def test_without_a_checkpoint_there_are_no_pages_to_look_at_again():
    with pytest.raises(ValueError, match="later: .*checkpoint"):
        crawl(None, later=(Bounds(5),))


def links_of(url):
    page = orchard().pages.get(url)
    return page.links if page else ()
