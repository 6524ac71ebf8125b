"""A web whose pages are kept in a WARC file."""

import errno
import io
import math
from dataclasses import replace
from itertools import chain, repeat

import fakes
import pytest
from fakes import DictWeb
from hypothesis import given, strategies as st
from warcio.archiveiterator import ArchiveIterator

from tres_live import Archive
from tres_webs import ReplayWeb, parse_page

URLS = [f"http://{name}.example/" for name in "abc"]
DOCUMENTS = {url: f"<title>{url}</title><a href='/x'>naïve</a> " + "text " * 90 for url in URLS}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "crawl.warc.gz"


def archive(path):
    return Archive(ReplayWeb.from_pages(DOCUMENTS), path)


def test_a_web_is_made_of_the_file_again(path):
    kept = [archive(path).fetch(url) for url in URLS]
    again = ReplayWeb.from_warc([path])
    assert [again.fetch(url) for url in URLS] == kept
    with path.open("rb") as stream:
        records = [(r.rec_headers["WARC-Target-URI"], r.http_headers.get_statuscode())
                   for r in ArchiveIterator(stream, check_digests="raise")]  # fmt: skip
    assert records == [(url, "200") for url in URLS]


def test_a_redirect_is_kept_as_one(path):
    old = "http://old.example/page"

    class Moved:
        def fetch(self, url):
            return parse_page(URLS[0], DOCUMENTS[URLS[0]])

    moved = Archive(Moved(), path).fetch(old)
    again = ReplayWeb.from_warc([path])
    assert again.fetch(old) == again.fetch(URLS[0]) == moved
    assert moved.url == URLS[0]


def test_a_truncated_page_is_marked_in_its_record(path):
    whole = archive(path).fetch(URLS[0])

    class Cut(DictWeb):
        def fetch(self, url):
            return replace(whole, url=url, truncated=True)

    cut = Archive(Cut({}), path).fetch(URLS[1])
    with path.open("rb") as stream:
        marks = [record.rec_headers.get_header("WARC-Truncated")
                 for record in ArchiveIterator(stream, check_digests="raise")]  # fmt: skip
    assert marks == [None, "length"]
    again = ReplayWeb.from_warc([path])
    assert again.fetch(URLS[0]) == whole and cut.truncated
    assert again.fetch(URLS[1]) == replace(cut, links=again.fetch(URLS[1]).links)


@pytest.mark.slow
@given(cut=st.integers(min_value=1))
def test_a_torn_record_is_cut_off(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("torn") / "crawl.warc.gz"
    sizes = [0]
    for url in URLS:
        archive(path).fetch(url)
        sizes.append(path.stat().st_size)
    left = sizes[-1] - min(cut, sizes[-1])
    path.write_bytes(path.read_bytes()[:left])
    web = archive(path)
    assert path.stat().st_size == max(size for size in sizes if size <= left)
    web.fetch(URLS[2])
    assert ReplayWeb.from_warc([path]).fetch(URLS[2]).title == URLS[2]


def test_another_file_is_left_alone(tmp_path):
    diary = tmp_path / "diary.warc.gz"
    diary.write_text("dear diary")
    with pytest.raises(ValueError, match="path=.*no WARC file"):
        archive(diary)
    assert diary.read_text() == "dear diary"
    with pytest.raises(ValueError, match="path=.*warc.gz"):
        archive(tmp_path / "crawl.zip")


class FullDisk(io.FileIO):
    """A file on a disk that has room for some bytes, then for none."""

    room = 0

    def write(self, data):
        taken = bytes(data)[: FullDisk.room]
        FullDisk.room -= len(taken)
        if not taken:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(taken)


@pytest.fixture
def appending(monkeypatch):
    """A function after whose call the appends to files have room for so many bytes each."""

    def begin(rooms):
        def open_file(path, mode="r", *args, **kwargs):
            room = next(rooms, math.inf) if mode == "ab" else math.inf
            if room == math.inf:
                return open(path, mode, *args, **kwargs)
            FullDisk.room = room
            return FullDisk(path, mode)

        monkeypatch.setattr("tres_live.web.archive.open_file", open_file)

    return begin


@pytest.mark.parametrize("room", [0, 1, 300])
def test_a_record_is_written_whole_or_not_at_all(path, appending, room):
    web = archive(path)
    web.fetch(URLS[0])
    before = path.read_bytes()
    appending(iter([room]))
    with pytest.raises(OSError, match="archive.*No space left"):
        web.fetch(URLS[1])
    assert path.read_bytes() == before
    web.fetch(URLS[2])
    assert ReplayWeb.from_warc(path).urls() == [URLS[0], URLS[2]]


TRAIL = {
    f"http://a.example/{i}": f"<p>page {i} <a href=/{i + 1}>next</a> <a href=/gone{i}>gone</a>"
    for i in range(30)
}


def crawl(web, folder, **how):
    """A crawl of a web with an archive and a journal."""
    kept, journal = Archive(web, folder / "pages.warc.gz"), folder / "journal.jsonl"
    return fakes.crawl(kept, list(TRAIL)[:1], budget=40, checkpoint=journal, **how)


@pytest.mark.parametrize("in_flight", [1, 3])
def test_a_disk_full_for_a_moment_stops_the_crawl_which_loses_nothing(
    tmp_path, appending, in_flight
):
    web, whole = ReplayWeb.from_pages(TRAIL), tmp_path / "whole"
    expected = crawl(web, whole)
    appending(chain(repeat(math.inf, 9), [100]))
    first = crawl(web, tmp_path, in_flight=in_flight)
    assert first.stopped == "the archive could not be written: No space left on device"
    second = crawl(web, tmp_path, in_flight=in_flight)
    assert second.stopped == expected.stopped
    kept = ReplayWeb.from_warc(tmp_path / "pages.warc.gz")
    assert set(kept) == set(second.log.url[second.log.reason == ""])
    if in_flight == 1:
        fakes.assert_same(second, expected)


def test_a_crawl_that_cannot_keep_its_first_page_has_a_summary(tmp_path, appending):
    appending(repeat(0))
    result = crawl(ReplayWeb.from_pages(TRAIL), tmp_path)
    assert "No space left" in result.summary()["stopped"] and result.summary()["fetched"] == 0
