"""Traps of the live Web: copies, calendars, looping paths, pages of countless links."""

from itertools import pairwise

import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, page

from tres_lib import focused
from tres_lib.web import FetchError, Guard, GuardSettings, Link
from tres_lib.web.live.guard import shape

A, B = "http://a.example/", "http://b.example/"


def links_of(*urls, **settings):
    web = DictWeb({A: page(A, *urls)})
    return [link.url for link in Guard(web, GuardSettings(**settings)).fetch(A).links]


@pytest.mark.parametrize(
    ("path", "passes"),
    [
        ("news/sport/tennis", True),
        ("a/b/a/b", True),
        ("a/b/a/b/a/b", False),
        ("/".join("abcdefghijklmno"), True),
        ("/".join("abcdefghijklmnop"), False),
        ("x" * 400, True),
        ("x" * 500, False),
    ],
)
def test_links_that_look_like_traps_are_left_out(path, passes):
    assert links_of(B + path) == [B + path] * passes


@pytest.mark.slow
def test_only_the_first_links_of_a_page_are_kept():
    urls = [f"{B}{i}" for i in range(50_000)]
    assert links_of(*urls) == urls[:1_000]
    assert links_of(*urls, max_links=3) == urls[:3]


def test_a_copy_is_refused_and_names_the_first():
    web = Guard(
        DictWeb({A: page(A, text="Same words, 12 May 2031"), B: page(B, text="same WORDS 1")})
    )
    assert web.fetch(A).url == A
    with pytest.raises(FetchError, match=f"copy of {A}"):
        web.fetch(B)
    assert web.fetch(A).url == A, "the page itself may be fetched again"


def test_pages_without_words_are_no_copies():
    web = Guard(DictWeb({A: page(A, text="12"), B: page(B)}))
    assert [web.fetch(url).url for url in (A, B)] == [A, B]


def test_words_make_the_difference():
    web = Guard(DictWeb({A: page(A, text="marching on"), B: page(B, text="walking on")}))
    assert [web.fetch(url).url for url in (A, B)] == [A, B]


def calendar(months=500):
    """A site whose every month links to the next."""
    url = "http://a.example/calendar/{}/{}".format
    months = [url(2020 + i // 12, i % 12 + 1) for i in range(months)]
    pages = {
        u: page(u, after, text="Events, March 2020 Mon Tue 1") for u, after in pairwise(months)
    }
    pages[A] = page(A, *months[:30], *(f"{B}{i}" for i in range(30)), text="start")
    return DictWeb(
        pages | {f"{B}{c}": page(f"{B}{c}", text=f"page {chr(97 + c)}") for c in range(26)}
    )


def test_an_endless_calendar_is_followed_for_a_while_only():
    found = focused.crawl(
        Guard(calendar()), [A], TOPIC, policy="bfs", budget=400,
        classifier=CountingClassifier(), progress=False,
    )  # fmt: skip
    assert found.stopped == "frontier empty"
    assert found.log.url.str.contains("calendar").sum() == 30
    free = focused.crawl(
        calendar(), [A], TOPIC, policy="bfs", budget=400,
        classifier=CountingClassifier(), progress=False,
    )  # fmt: skip
    assert free.stopped == "budget spent"


def test_what_a_journal_has_counts_as_seen():
    web = Guard(DictWeb({B: page(B, text="same words")}))
    web.remember(A, page(A, text="same words"))
    with pytest.raises(FetchError, match=f"copy of {A}"):
        web.fetch(B)


def test_a_resumed_crawl_knows_the_copies(tmp_path):
    pages = {f"{A}{i}": page(f"{A}{i}", f"{A}{i + 1}", text="ab"[i % 2]) for i in range(9)}

    def crawl(budget_of_web):
        class Short(DictWeb):
            def fetch(self, url):
                if len(self.fetched) == budget_of_web:
                    raise KeyboardInterrupt
                return super().fetch(url)

        return focused.crawl(
            Guard(Short(pages)), [f"{A}0"], TOPIC, policy="bfs", budget=5, progress=False,
            classifier=CountingClassifier(), checkpoint=tmp_path / "journal",
        )  # fmt: skip

    with pytest.raises(KeyboardInterrupt):
        crawl(2)
    assert crawl(9).log.reason.tolist() == ["", "", f"copy of {A}0"]


def test_the_rest_is_the_other_webs():
    web = Guard(DictWeb({A: page(A)}, truth={A}))
    assert web.is_relevant(A, TOPIC) and not web.is_relevant(B, TOPIC)
    with pytest.raises(FetchError, match="not found"):
        web.fetch(B)
    assert shape(f"{A}2020/05?d=17") == f"{A}0/0?d=0"
    assert Guard(DictWeb({A: page(A, B)})).fetch(A).links == (Link(B, ""),)
