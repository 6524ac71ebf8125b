"""Conditional requests, and what is kept of earlier answers, in memory and in a folder."""

import os
import tracemalloc

import pytest
from hypothesis import given, strategies as st
from loopback import Loopback, live, reply

from tres_lib.web import FetchError
from tres_live.web.cache import HttpCache, SizedCache, Stored

URL = "http://h.example/a"
TAGGED = {"ETag": '"1"', "Content-Type": "text/html"}


@pytest.mark.network
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_page_that_did_not_change_is_not_sent_again(on_disk, tmp_path):
    settings = {"cache": tmp_path / "pages"} if on_disk else {}
    text = "<title>é</title>".encode("cp1252")
    first = reply(
        text, ETag='"v1"', Last_Modified="then", Content_Type="text/html; charset=windows-1252"
    )
    with Loopback({"/": [first, reply(status=304), reply("<p>new")]}) as server:
        web = live(**settings)
        one, two = web.fetch(server.url()), web.fetch(server.url())
        assert (one.title, one.html) == (two.title, two.html) == ("é", one.html)
        assert two.status == 200 and two.fetched_at > one.fetched_at
        again = live(**settings).fetch(server.url())
        assert again.text == "new"
        headers = [asked.headers for asked in server.asked if asked.path == "/"]
    assert "if-none-match" not in headers[0]
    assert (headers[1]["if-none-match"], headers[1]["if-modified-since"]) == ('"v1"', "then")
    assert ("if-none-match" in headers[2]) == on_disk  # a folder outlives the crawler


@pytest.mark.network
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"ETag": '"1"', "Cache_Control": "private, No-Store"},
        {"ETag": "é"},
        {"ETag": "x" * 1_001},
        {"ETag": '"a\tb"'},
    ],
)
def test_what_cannot_or_must_not_be_asked_about_is_not_kept(headers):
    with Loopback({"/": reply("<p>x", **headers)}) as server:
        web = live()
        web.fetch(server.url()), web.fetch(server.url())
        assert "if-none-match" not in server.asked[-1].headers


@pytest.mark.network
def test_errors_and_what_is_no_page_are_not_kept(tmp_path):
    routes = {"/a": reply(status=404, ETag="1"), "/b": reply(ETag="1", Content_Type="image/png")}
    with Loopback(routes) as server:
        web = live(cache=tmp_path)
        for path in routes:
            with pytest.raises(FetchError):
                web.fetch(server.url(path))
    assert os.listdir(tmp_path) == []


@given(st.text(), st.binary())
def test_stored_answers_come_back_as_they_were(url, body):
    stored = Stored(url, "text/html", {"If-None-Match": "1"}, body)
    assert Stored.from_bytes(stored.to_bytes(), url) == stored
    assert Stored.from_bytes(stored.to_bytes(), url + "x") is None


@given(st.binary())
def test_damaged_files_count_as_none(data):
    assert Stored.from_bytes(data, URL) is None


@pytest.mark.parametrize("head", [b"{}", b"[]", b"null", b"7", b'{"url": 1}'])
def test_so_do_files_of_something_else(head):
    assert Stored.from_bytes(head + b"\nbody", URL) is None


@pytest.mark.parametrize(
    "url",
    ["http://h/../../etc/passwd", "../x", "/etc/passwd", "http://h/" + "a" * 5_000, "a\0b", ""],
)
def test_files_stay_in_their_folder(url, tmp_path):
    folder = tmp_path / "cache"
    cache = HttpCache(folder)
    cache.put(url, TAGGED, b"body")
    assert cache.get(url).body == b"body"
    (name,) = os.listdir(folder)
    assert len(name) == 69 and name.endswith(".http") and os.listdir(tmp_path) == ["cache"]


@pytest.mark.network
def test_a_full_disk_costs_no_page(tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    with Loopback({"/": reply("<p>x", ETag="1")}) as server:
        web = live(cache=tmp_path)
        monkeypatch.setattr(os, "replace", full)
        assert web.fetch(server.url()).text == "x"
    assert os.listdir(tmp_path) == [] and "No space left" in caplog.text


def test_a_cut_off_file_is_read_as_none(tmp_path):
    cache = HttpCache(tmp_path)
    cache.put(URL, TAGGED, b"body")
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:20])
    assert cache.get(URL) is None


def kept_in_memory(monkeypatch, limit: int, answers) -> int:
    """Return the bytes that a cache with a limit really holds after these answers."""
    monkeypatch.setattr("tres_live.web.cache.MEMORY", limit)
    cache = HttpCache()
    tracemalloc.start()
    try:
        for url, headers, body in answers:
            cache.put(url, headers, body)
        del url, headers, body
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


SHAPES = {
    "content types": lambda i: (f"{URL}{i}", TAGGED | {"Content-Type": f"{i}" * 15_000}, b"x"),
    "short content types": lambda i: (f"{URL}{i}", TAGGED | {"Content-Type": f"{i:9}" * 99}, b"x"),
    "validators": lambda i: (f"{URL}{i}", {"ETag": f"{i:4}" * 250}, b"x"),
    "URLs": lambda i: (f"{URL}{i:4}" * 100, TAGGED, b"x"),
    "many small pages": lambda i: (f"{URL}{i}", TAGGED, b"%d" % i),
    "bodies": lambda i: (f"{URL}{i}", TAGGED, bytes(9_000)),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_all_that_is_kept_in_memory_counts(shape, monkeypatch):
    assert kept_in_memory(monkeypatch, 200_000, map(shape, range(400))) < 230_000


def test_a_page_with_a_header_of_60_kilobytes_is_not_kept(tmp_path):
    for cache in (HttpCache(), HttpCache(tmp_path)):
        cache.put(URL, TAGGED | {"Content-Type": "text/html;" + " " * 60_000}, b"x")
        assert cache.get(URL) is None


def test_the_cache_in_memory_forgets_what_was_used_least_lately():
    cache = SizedCache(10)
    for name in "ab":
        cache.put(name, name, 4)
    assert cache.get("a") == "a"
    cache.put("c", "c", 4)
    assert [cache.get(name) for name in "abc"] == ["a", None, "c"]
    cache.put("a", "A", 6)
    assert [cache.get(name) for name in "ac"] == ["A", "c"]
    cache.put("d", "d", 11)  # larger than all: nothing stays
    assert [cache.get(name) for name in "acd"] == [None, None, None]
