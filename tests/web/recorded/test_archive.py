"""A web whose pages are kept in a WARC file."""

import gzip
from dataclasses import replace

import pytest
from fakes import TOPIC, DictWeb, page
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from tres_lib.web import Archive, FetchError, ReplayWeb, parse_page

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


def test_what_was_not_had_is_not_kept(path):
    with pytest.raises(FetchError):
        archive(path).fetch("http://nowhere.example/")
    Archive(DictWeb({URLS[0]: page(URLS[0])}), path).fetch(URLS[0])
    assert not path.exists(), "nor is a page without its HTML"


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


def test_records_are_members_that_gzip_can_read(path):
    archive(path).fetch(URLS[0])
    assert gzip.decompress(path.read_bytes()).startswith(b"WARC/1.")


def test_the_rest_is_the_other_webs(path):
    seen = []

    class Other(DictWeb):
        def remember(self, url, page):
            seen.append(url)

    web = Archive(Other({}, truth={URLS[0]}), path)
    web.remember(URLS[1], page(URLS[1]))
    assert seen == [URLS[1]]
    assert web.is_relevant(URLS[0], TOPIC) and not web.is_relevant(URLS[1], TOPIC)
