"""Traps of the live Web: copies, calendars, looping paths, pages of countless links."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from threading import Event

import numpy as np
import pandas as pd
import pytest
from fakes import DictWeb, crawl, page

from tres_live import Guard, GuardSettings
from tres_live.web.guard import near_copies
from tres_webs import FetchError, Link, Page

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
    urls = [f"{B}{i}" for i in range(2_000)]
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


def missing(path, title="Not found"):
    """Return what a site answers, with status 200, to any address that it does not know."""
    return Page(A + path, 200, title, f"Home\nJazz\nThere is no page /{path} here.", ())


def test_error_pages_that_repeat_their_address_are_copies():
    web = Guard(DictWeb({A + path: missing(path) for path in ("jazz/new-band", "Caf%C3%A9?q=1")}))
    assert web.fetch(A + "jazz/new-band").url
    with pytest.raises(FetchError, match=f"copy of {A}jazz/new-band"):
        web.fetch(A + "Caf%C3%A9?q=1")


@pytest.mark.parametrize(
    "varies", ["Request {:016x}", "Request 12-{:x}9", "at 3:{:02}pm", "May {}th"]
)
def test_ids_and_times_make_no_difference(varies):
    ids = {A: 0x7A3F00D9BC451E2F, B: 0x12DEADBEEF98}
    web = Guard(DictWeb({url: page(url, text=f"No. {varies.format(ids[url])}") for url in ids}))
    assert web.fetch(A).url
    with pytest.raises(FetchError, match=f"copy of {A}"):
        web.fetch(B)


def test_a_long_word_takes_no_quadratic_time():
    text = "a" * 1_000_000
    web = Guard(DictWeb({A: page(A, text=text), B: page(B, text=text)}))
    assert web.fetch(A).url
    with pytest.raises(FetchError, match="copy of"):
        web.fetch(B)


class Lenient(DictWeb):
    """Answers an unknown address of one site with status 200 and links that are never the same."""

    def fetch(self, url):
        if url.startswith(A) and url not in self.pages:
            self.fetched.append(url)
            found = missing(url.removeprefix(A))
            advice = f"You may like {'x' * len(self.fetched)}"
            return replace(found, text=f"{found.text}\n{advice}", links=(Link(B, advice),))
        return super().fetch(url)


def test_a_probe_knows_the_first_error_page_of_a_host():
    about = {A + "about": page(A + "about", text="about"), B + "x": page(B + "x", text="x")}
    inner = Lenient({A: page(A, text="start")} | about)
    web = Guard(inner, probe=True)
    assert [web.fetch(url).url for url in (A, *about, *about)] == [A, *about, *about]
    probes = [url for url in inner.fetched if url not in inner.pages]
    assert len(probes) == 2 and probes[0].startswith(A) and probes[1].startswith(B)
    for path in ("jazz", "blues/2"):
        with pytest.raises(FetchError, match="copy of what its host answers to any address"):
            web.fetch(A + path)
    asked = len(inner.fetched)
    after = Guard(inner, probe=True, answers=web.answers)
    with pytest.raises(FetchError, match="copy of what its host answers to any address"):
        after.fetch(A + "soul")
    assert inner.fetched[asked:] == [A + "soul"], "a host is asked once, by whichever guard"
    assert Guard(Lenient({})).fetch(A + "jazz").url, "without a probe the first is taken"


def test_of_pages_in_flight_none_passes_before_its_host_has_answered():
    asked, answer = Event(), Event()

    class Slow(DictWeb):
        def fetch(self, url):
            if url not in (A + "jazz", A + "soul"):
                asked.set()
                assert answer.wait(5)
            return missing(url.removeprefix(A))

    web = Guard(Slow({}), probe=True)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(web.fetch, A + "jazz")
        assert asked.wait(5)
        second = pool.submit(web.fetch, A + "soul")
        with pytest.raises(TimeoutError):
            second.result(0.1)
        answer.set()
        for one in (first, second):
            assert isinstance(one.exception(5), FetchError)


def words(rng, n):
    return [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in rng.integers(0, 600, n)]


def test_near_copies_are_those_of_a_large_resemblance():
    """Against the exact share of common runs, on pages of which more and more words are changed."""
    rng = np.random.default_rng(5)
    runs = [[*words(rng, 400)] for _ in range(3)]
    pages, exact = [], {}
    for k, first in enumerate(runs):
        firsts = {tuple(first[i : i + 4]) for i in range(397)}
        for changed in range(40):
            other = [*first]
            for i in rng.choice(400, changed, replace=False):
                other[i] = "xyz"
            those = {tuple(other[i : i + 4]) for i in range(397)}
            url = f"{A}{k}/{changed}"
            exact[url] = len(firsts & those) / len(firsts | those)
            pages.append((url, "Jazz", " ".join(other)))
    found = near_copies(pages)
    assert 25 < len(found) < 45
    for url, share in exact.items():
        if not url.endswith("/0") and abs(share - 0.8) > 0.1:
            assert (found.get(url) == f"{url.rpartition('/')[0]}/0") == (share > 0.8), share


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


@pytest.mark.slow
def test_an_endless_calendar_is_followed_for_a_while_only():
    found = crawl(Guard(calendar()), [A], budget=400)
    assert found.stopped == "frontier empty"
    assert found.log.url.str.contains("calendar").sum() == 30
    assert crawl(calendar(), [A], budget=400).stopped == "budget spent"


def shop(url=f"{A}offer/{{}}".format, n=6):
    """A site of copies behind a start page, and links of their shape on later pages."""
    pages = {url(i): page(url(i), text="same words") for i in range(4 * n)}
    news = [f"{A}news-{c}" for c in "abcdef"]
    for i, address in enumerate(news):
        links = [url(4 * i + k) for k in range(4)]
        pages[address] = page(address, *links, *news[i + 1 : i + 2], text=f"{'x' * (i + 1)} news")
    return DictWeb(pages), news[0]


def crawl_of_copies(checkpoint=None, stop_after=None, guard=None, **shape_of):
    web, start = shop(**shape_of)

    class Short(DictWeb):
        def fetch(self, url):
            if len(self.fetched) == stop_after:
                raise KeyboardInterrupt
            return super().fetch(url)

    guard = guard or Guard(Short(web.pages), GuardSettings(max_copies=3))
    return crawl(guard, [start], budget=40, checkpoint=checkpoint)


@pytest.mark.slow
def test_a_crawl_resumed_anywhere_counts_the_copies_as_before(tmp_path):
    whole = crawl_of_copies().log.drop(columns="seconds")
    assert whole.reason.str.startswith("copy of").sum() >= 3
    for stop in range(1, len(whole)):
        with pytest.raises(KeyboardInterrupt):
            crawl_of_copies(tmp_path / str(stop), stop)
        resumed = crawl_of_copies(tmp_path / str(stop)).log.drop(columns="seconds")
        pd.testing.assert_frame_equal(resumed, whole)
