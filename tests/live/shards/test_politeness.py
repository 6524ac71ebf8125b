"""Hosts of many shards on loopback: each is asked by its owner alone."""

from functools import partial

import pytest
from fakes import TOPIC, CountingClassifier

import tres_live
from tres_lib import web
from tres_live.shards.job import crawl_sharded
from tres_live.shards.shard import owner

pytestmark = pytest.mark.network
NAMES = [f"{x}.example" for x in "abcdefgh"]


class Moves(web.ReplayWeb):
    """Each site's ``/old`` leads to the front page of the next site."""

    def fetch(self, url):
        host, _, path = url.removeprefix("http://").partition("/")
        if path == "old":
            following = NAMES[(NAMES.index(host) + 1) % len(NAMES)]
            return super().fetch(f"http://{following}/")
        return super().fetch(url)


def test_no_host_is_asked_by_two_shards():
    links = "".join(f"<a href=http://{name}/old>apple</a>" for name in NAMES)
    place = Moves.from_pages({f"http://{name}/": f"<p>apple{links}" for name in NAMES})
    place.__class__ = Moves
    opened = []

    def live(proxies):
        made = tres_live.LiveWeb(
            "me/1", "me@example.org", delay=0.02, allow_private=True, proxies=proxies
        )
        opened.append(made)
        return made

    with tres_live.serve(place) as served:
        result = crawl_sharded(
            partial(live, served.proxies), ["http://a.example/"], TOPIC, shards=3, rounds=8,
            budget=100, policy="bfs", classifier=CountingClassifier(), progress=False,
        )  # fmt: skip
    fetched = result.log[result.log["reason"] == ""]
    assert set(map(web.domain, fetched["final_url"])) == set(NAMES)
    assert len(opened) == 3
    asked = {}
    for number, made in enumerate(opened):
        for host, log in made.politeness_log().items():
            assert host not in asked
            asked[host] = number
            assert log.smallest_gap is None or log.smallest_gap >= 0.02
    assert asked == {name: owner(name, 3) for name in NAMES}
