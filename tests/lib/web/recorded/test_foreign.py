"""Recordings of other projects, in small files of their layout: SB-CLASSIFIER's and Anthelion's."""

import gzip
import sqlite3
from contextlib import closing

import pytest

from tres_lib.web import FetchError, ReplayWeb

HOST = "https://office.example"


def headers(kind: str, **more: str) -> str:
    """Return what the recorder writes of Scrapy's headers."""
    given = {"Content-Type": kind, **more}
    return str({name.encode(): [value.encode()] for name, value in given.items()})


def record(path, rows, table="office"):
    columns = "url TEXT PRIMARY KEY, http_response TEXT, headers TEXT, body TEXT, content_length"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE TABLE {table} ({columns} INTEGER)")
        for url, status, head, body in rows:
            values = (HOST + url, status, head, body, len(body))
            base.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", values)
    return path


HUB = "<title>Office</title><ul class=toc><li><a href=/Data>tables</a> <a href=/b>more</a></ul>"
NOTE = "Either no HTML resource, or no CT in headers."
ROWS = [
    ("/", "200", headers("text/html; charset=utf-8"), HUB),
    ("/Data", "301", headers("text/html", Location="/Files/Tables"), ""),
    ("/files/tables", "200", headers("text/html"), "<title>Tables</title>"),
    ("/files/a.csv", "200", headers("text/csv"), NOTE),
    ("/b", "200", str({b"content-type": b"Text/HTML"}), "<title>More</title>"),
    ("/logo", "200", headers("image/png"), NOTE),
    ("/gone", "404", headers("text/html"), "gone"),
    ("/odd", "200", "no dict", NOTE),
]


@pytest.fixture
def office(tmp_path):
    labels = {f"{HOST}/files/tables": "data"}
    return ReplayWeb.from_sb_classifier(record(tmp_path / "office.db", ROWS), labels)


def test_a_site_of_sb_classifier(office):
    assert sorted(office.urls()) == [HOST + end for end in ("/", "/b", "/files/tables")]
    page = office.fetch(f"{HOST}/")
    assert page.title == "Office" and [link.anchor for link in page.links] == ["tables", "more"]
    assert page.links[0].path == "html body ul.toc li a"
    # The recorder asked for the redirect's end in lower case.
    assert office.fetch(f"{HOST}/Data").url == f"{HOST}/files/tables"
    assert office.is_relevant(f"{HOST}/Data", "data") is True
    assert office.is_relevant(f"{HOST}/b", "data") is None
    for end in ("/logo", "/gone", "/odd", "/files/a.csv"):
        with pytest.raises(FetchError, match="not recorded"):
            office.fetch(HOST + end)


@pytest.mark.parametrize("table", ["other", ""])
def test_another_file_is_no_such_site(tmp_path, table):
    path = tmp_path / "office.db"
    record(path, [], table) if table else path.write_bytes(b"no database, but some text")
    with pytest.raises(ValueError, match="path=.*office.db"):
        ReplayWeb.from_sb_classifier(path)


@pytest.mark.parametrize("packed", [False, True])
def test_the_graph_of_anthelion(tmp_path, packed):
    texts = {
        "index": f"7\t{HOST}/a\n30\t{HOST}/b\n31\t{HOST}/c\n5\tmailto:me\n",
        "network": "7\t30\t31\t30\t99\t5\n31\t7\n",
        "targets": "31\n99\n",
    }
    files = []
    for name, text in texts.items():
        files.append(tmp_path / f"{name}.tsv{'.gz' * packed}")
        data = text.encode()
        files[-1].write_bytes(gzip.compress(data) if packed else data)
    web = ReplayWeb.from_anthelion(*files)
    assert web.links(f"{HOST}/a") == (f"{HOST}/b", f"{HOST}/c") and len(web) == 3
    assert web.fetch(f"{HOST}/b").links == ()
    assert [web.is_relevant(f"{HOST}/{name}", "target") for name in "abcd"] == [
        *(False, False, True),
        None,
    ]
