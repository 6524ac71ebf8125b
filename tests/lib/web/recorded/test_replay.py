"""ReplayWeb: pages, folders, WARC files and Wikispeedia, on small recordings of our own."""

import gzip
import io
import os
import re
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tres_lib.web.page import FetchError, Link, Page
from tres_lib.web.recorded.replay import ReplayWeb
from tres_lib.web.recorded.wikispeedia import (
    GRAPH,
    SHA256,
    SOURCE,
    TEXTS,
    article_text,
    download_wikispeedia,
    wikispeedia_folder,
)
from tres_lib.web.topic import Topic

HUB, A, B, C = (f"http://site.org/{name}" for name in ("hub", "a", "b", "c"))
STAR = {
    HUB: "<title>Hub</title><a href=a>A</a><a href=b>B</a><a href=c>C</a>",
    A: "a <a href='http://elsewhere.org/'>out</a>",
    B: "b",
    C: b"c",
}


def test_pages_from_a_dict_keep_links_that_leave():
    web = ReplayWeb.from_pages(STAR)
    assert len(web) == 4 and web.urls() == [HUB, A, B, C] and list(web) == web.urls()
    assert web.fetch("HTTP://site.org:80/hub#x").title == "Hub"
    assert web.links(HUB) == (A, B, C)
    assert web.fetch(A).links == (Link("http://elsewhere.org/", "out"),)
    assert A in web and "http://elsewhere.org/" not in web
    for url in ("http://elsewhere.org/", "nonsense"):
        with pytest.raises(FetchError) as caught:
            web.fetch(url)
        assert (caught.value.url, caught.value.reason) == (url, "not recorded")


def test_pages_as_objects():
    page = Page(A, 200, "t", "x", (Link(B, "b"),))
    assert ReplayWeb.from_pages([page]).fetch(A) is page
    assert ReplayWeb.from_pages({"http://SITE.org/c": page}).fetch(C).url == C


@pytest.mark.parametrize(
    "pages, named", [({"mailto:x": "a"}, "mailto:x"), ({A: 7}, "int"), ({A: None}, "NoneType")]
)
def test_bad_pages_are_named(pages, named):
    with pytest.raises(ValueError, match=named):
        ReplayWeb.from_pages(pages)


def test_pages_that_no_crawler_may_fetch_are_skipped_with_one_warning(caplog):
    bad = {"http://site.org/app.js.map": "x", "http://site.org/b.pdf": "y", "mailto:a@b.org": "z"}
    with caplog.at_level("WARNING"):
        web = ReplayWeb.from_pages(STAR | bad, labels=dict.fromkeys(STAR | bad, "sports"))
    assert web.urls() == list(STAR)
    assert web.is_relevant(A, "sports") is True
    (record,) = caplog.records
    said = record.getMessage()
    assert said.startswith(f"3 of {len(STAR) + 3} pages skipped") and "app.js.map" in said


def test_one_warning_counts_the_files_without_a_url(tmp_path, caplog):
    for name in ("a.html", "a" * 200 + ".html", "b" * 200 + ".html"):
        place = tmp_path.joinpath(*["deep" * 50] * 9) if len(name) > 99 else tmp_path
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("text")
    with caplog.at_level("WARNING"):
        assert ReplayWeb.from_directory({"docs.org": tmp_path}).urls() == ["http://docs.org/a.html"]
    (record,) = caplog.records
    assert record.getMessage().startswith("2 of 3 files of docs.org skipped")


def test_relevance_by_labels():
    mine = Topic("music", keywords=("jazz",))
    labels = {HUB: (), A: "sports", "http://SITE.org/b": ["food", mine], C: mine}
    web = ReplayWeb.from_pages(STAR | {"http://site.org/d": "d"}, labels)
    assert [web.is_relevant(u, "sports") for u in (HUB, A, B, C)] == [False, True, False, False]
    assert [web.is_relevant(u, mine) for u in (HUB, A, B, C)] == [False, False, True, True]
    assert web.is_relevant("http://site.org/d", "sports") is None
    assert web.is_relevant("http://elsewhere.org/", "sports") is None
    assert web.categories(B) == ("food", "music") and web.categories("http://site.org/d") == ()
    with pytest.raises(ValueError, match="chess.*food, music, sports"):
        web.is_relevant(A, "chess")
    assert ReplayWeb.from_pages(STAR).is_relevant(A, "sports") is None


def test_seeds_do_not_link_to_one_another():
    web = ReplayWeb.from_pages(STAR, dict.fromkeys(STAR, "sports"))
    for seed in range(20):  # the hub alone bars all others, so it must give way
        assert sorted(web.seeds("sports", 3, seed)) == [A, B, C]
    assert {web.seeds("sports", 1, seed)[0] for seed in range(40)} == set(STAR)
    assert web.seeds("sports", 2, 5) == web.seeds("sports", 2, np.random.default_rng(5))
    assert web.seeds("sports", 0, 0) == []
    with pytest.raises(ValueError, match="n=4.*found 3 .*'sports'"):
        web.seeds("sports", 4, 0)
    with pytest.raises(ValueError, match="found 0"):
        ReplayWeb.from_pages(STAR).seeds("sports", 1, 0)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "secret.html").write_text("secret")
    folder = tmp_path / "site"
    for name, text in {
        "index.html": "home <a href='sub/'>sub</a> <a href='sub/a b.html'>ab</a>",
        "sub/index.htm": "sub <a href='../index.html'>home</a> <a href='é.html'>é</a>",
        "sub/a b.html": "a b",
        "sub/é.html": "accent",
        "%2e%2e%2fsecret.html": "odd",
        "notes.txt": "not HTML",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_folder_of_html(site):
    web = ReplayWeb.from_directory({"docs.org": site})
    assert sorted(web) == [
        "http://docs.org/",
        "http://docs.org/%252e%252e%252fsecret.html",
        "http://docs.org/sub/",
        "http://docs.org/sub/%C3%A9.html",
        "http://docs.org/sub/a%20b.html",
    ]
    home = web.fetch("http://docs.org/index.html")
    assert home.url == "http://docs.org/"
    reached = {web.fetch(u).text for u in (*web.links(home.url), *web.links("http://docs.org/sub"))}
    assert reached == {"sub home é", "a b", "accent", "home sub ab"}
    assert web.fetch("https://docs.org/sub/a b.html").text == "a b"


def test_nothing_outside_the_folder_is_read(site):
    os.symlink(site.parent / "secret.html", site / "link.html")
    os.symlink(site.parent, site / "up")
    web = ReplayWeb.from_directory({"docs.org": site})
    assert "secret" not in {web.fetch(url).text for url in web}
    for path in ("../secret.html", "%2e%2e/secret.html", "..%2fsecret.html", "link.html"):
        assert f"http://docs.org/{path}" not in web


def test_file_that_went_away_is_a_fetch_error(site):
    web = ReplayWeb.from_directory({"docs.org": site})
    (site / "sub" / "a b.html").unlink()
    with pytest.raises(FetchError, match="cannot be read"):
        web.fetch("http://docs.org/sub/a%20b.html")


def test_bad_folders_are_named(tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        ReplayWeb.from_directory({"docs.org": tmp_path / "nowhere"})
    with pytest.raises(ValueError, match="a b"):
        ReplayWeb.from_directory({"a b": tmp_path})


def write_warc(path: Path, records: list[tuple[str, str, list[tuple[str, str]], bytes]]) -> Path:
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=path.suffix == ".gz")
        for url, status, headers, body in records:
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            record = writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=http)
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


def test_later_warc_counts(tmp_path):
    first = write_warc(tmp_path / "1.warc", RECORDS)
    second = write_warc(tmp_path / "2.warc", [(A, "200 OK", HTML, b"new")])
    web = ReplayWeb.from_warc([first, str(second)])
    assert web.fetch(A).text == "new" and len(web) == 3


def test_with_a_clock_it_answers_as_of_a_moment(tmp_path):
    """A reader records a site on several days; the order of the files does not matter."""
    rows = [
        ("2024-03-09T12:00:00Z", A, "200 OK", HTML, b"new"),
        ("2024-03-01T12:00:00Z", A, "200 OK", HTML, b"old"),
        ("2024-03-05T12:00:00Z", B, "302 Found", [("Location", "/a")], b""),
        ("2024-03-07T12:00:00Z", B, "200 OK", HTML, b"b at last"),
        ("2024-03-05T12:00:00.5Z", C, "200 OK", HTML, b"c"),
    ]
    paths = []
    for i, (date, url, status, headers, body) in enumerate(rows):
        paths.append(tmp_path / f"{i}.warc.gz")
        with paths[-1].open("wb") as stream:
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            writer = WARCWriter(stream, gzip=True)
            marks = {"WARC-Date": date}
            writer.write_record(
                writer.create_warc_record(
                    url, "response", io.BytesIO(body), http_headers=http, warc_headers_dict=marks
                )
            )
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


def test_a_record_without_a_date_was_always_there(tmp_path):
    path = write_warc(tmp_path / "site.warc", [(A, "200 OK", HTML, b"a")])
    path.write_bytes(re.sub(rb"WARC-Date: \S+", b"WARC-Date: soon", path.read_bytes()))
    assert ReplayWeb.from_warc(path, clock=lambda: -1e9).fetch(A).text == "a"


def test_a_record_says_that_its_page_is_truncated(tmp_path):
    path = tmp_path / "marked.warc"
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=False)
        for url, marks in ((A, {"WARC-Truncated": "length"}), (B, {})):
            http = StatusAndHeaders("200 OK", HTML, protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", io.BytesIO(b"x"), http_headers=http, warc_headers_dict=marks
            )
            writer.write_record(record)
    web = ReplayWeb.from_warc(path)
    assert web.fetch(A).truncated and not web.fetch(B).truncated


@pytest.fixture(params=["site.warc", "site.warc.gz"])
def twenty(request, tmp_path):
    """A WARC file of 20 pages, whose texts do not repeat."""
    rows = ((f"http://a.example/{i}", f"page {i} " * 200) for i in range(20))
    records = [(url, "200 OK", HTML, text.encode()) for url, text in rows]
    return write_warc(tmp_path / request.param, records)


@pytest.mark.parametrize("coding", ["br", "rot13", "gzip, br"])
def test_a_record_of_an_unknown_coding_is_skipped_and_counted(tmp_path, coding, caplog):
    odd = (B, "200 OK", [*HTML, ("Content-Encoding", coding)], b"\x0b\x02\x80odd\x03")
    records = [(A, "200 OK", HTML, b"a"), odd, (C, "200 OK", HTML, b"c")]
    assert ReplayWeb.from_warc(write_warc(tmp_path / "site.warc", records)).urls() == [A, C]
    assert "site.warc: 1 record skipped" in caplog.text


def test_a_damaged_record_costs_no_other(twenty, caplog):
    content = bytearray(twenty.read_bytes())
    content[len(content) // 2] ^= 1  # a letter of a page, or a bit of its compressed form
    del content[100:110]
    twenty.write_bytes(content)
    assert len(ReplayWeb.from_warc(twenty)) in (18, 19)
    assert "skipped" in caplog.text


@pytest.mark.slow
def test_of_a_file_damaged_in_one_place_most_is_read(twenty):
    good, rng = twenty.read_bytes(), np.random.default_rng(0)
    for _ in range(300):
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


def test_several_records_may_share_a_gzip_member(tmp_path):
    plain = write_warc(tmp_path / "site.warc", RECORDS)
    (tmp_path / "one.warc.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert ReplayWeb.from_warc(tmp_path / "one.warc.gz").urls() == [A, B, C]


def test_a_page_may_speak_of_warc_files(tmp_path):
    body = b"<p>see\r\nWARC/1.0\r\nContent-Length: 3\r\n\r\nabc\r\n\r\nWARC/1.0\x1f\x8b\x08"
    records = [(A, "200 OK", HTML, body), (B, "200 OK", HTML, b"b")]
    assert len(ReplayWeb.from_warc(write_warc(tmp_path / "site.warc", records))) == 2


@pytest.mark.parametrize(
    "content", [None, b"no WARC file at all\r\n\r\n", b"\0\1" * 999, b"\x1f\x8b\0\0garbage"]
)
def test_bad_warc_is_named(tmp_path, content):
    path = tmp_path / "bad.warc"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.warc"):
        ReplayWeb.from_warc(path)


def plain(title: str, subjects: str, body: str) -> str:
    return (
        f"   #copyright\n\n{title}\n\n"
        f"2007 Schools Wikipedia Selection. Related subjects: {subjects}\n\n   {body}\n\n"
        f'   Retrieved from " http://en.wikipedia.org/wiki/{title}"\n'
        "   This reference article is mainly selected from the English Wikipedia\n"
        "   with only minor checks, under the GNU Free\n   Documentation License.\n"
    )


ARTICLES = {
    "Golf": plain("Golf", "Ball games;\nOutdoor pursuits", "A game. See\n   tennis and the CHESS."),
    "Chess_%28game%29": plain("Chess", "Board games", "Pieces, an arena and a Tea."),
    "Tea": plain("Tea", "Drinks", "It is drunk at Wimbledon."),
    "Tennis": plain("Tennis", "Ball games", "With a racket."),
    "%C3%89ire": plain("Éire", "Countries", "An island."),
}
CATEGORIES = [
    ("Golf", "subject.Everyday_life.Sports"),
    ("Golf", "subject.Geography.Scotland"),
    ("Tennis", "subject.Everyday_life.Sports"),
    ("Chess_%28game%29", "subject.Everyday_life.Sports_of_the_mind"),
    ("Tea", "subject.Everyday_life.Drink"),
]
LINKS = [
    ("Golf", "Tennis"),
    ("Golf", "Chess_%28game%29"),
    ("Golf", "%C3%89ire"),
    ("Chess_%28game%29", "Tea"),
]
SPORTS = Topic("sports", keywords=("sport",), wikispeedia=("subject.Everyday_life.Sports.",))
WIKI = "http://wikispeedia.example/wiki/"


def write_tar(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    def table(rows):
        return "# About this file\n#\n\n" + "\n".join("\t".join(row) for row in rows) + "\n"

    folder = tmp_path / "wikispeedia"
    folder.mkdir()
    graph = {
        "articles.tsv": table((name,) for name in ARTICLES),
        "categories.tsv": table(CATEGORIES),
        "links.tsv": table(LINKS),
        "paths_unfinished.tsv": "of no use",
    }
    write_tar(folder / GRAPH, {f"wikispeedia_paths-and-graph/{n}": t for n, t in graph.items()})
    write_tar(folder / TEXTS, {f"plaintext_articles/{n}.txt": t for n, t in ARTICLES.items()})
    return folder


def test_wikispeedia(archives):
    web = ReplayWeb.from_wikispeedia(archives)
    assert len(web) == 5
    golf = web.fetch(WIKI + "Golf")
    assert (golf.title, golf.text) == ("Golf", "Golf\nA game. See tennis and the CHESS.")
    assert golf.links == (
        Link(WIKI + "Tennis", "tennis"),
        Link(WIKI + "Chess_(game)", "CHESS"),
        Link(WIKI + "%C3%89ire", "Éire"),
    )
    assert web.links(WIKI + "Golf") == tuple(link.url for link in golf.links)
    chess = web.fetch(WIKI + "Chess_%28game%29")
    assert chess.title == "Chess (game)" and chess.links == (Link(WIKI + "Tea", "Tea"),)
    assert web.fetch(WIKI + "Éire").title == "Éire"
    assert web.categories(WIKI + "Golf") == (CATEGORIES[0][1], CATEGORIES[1][1])


def test_wikispeedia_relevance_by_category(archives):
    web = ReplayWeb.from_wikispeedia(archives)
    assert web.is_relevant(WIKI + "Golf", SPORTS) is True
    assert web.is_relevant(WIKI + "Tea", SPORTS) is False
    assert web.is_relevant(WIKI + "Chess_(game)", SPORTS) is False  # another category
    assert web.is_relevant(WIKI + "%C3%89ire", SPORTS) is None  # without a category
    assert web.is_relevant(WIKI + "Polo", SPORTS) is None
    assert web.is_relevant(WIKI + "Golf", Topic("music", keywords=("jazz",))) is None
    with pytest.raises(ValueError, match="chess"):
        web.is_relevant(WIKI + "Golf", "chess")
    assert len(web.seeds(SPORTS, 1, 0)) == 1
    with pytest.raises(ValueError, match="n=2.*found 1 .*the 2 "):
        web.seeds(SPORTS, 2, 0)  # Golf links to Tennis


@pytest.mark.parametrize(
    "head",
    [
        "2007 Schools Wikipedia Selection. Related subjects: Secret one;\nSecret two, and\nSecret",
        "2007 Schools Wikipedia Selection. Related\nsubjects: Secret one; Secret two",
        "2007 Schools\nWikipedia Selection. Related subjects:\nSecret one",
        "  2007 Schools Wikipedia Selection. Related subjects: Secret one;\r\n  Secret two",
    ],
)
def test_the_paragraph_that_names_the_categories_goes_whole(head):
    text = article_text(
        f"   #copyright\n\nTitle\n\n{head}\n\n\n   The text\n   goes on.\n\n   End."
    )
    assert text == "Title\nThe text goes on.\nEnd."


def test_an_article_without_text_is_an_empty_page(archives):
    write_tar(archives / TEXTS, {"plaintext_articles/Tea.txt": ARTICLES["Tea"]})
    page = ReplayWeb.from_wikispeedia(archives).fetch(WIKI + "Golf")
    assert page.text == "" and page.links[1].anchor == "Chess (game)"


def test_where_the_archives_are_looked_for(archives, monkeypatch):
    import pooch

    monkeypatch.setattr(pooch, "os_cache", lambda name: archives / "empty")
    monkeypatch.setenv("TRES_DATA", str(archives))
    assert wikispeedia_folder() == archives and len(ReplayWeb.from_wikispeedia()) == 5
    monkeypatch.setenv("TRES_DATA", str(archives.parent))
    assert wikispeedia_folder() == archives
    monkeypatch.setenv("TRES_DATA", str(archives / "nowhere"))
    assert wikispeedia_folder() is None
    monkeypatch.delenv("TRES_DATA")
    assert wikispeedia_folder() is None
    monkeypatch.setattr(pooch, "os_cache", lambda name: archives)
    assert wikispeedia_folder() == archives
    with pytest.raises(ValueError, match=f"nowhere.*{GRAPH}"):
        ReplayWeb.from_wikispeedia(archives / "nowhere")


def test_download_is_checked(archives, monkeypatch):
    import pooch

    asked = {}
    monkeypatch.setattr(pooch, "os_cache", lambda name: archives)
    monkeypatch.setattr(
        pooch, "retrieve", lambda url, known_hash, fname, path: asked.update({url: known_hash})
    )
    monkeypatch.delenv("TRES_DATA", raising=False)
    assert download_wikispeedia() == archives
    assert asked == {SOURCE + name: f"sha256:{digest}" for name, digest in SHA256.items()}
    assert len(ReplayWeb.from_wikispeedia()) == 5


@pytest.mark.parametrize("content", [b"", b"no archive", gzip.compress(b"no tar", mtime=0)])
def test_a_broken_archive_is_named(archives, content):
    (archives / GRAPH).write_bytes(content)
    with pytest.raises(ValueError, match=GRAPH):
        ReplayWeb.from_wikispeedia(archives)


SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "wikispeedia"


@pytest.mark.slow
def test_the_real_archives():
    folder = wikispeedia_folder() or wikispeedia_folder(SHARED)
    if folder is None:
        pytest.skip("no Wikispeedia archives in TRES_DATA or beside the repository")
    web = ReplayWeb.from_wikispeedia(folder)
    assert len(web) >= 4_598
    assert sum(len(web.links(url)) for url in web) >= 119_879
    for topic, share in [("sports", 0.03), ("food", 0.02), ("computing", 0.02)]:
        assert 0.2 * share < np.mean([web.is_relevant(url, topic) is True for url in web])
        seeds = web.seeds(topic, 10, 0)
        assert len({*seeds}) == 10
        assert not any(to in seeds for url in seeds for to in web.links(url) if to != url)
    for url in np.random.default_rng(0).choice(web.urls(), 300, replace=False):
        page = web.fetch(str(url))
        assert "Schools Wikipedia Selection" not in page.text
        assert "#copyright" not in page.text and "GNU Free" not in page.text[-100:]
        assert len(page.text) > 300 and len(page.links) == len(web.links(url))
