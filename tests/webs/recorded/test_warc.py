"""WARC files: what is read of whole, dated and damaged ones."""

import gzip
import io
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tres_webs.page import FetchError
from tres_webs.recorded.replay import ReplayWeb
from tres_webs.recorded.warc import whole_records

A, B, C = (f"http://site.org/{name}" for name in "abc")


def write_warc(path: Path, records, **marks: str) -> Path:
    """Write records (url, status, headers, body), each with these headers of WARC."""
    with path.open("ab") as stream:
        writer = WARCWriter(stream, gzip=path.suffix == ".gz")
        for url, status, headers, body in records:
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", io.BytesIO(body), http_headers=http,
                warc_headers_dict={f"WARC-{name}": mark for name, mark in marks.items()},
            )  # fmt: skip
            writer.write_record(record)
    return path


HTML = [("Content-Type", "text/html")]
CHUNKED = b"3\r\nch \r\n7\r\nunked b\r\n0\r\n\r\n"
RECORDS = [
    (A, "200 OK", [("Content-Type", "Text/HTML; charset=koi8-r")], "ж".encode("koi8-r")),
    (B, "200 OK", [*HTML, ("Content-Encoding", "gzip")], gzip.compress(b"b <a href=c>c</a>")),
    (C, "200 OK", [*HTML, ("Transfer-Encoding", "chunked")], CHUNKED),
    ("http://site.org/old", "301 Moved", [("Location", "older")], b""),
    ("http://site.org/older", "302 Found", [("Location", "/b")], b""),
    ("http://site.org/loop", "302 Found", [("Location", "/loop2")], b""),
    ("http://site.org/loop2", "302 Found", [("Location", "/loop")], b""),
    ("http://site.org/gone", "404 Not Found", HTML, b"gone"),
    ("http://site.org/style", "200 OK", [("Content-Type", "text/css")], b"p{}"),
    ("http://site.org/odd", "200 OK", [*HTML, ("Content-Encoding", "rot13")], b"uryyb"),
]


@pytest.mark.parametrize("name", ["site.warc", "site.warc.gz"])
def test_warc(tmp_path, name):
    web = ReplayWeb.from_warc(write_warc(tmp_path / name, RECORDS), labels={B: "food"})
    assert web.urls() == [A, B, C]
    assert [web.fetch(url).text for url in web] == ["ж", "b c", "ch unked b"]
    assert web.fetch("http://site.org/old").url == B
    assert web.is_relevant("http://site.org/old", "food") is True
    assert "http://site.org/loop" not in web and "http://site.org/gone" not in web


def test_with_a_clock_it_answers_as_of_a_moment(tmp_path):
    """A reader records a site on several days; the order of the files does not matter."""
    rows = [
        ("2024-03-09T12:00:00Z", A, "200 OK", HTML, b"new"),
        ("2024-03-01T12:00:00Z", A, "200 OK", HTML, b"old"),
        ("2024-03-05T12:00:00Z", B, "302 Found", [("Location", "/a")], b""),
        ("2024-03-07T12:00:00Z", B, "200 OK", HTML, b"b at last"),
        ("2024-03-05T12:00:00.5Z", C, "200 OK", HTML, b"c"),
    ]
    paths = [
        write_warc(tmp_path / f"{i}.warc.gz", [record], Date=date)
        for i, (date, *record) in enumerate(rows)
    ]
    march = datetime(2024, 3, 1, tzinfo=UTC).timestamp() / 86_400 - 1
    day = 0.0
    web = ReplayWeb.from_warc(paths, labels={A: "food"}, clock=lambda: march + day)
    assert web.urls() == [] and len(web) == 0 and A not in web
    with pytest.raises(FetchError, match="not recorded"):
        web.fetch(A)
    states = {}
    for day in (9.6, 1.5, 5.4, 5.6, 7.6):
        states[day] = {url: web.fetch(url).text for url in (A, B, C) if url in web}
        assert web.is_relevant(A, "food") is True
    assert states[1.5] == states[5.4] == {A: "old"}
    assert states[5.6] == {A: "old", B: "old", C: "c"}  # B leads to A for two days
    assert states[7.6] == {A: "old", B: "b at last", C: "c"}
    assert states[9.6] == {A: "new", B: "b at last", C: "c"}
    assert ReplayWeb.from_warc(paths).fetch(A).text == "old"  # the last file counts, as ever
    with pytest.raises(ValueError, match="clock=5"):
        ReplayWeb.from_warc(paths, clock=5)


@pytest.fixture(params=["site.warc", "site.warc.gz"])
def twenty(request, tmp_path):
    """A WARC file of 20 pages, whose texts do not repeat."""
    rows = ((f"http://a.example/{i}", f"page {i} " * 200) for i in range(20))
    records = [(url, "200 OK", HTML, text.encode()) for url, text in rows]
    return write_warc(tmp_path / request.param, records)


@pytest.mark.slow
def test_of_a_file_damaged_in_one_place_most_is_read(twenty):
    good, rng = twenty.read_bytes(), np.random.default_rng(0)
    for _ in range(60):
        start, n = rng.integers(len(good)), rng.integers(1, 200)
        junk = [bytes([good[start] ^ 1 << rng.integers(8)]), b"", rng.bytes(n)][rng.integers(3)]
        twenty.write_bytes(good[:start] + junk + good[start + max(1, n * (len(junk) != 1)) :])
        assert len(ReplayWeb.from_warc(twenty)) >= 18


@pytest.mark.slow
def test_a_file_cut_anywhere_gives_its_whole_records(twenty):
    content = twenty.read_bytes()
    sizes = []
    for left in range(0, len(content), 61):
        twenty.write_bytes(content[:left])
        sizes.append(len(ReplayWeb.from_warc(twenty)))
    assert sizes == sorted(sizes) and sizes[0] == 0 and sizes[-1] >= 19


def test_a_page_may_speak_of_warc_files(tmp_path):
    body = b"<p>see\r\nWARC/1.0\r\nContent-Length: 3\r\n\r\nabc\r\n\r\nWARC/1.0\x1f\x8b\x08"
    records = [(A, "200 OK", HTML, body), (B, "200 OK", HTML, b"b")]
    assert len(ReplayWeb.from_warc(write_warc(tmp_path / "site.warc", records))) == 2


def hostile_files() -> dict[str, bytes]:
    """Some 400 kB each, in which every place looks like the start of a record."""
    open_ended = zlib.compressobj(wbits=31)
    start = open_ended.compress(b"WARC/1.0\r\n") + open_ended.flush(zlib.Z_SYNC_FLUSH)
    size = len(start).to_bytes(2, "little")
    as_stored = b"\0" + size + bytes(255 - byte for byte in size) + start
    far = b"WARC/1.0\nContent-Length: 250000\n\n" * 5_000
    return {
        "starts": b"WARC/1.0\r\n" * 40_000,
        "starts within lines": b"WARC/1.0\r\n" + b"xWARC/1.0\r\n" * 40_000,
        "one line of starts": b"WARC/1.0" * 50_000,
        "one far end": far + b" " * 250_000 + b"x",
        "gzip starts": b"WARC/1.0\r\n" + b"\x1f\x8b\x08" * 130_000,
        "members in one another": start + as_stored * 10_000,
        "members in one another, damaged at the end": start + as_stored * 10_000 + b"\xff" * 9,
    }


@pytest.mark.parametrize("content", hostile_files().values(), ids=hostile_files())
def test_a_file_of_record_starts_is_read_in_a_short_time(tmp_path, content):
    path = tmp_path / "starts.warc"
    path.write_bytes(content)
    start = time.process_time()
    assert len(list(whole_records(path))) <= 5_000
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "content", [None, b"no WARC file at all\r\n\r\n", b"\0\1" * 999, b"\x1f\x8b\0\0garbage"]
)
def test_bad_warc_is_named(tmp_path, content):
    path = tmp_path / "bad.warc"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.warc"):
        ReplayWeb.from_warc(path)
