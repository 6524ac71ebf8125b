"""Traps of the live Web: copies, calendars, looping paths, pages of countless links."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from threading import Event

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, page

from tres_lib import focused
from tres_live import Archive, Guard, GuardSettings
from tres_live.reporting import warnings
from tres_live.web.guard import near_copies, shape
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


def missing(path, title="Not found"):
    """Return what a site answers, with status 200, to any address that it does not know."""
    return Page(A + path, 200, title, f"Home\nJazz\nThere is no page /{path} here.", ())


def test_error_pages_that_repeat_their_address_are_copies():
    web = Guard(DictWeb({A + path: missing(path) for path in ("jazz/new-band", "Caf%C3%A9?q=1")}))
    assert web.fetch(A + "jazz/new-band").url
    with pytest.raises(FetchError, match=f"copy of {A}jazz/new-band"):
        web.fetch(A + "Caf%C3%A9?q=1")


def test_a_front_page_at_its_second_address_is_a_copy():
    web = Guard(DictWeb({A + path: page(A + path, text="jazz/blues") for path in ("", "home")}))
    assert web.fetch(A).url
    with pytest.raises(FetchError, match=f"copy of {A}"):
        web.fetch(A + "home")


def test_copies_in_a_row_do_not_end_a_crawl_and_are_told():
    copies = [f"{A}{'x' * i}" for i in range(1, 13)]
    web = DictWeb({A: page(A, *copies, text="apples")})
    web.pages |= {url: page(url, text="an apple is not here") for url in copies}
    found = focused.crawl(
        Guard(web), [A], TOPIC, policy="bfs", budget=20, patience=3, progress=False,
        classifier=CountingClassifier(),
    )  # fmt: skip
    assert found.stopped == "frontier empty"
    assert warnings(found) == [
        f"11 pages of a.example were not taken, each a copy of {copies[0]}; if that is its page "
        "for what is not found, a probe (Guard(probe=True)) knows it from the start"
    ]


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


def test_short_pages_whose_titles_differ_are_no_copies():
    pages = {A + path: missing(path, title=path) for path in ("red-barn", "blue-sky")}
    web = Guard(DictWeb(pages))
    assert [web.fetch(url).url for url in pages] == list(pages)


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


def test_a_host_that_leads_to_its_front_page_loses_no_page_by_that():
    class ToFront(DictWeb):
        def fetch(self, url):
            return super().fetch(url if url in self.pages else A)

    front = Page(A, 200, "My site", "music", (Link(A + "music", "music"),))
    music = Page(A + "music", 200, "My site", "jazz", (Link(A + "jazz", "jazz"),))
    web = Guard(ToFront({A: front, A + "music": music}), probe=True)
    assert [web.fetch(url).url for url in (A, A + "music")] == [A, A + "music"]


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


@pytest.mark.parametrize("redirects", [True, False])
def test_a_front_page_that_answers_any_address_stays(redirects):
    class FrontPage(DictWeb):
        def fetch(self, url):
            return page(A if redirects else url, text="All our pages")

    web = Guard(FrontPage({}), probe=True)
    with suppress(FetchError):
        web.fetch(A + "jazz")
    assert web.fetch(A).url == A


TEXT = "the band of the old town played that night in a hall by the river as people danced "


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


@pytest.mark.parametrize(
    ("title", "text", "is_copy"),
    [
        ("Jazz (print)", f"{TEXT * 3} printed on 3 May 2031", True),
        ("Jazz", TEXT * 3, True),
        ("", TEXT * 3, True),
        ("Blues", TEXT * 3, False),  # of one form
        ("Jazz", TEXT[::-1] * 3, False),
    ],
)
def test_a_print_view_is_a_near_copy(title, text, is_copy):
    text, other = (f"{own} {' '.join(words(np.random.default_rng(1), 40))}" for own in (TEXT, text))
    pages = [(A, "Jazz", f"{TEXT * 3}{text}"), (B, title, f"{other}{text}")]
    assert near_copies(pages) == ({B: A} if is_copy else {})
    assert near_copies([(A, "Jazz", TEXT), (B, "Jazz", TEXT)]) == {}, "too short"


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
    return focused.crawl(
        guard, [start], TOPIC, policy="bfs", budget=40, progress=False,
        classifier=CountingClassifier(), checkpoint=checkpoint,
    )  # fmt: skip


@pytest.mark.slow
def test_a_crawl_resumed_anywhere_counts_the_copies_as_before(tmp_path):
    whole = crawl_of_copies().log.drop(columns="seconds")
    assert whole.reason.str.startswith("copy of").sum() >= 3
    for stop in range(1, len(whole)):
        with pytest.raises(KeyboardInterrupt):
            crawl_of_copies(tmp_path / str(stop), stop)
        resumed = crawl_of_copies(tmp_path / str(stop)).log.drop(columns="seconds")
        pd.testing.assert_frame_equal(resumed, whole)


def test_copies_that_a_guard_counted_itself_are_not_counted_again(tmp_path):
    web, start = shop()
    guard = Guard(web, GuardSettings(max_copies=3))
    first = crawl_of_copies(tmp_path / "journal", guard=guard)
    second = crawl_of_copies(tmp_path / "journal", guard=guard)
    pd.testing.assert_frame_equal(first.log, second.log)
    again = Guard(web, GuardSettings(max_copies=2))
    again.fetch(f"{A}offer/0")
    for _ in range(3):
        with pytest.raises(FetchError):
            again.fetch(f"{A}offer/1")
    assert f"{A}offer/4" in [link.url for link in again.fetch(f"{A}news-b").links]


def test_copies_behind_redirects_count_for_the_shape_that_links_have():
    class Redirects(DictWeb):
        def fetch(self, url):
            return super().fetch(url.replace("/go/", "/there/x"))

    pages = {f"{A}there/x{i}": page(f"{A}there/x{i}", text="same words") for i in range(9)}
    web = Guard(Redirects(pages | {B: page(B, f"{A}go/9", text="b")}), GuardSettings(max_copies=3))
    for i in range(4):
        assert web.fetch(B).links == (Link(f"{A}go/9", ""),)
        with suppress(FetchError):
            web.fetch(f"{A}go/{i}")
    assert web.fetch(B).links == ()


def test_wrappers_pass_failures_on(tmp_path):
    told = []

    class Other(DictWeb):
        def remember_failure(self, url, error):
            told.append((url, error.reason, error.status))

    web = Archive(Guard(Archive(Other({}), tmp_path / "a.warc.gz")), tmp_path / "b.warc.gz")
    web.remember_failure(A, FetchError(A, "gone", 410))
    assert told == [(A, "gone", 410)]


def test_the_rest_is_the_other_webs():
    web = Guard(DictWeb({A: page(A)}, truth={A}))
    assert web.is_relevant(A, TOPIC) and not web.is_relevant(B, TOPIC)
    with pytest.raises(FetchError, match="not found"):
        web.fetch(B)
    assert shape(f"{A}2020/05?d=17") == f"{A}0/0?d=0"
    assert Guard(DictWeb({A: page(A, B)})).fetch(A).links == (Link(B, ""),)
