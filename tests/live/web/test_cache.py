"""Conditional requests, and what is kept of earlier answers in a folder."""

import os

import pytest
from hypothesis import given, strategies as st
from loopback import Loopback, live, reply

from tres_lib.web import FetchError
from tres_live.web.cache import HttpCache, Stored

URL = "http://h.example/a"
TAGGED = {"ETag": '"1"', "Content-Type": "text/html"}


@pytest.mark.network
def test_a_page_that_did_not_change_is_not_sent_again(tmp_path):
    text = "<title>é</title>".encode("cp1252")
    first = reply(
        text, ETag='"v1"', Last_Modified="then", Content_Type="text/html; charset=windows-1252"
    )
    with Loopback({"/": [first, reply(status=304), reply("<p>new"), reply("<p>newer")]}) as server:
        one, two, again = (live(cache=tmp_path / "pages").fetch(server.url()) for _ in range(3))
        assert (one.title, one.html) == (two.title, two.html) == ("é", one.html)
        assert two.status == 200 and two.fetched_at > one.fetched_at
        assert again.text == "new" and live().fetch(server.url()).text == "newer"
        headers = [asked.headers for asked in server.asked if asked.path == "/"]
    assert "if-none-match" not in headers[0] and "if-none-match" not in headers[3]
    for conditional in headers[1:3]:
        asked = conditional["if-none-match"], conditional["if-modified-since"]
        assert asked == ('"v1"', "then")


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
def test_what_cannot_or_must_not_be_asked_about_is_not_kept(headers, tmp_path):
    with Loopback({"/": reply("<p>x", **headers)}) as server:
        web = live(cache=tmp_path)
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


def test_a_page_with_a_header_of_60_kilobytes_is_not_kept(tmp_path):
    cache = HttpCache(tmp_path)
    cache.put(URL, TAGGED | {"Content-Type": "text/html;" + " " * 60_000}, b"x")
    assert cache.get(URL) is None
