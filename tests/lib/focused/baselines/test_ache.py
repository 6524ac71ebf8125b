"""ACHE: link words, its link classifier, hard focus, training anew, and running out of links."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from fakes import (
    CountingClassifier,
    DictWeb,
    came,
    context,
    crawl,
    page,
    step,
)

from tres_lib.focused import Ache, Stop
from tres_lib.focused.baselines.ache import scaled
from tres_webs import Link, Page

X = np.zeros((99, 8), np.float32)


def ache(links: dict[int, Link] | None = None, budget: int = 100, **settings) -> Ache:
    """A policy that finds these links, all of one domain; its page classifier likes apples."""
    made = type("Ache", (Ache,), settings)
    return made(context(X, links, budget), CountingClassifier())


def fetched(policy: Ache, action: int, text: str | None, found=(), reward: float = 0.0) -> None:
    """An action's page comes, with its links."""
    policy.drop([action])
    got = None if text is None else page("http://a.example/", text=text)
    came(policy, action, reward, X[: len(found)], found, got)


# -- policy ---------------------------------------------------------------------------------


def links_to(names: str) -> dict[int, Link]:
    return {i: Link(f"http://a.example/{i}", name) for i, name in enumerate(names.split())}


def test_hard_focus_is_the_page_classifiers_whatever_the_reward():
    policy = ache(links_to("a b c d e f"))
    assert policy.choose(1) is None
    fetched(policy, 9, "stone", [0, 1, 2], reward=1.0)  # a seed is taken as relevant
    assert policy.choose(1) == 0 and policy.q == 1.0
    fetched(policy, 0, "stone", [3, 4], reward=1.0)
    fetched(policy, 1, None)
    assert policy.choose(2) == 2
    fetched(policy, 2, "apple", [5], reward=0.0)
    assert policy.choose(3) == 5 and policy.q == pytest.approx(0.9)
    policy.drop([3, 4])  # links not taken may end too
    assert policy.choose(3) == 5
    fetched(policy, 5, "stone")
    assert policy.choose(4) is None
    assert policy.evaluations == 4


def test_training_orders_all_links_anew():
    names = "apple stone " * 10 + "stone apple apple"
    policy = ache(links_to(names), learning_limit=2_000)  # every 10 relevant pages
    fetched(policy, 99, "seed", list(range(22)))
    for action in range(17):
        assert policy.choose(1) == action and policy.n_trainings == 0
        fetched(policy, action, "apple" if action % 2 == 0 else "stone")
    # The seed and nine apples make ten: trained as the ninth came. Now anchors count.
    assert policy.n_trainings == 1
    assert step(policy) == 18 and policy.q > 0
    assert step(policy) == 21
    assert policy.choose(1) == 17 and policy.q < 0
    fetched(policy, 17, "apple", [22])  # and for new links from now on
    assert policy.choose(1) == 22 and policy.q > 0
    before = 22 + 5  # when found; when trained: 17 to 21
    assert policy.evaluations == before + 1


@pytest.mark.parametrize(("budget", "every"), [(20_000, 500), (3_000, 75), (1_000, 25), (5, 1)])
def test_trainings_scale_with_the_budget(budget, every):
    assert scaled(Ache.learning_limit, budget) == every


class InOrder(Ache):
    first_come = True


OURS = partial(InOrder, classifier=CountingClassifier())
IN_LINE = partial(Ache, scheduler="global", classifier=CountingClassifier())


def test_a_crawl_can_run_out_of_links():
    urls = [f"http://{name}.example/" for name in "abcd"]
    web = DictWeb(
        {
            urls[0]: page(urls[0], urls[1], text="apple"),
            urls[1]: page(urls[1], urls[2], text="stone"),  # behind it is an apple
            urls[2]: page(urls[2], urls[3], text="apple"),
        }
    )
    result = crawl(web, urls[:1], OURS, budget=9)
    assert list(result.log["url"]) == urls[:2]
    assert result.stopped == "nothing left that the policy would take (1 links left)"


# -- turns and the limit --------------------------------------------------------------------

HUB, *SITES = (f"http://{name}.example/" for name in "habc")


def crawled(pages: dict[str, list[str]], policy=OURS, **options):
    """Crawl from the hub a web all of whose pages are on apples; return the result."""
    known = {url: page(url, *links, text="apple") for url, links in pages.items()}
    urls = {link for links in pages.values() for link in links} - known.keys()
    web = DictWeb(known | {url: page(url, text="apple") for url in urls})
    return crawl(web, [HUB], policy, **options)


def test_domains_take_turns():
    a, b, c = ([f"{site}{n}" for n in (1, 2, 3)] for site in SITES)
    pages = {HUB: [*a, *b], b[0]: c}
    got = crawled(pages).log["url"].tolist()
    # The third domain is found at b1, and goes next: it was never accessed.
    assert got == [HUB, a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]]
    assert crawled(pages, IN_LINE).log["url"].tolist() == [HUB, *a, *b, *c]


def test_the_limit_counts_links_when_they_are_inserted_so_that_a_crawl_runs_dry():
    a, b = ([f"{site}{n}" for n in range(5)] for site in SITES[:2])
    pages = {HUB: [*a[:3], b[0]], b[0]: [a[0], *a[3:], b[1]]}
    result = crawled(pages, max_per_domain=4)
    assert result.log["url"].tolist() == [HUB, a[0], b[0], a[1], b[1], a[2], a[3]]


def test_a_crawl_that_its_limit_ran_dry_says_so():
    a = [f"{SITES[0]}{n}" for n in range(4)]
    web = DictWeb({HUB: page(HUB, *a, text="apple"), a[0]: page(a[0], text="apple")})
    moved = Page(a[1], 200, "", "apple", ())
    web.pages |= {a[0]: moved, a[1]: moved}  # both are one page, so one fetch of two is new
    result = crawl(web, [HUB], OURS, budget=9, max_per_domain=3)
    assert result.ending.stop is Stop.DRY
    assert result.stopped == "ran dry: the policy takes only a domain's first links (1 links left)"


def test_a_falling_limit_counts_by_the_step():
    a, c = ([f"{site}{n}" for n in range(9)] for site in (SITES[0], SITES[2]))
    pages = {HUB: [*a, SITES[1]], SITES[1]: c}
    result = crawled(pages, max_per_domain=(5, 2), budget=3)  # 5, 3 and 2
    assert result.log["url"].tolist() == [HUB, a[0], SITES[1], c[0]]
    assert len(result.policy.queue) == 4 + 2  # of 5 and, at the second step, of 3
