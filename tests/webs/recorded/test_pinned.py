"""PinnedWeb on two tiny archives of our own: obtained, resumed, refused, read and linked."""

import gzip
import hashlib
import io
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

import tres_book
from tres_lib import focused
from tres_webs import PinnedWeb, ReplayWeb, Topic
from tres_webs.recorded import debian, label_rules, manifest, pinning
from tres_webs.recorded.debian import html_files
from tres_webs.recorded.pinned import sites_here, web_file
from tres_webs.recorded.pinning import fetch_web, kind, language

HEADER = "package version path bytes sha256 address root pages pages_sha256 also"
PROSE = "A query reads every row of the table, and the index of the database makes that fast. " * 4
TOPICS = """
databases:
  definition: Data in tables, and queries of them.
  keywords: sql query
  sure: query database sql
  also: table row
  density: 3
  distinct: 2
"""
ONE = {
    "index.html": "<title>One</title><a href=sub/a.html>A</a> <a href=../gone.txt.html>gone</a>",
    "sub/a.html": f"<title>A</title>{PROSE}<a href=../index.html>up</a>"
    "<a href=https://two.example/2.0/b.html>B</a> <a href=/usr/share/doc/two/c.html>C</a>"
    "<a href=file:///usr/share/doc/two/index.html>Two</a> <a href=http://else.example/>else</a>",
    "de.html": "<title>D</title>" + "der Hund und die Katze sind nicht da, das ist so " * 5,
    "genindex.html": f"<title>Index</title>{PROSE}{PROSE}<a href=sub/a.html>A</a>",
}
FOOT = "<a href=http://www.one.example/docs/>made by One</a>"
TWO = {name: f"<title>{name}</title>{name} {FOOT}" for name in ("index.html", "b.html", "c.html")}


def make_deb(path: Path, files: dict[str, str], extra: tuple[tarfile.TarInfo, ...] = ()) -> None:
    """Write a Debian archive by hand: ar around a tar.xz of files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
        for member in extra:
            tar.addfile(member)
    write_ar(path, {"debian-binary": b"2.0", "data.tar.xz/": packed.getvalue()})


def write_ar(path: Path, members: dict[str, bytes]) -> None:
    data = debian.AR
    for name, content in members.items():
        data += f"{name:16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode()
        data += content + b"\n" * (len(content) % 2)
    path.write_bytes(data)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder of archives, and a manifest "tiny" of them."""
    monkeypatch.setattr(manifest, "FOLDER", tmp_path)
    monkeypatch.setattr(label_rules, "FOLDER", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # no apt-get but the one of a test
    (tmp_path / "tiny.yaml").write_text(TOPICS)
    archives = tmp_path / "archives"
    archives.mkdir()
    rows = [HEADER.replace(" ", "\t")]
    for name, files in (("one", ONE), ("two", TWO)):
        file = archives / f"{name}_1_all.deb"
        make_deb(file, {f"./usr/share/doc/{name}/{inside}": t for inside, t in files.items()})
        data = file.read_bytes()
        row = [name, "1", f"pool/{name}.deb", len(data), hashlib.sha256(data).hexdigest()]
        row += [f"https://{name}.example/docs/", f"/usr/share/doc/{name}/", 0, "", ""]
        rows.append("\t".join(map(str, row)))
    (tmp_path / "tiny.tsv").write_text("\n".join(rows) + "\n")
    return archives


@pytest.fixture
def web(shelf, tmp_path):
    assert fetch_web("tiny", tmp_path, archives=shelf) == []
    return PinnedWeb("tiny", tmp_path)


A = "https://one.example/docs/sub/a.html"


def test_pages_links_and_kinds(web):
    assert len(web) == 6 and sorted(web.sites) == ["one", "two"]
    page = web.fetch(A)
    assert page.title == "A" and page.text.startswith("A query reads") and page.html is None
    assert [link.url for link in page.links] == [
        "https://one.example/docs/",
        "https://two.example/2.0/b.html",
        "https://two.example/docs/c.html",
        "https://two.example/docs/",
        "http://else.example/",
    ]
    assert {link.path for link in page.links} == {"html body a"}
    # What names a file of no archive is no link, nor what a generator writes under each page.
    assert [link.url for link in web.fetch("https://one.example/docs/").links] == [A]
    assert web.fetch("https://two.example/docs/b.html").links == ()
    assert web.kind("https://one.example/docs/genindex.html") == "index"
    assert web.kind(A) == web.kind("https://unknown.example/") == "article"
    assert web.site(A) == "one" and web.site("https://unknown.example/") == ""


@pytest.mark.parametrize(
    ("asked", "there"),
    [
        ("http://www.two.example/docs/b.html#x", "b.html"),
        ("https://two.example/2.0/b.html", "b.html"),
        ("https://two.example/docs/index.html", ""),
        ("https://two.example/docs", ""),
        ("http://two.example/", ""),
        ("https://two.example/2.0/index.html", None),
        ("https://two.example/other/", None),
    ],
)
def test_other_spellings_lead_to_the_page(web, asked, there):
    if there is None:
        assert asked not in web
    else:
        assert web.fetch(asked).url == f"https://two.example/docs/{there}"


def test_labels_by_rule(web):
    assert list(web.topics) == ["databases"]
    assert web.is_relevant(A, "databases") is True
    assert web.is_relevant("https://one.example/docs/genindex.html", "databases") is False
    assert web.is_relevant("https://two.example/docs/", web.topics["databases"]) is False
    assert web.is_relevant("https://unknown.example/", "databases") is None
    assert web.seeds("databases", 1, rng=0) == [A]
    assert web.is_relevant(A, Topic("other", ("word",))) is False
    with pytest.raises(ValueError, match="databases"):
        web.is_relevant(A, "nothing")


def test_cut_takes_the_first_by_hash(web, shelf, tmp_path):
    with pytest.raises(ValueError, match="cut=3"):
        fetch_web("tiny", tmp_path / "new", cut=3)
    assert not (tmp_path / "new").exists()
    first = min(shelf.iterdir(), key=lambda f: hashlib.sha256(f.read_bytes()).hexdigest())
    assert PinnedWeb("tiny", tmp_path, cut=1).sites == [first.name.partition("_")[0]]
    with pytest.raises(ValueError, match="cut=3"):
        PinnedWeb("tiny", tmp_path, cut=3)


def test_without_the_data_the_command_is_named(shelf, tmp_path):
    with pytest.raises(ValueError, match="tres fetch-web tiny --cut 2"):
        PinnedWeb("tiny", tmp_path, cut=2)
    with pytest.raises(ValueError, match="name='large'"):
        PinnedWeb("large")


@pytest.mark.parametrize("content", [b"", b"no database, but some text" * 9])
def test_a_file_that_is_no_web_is_named_with_the_way_out(shelf, tmp_path, content):
    (tmp_path / "tiny.sqlite").write_bytes(content)
    with pytest.raises(ValueError, match="tiny.sqlite cannot be read.*remove it.*fetch-web tiny"):
        PinnedWeb("tiny", tmp_path)
    if content:
        with pytest.raises(ValueError, match="tiny.sqlite cannot be read.*remove it"):
            fetch_web("tiny", tmp_path, archives=shelf)
    else:
        assert fetch_web("tiny", tmp_path, archives=shelf) == []
        assert len(PinnedWeb("tiny", tmp_path)) == 6


def test_it_is_kept_in_tres_data_unless_that_is_protected(shelf, tmp_path, monkeypatch):
    """The reader's own folder comes first; nothing is written where somebody took the right."""
    cache, data = tmp_path / "cache", tmp_path / "data"
    monkeypatch.setattr("pooch.os_cache", lambda _: cache)
    monkeypatch.setenv("TRES_DATA", str(data))
    data.mkdir()
    data.chmod(0o555)
    assert web_file("tiny") == cache / "tiny.sqlite"
    data.chmod(0o755)
    assert web_file("tiny") == data / "pinned" / "tiny.sqlite"
    assert fetch_web("tiny", archives=shelf) == [] and not cache.exists()
    assert len(PinnedWeb("tiny")) == 6
    monkeypatch.delenv("TRES_DATA")
    assert web_file("tiny") == cache / "tiny.sqlite"


def test_a_crawl_knows_the_web_s_own_topics_by_name(web, caplog):
    how = {"classifier": lambda texts: ["sql" in text.lower() for text in texts], "progress": False}
    one = focused.crawl(web, [A], "databases", policy="bfs", budget=2, **how)
    assert one.summary()["topic"] == "databases" and one.log["relevant_true"].iloc[0]
    both = tres_book.compare(["bfs", "random"], "databases", web, budget=2, seeds=[A], **how)
    assert len(both.ends) == 2 and "no link leads on" not in caplog.text
    with pytest.raises(ValueError, match="databases.*sports|sports.*databases"):
        tres_book.compare("bfs", "nothing", web, budget=2, seeds=[A], **how)
    end = "https://two.example/docs/b.html"
    assert focused.crawl(web, [end], "databases", policy="bfs", budget=2, **how).log.shape[0] == 1
    assert "no link leads on from the seeds" in caplog.text


def test_it_goes_on_where_it_stopped(shelf, tmp_path, monkeypatch, caplog):
    assert sites_here("tiny", tmp_path) == 0
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "tiny.sqlite").write_bytes(b"no database")
    assert sites_here("tiny", tmp_path / "damaged") == 0
    assert fetch_web("tiny", tmp_path, cut=1, archives=shelf) == []
    assert sites_here("tiny", tmp_path) == 1
    assert len(PinnedWeb("tiny", tmp_path).sites) == 1
    assert "1 of 2 sites are missing: tres fetch-web tiny" in caplog.text
    obtained = []
    obtain = pinning.obtain
    monkeypatch.setattr(
        pinning, "obtain", lambda site, *a: obtained.append(site.package) or obtain(site, *a)
    )
    assert fetch_web("tiny", tmp_path, archives=shelf) == [] and len(obtained) == 1
    assert fetch_web("tiny", tmp_path, archives=shelf) == [] and len(obtained) == 1


@pytest.mark.parametrize("damage", [b"", b"x"])
def test_what_is_gone_or_another_file_is_named_and_the_rest_goes_on(shelf, tmp_path, damage):
    (shelf / "one_1_all.deb").write_bytes(damage)
    (fault,) = fetch_web("tiny", tmp_path, archives=shelf)
    assert fault.startswith("one: version 1 is not to be had: there is no apt-get")
    assert PinnedWeb("tiny", tmp_path).sites == ["two"]


def test_apt_gives_the_version_or_it_is_gone(shelf, tmp_path):
    there = tmp_path / "there"
    shelf.rename(there)
    shelf.mkdir()
    apt = tmp_path / "bin" / "apt-get"
    apt.parent.mkdir()
    apt.write_text(f'#!/bin/sh\n[ "$2" = one=1 ] && /bin/cp {there}/one_1_all.deb .\n')
    apt.chmod(0o755)
    (fault,) = fetch_web("tiny", tmp_path)
    assert fault == "two: version 1 is not to be had: apt-get has it no more"
    assert PinnedWeb("tiny", tmp_path).sites == ["one"] and not list(shelf.iterdir())


class Reply:
    """A mirror's answer."""

    def __init__(self, data: bytes):
        self.raw = io.BytesIO(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def raise_for_status(self):
        pass


def test_a_mirror_gives_files_by_path_and_hash(shelf, tmp_path, monkeypatch):
    asked = []

    def get(url, **_):
        asked.append(url)
        name = url.rpartition("/")[2].removesuffix(".deb")
        return Reply(b"x" if "bad" in url else (shelf / f"{name}_1_all.deb").read_bytes())

    monkeypatch.setattr("requests.get", get)
    mirrors = ("http://bad.example/debian/", "http://good.example/debian")
    assert fetch_web("tiny", tmp_path / "new", mirrors=mirrors) == []
    assert sorted(asked) == sorted(
        f"{mirror.rstrip('/')}/pool/{name}.deb" for mirror in mirrors for name in ("one", "two")
    )
    faults = fetch_web("tiny", tmp_path / "other", mirrors=mirrors[:1])
    assert len(faults) == 2 and "bad.example/debian/ has another file" in faults[0]


def test_other_pages_than_the_manifest_says_are_named(shelf, tmp_path):
    file = tmp_path / "tiny.tsv"
    file.write_text(file.read_text().replace("\t0\t\t", "\t0\tabc\t"))
    faults = fetch_web("tiny", tmp_path, archives=shelf)
    assert len(faults) == 2 and "other pages were kept" in faults[0]


def test_a_file_of_an_older_format_is_refused_and_made_anew(web, shelf, tmp_path):
    with closing(sqlite3.connect(tmp_path / "tiny.sqlite")) as base:
        base.execute("PRAGMA application_id = 0")
    with pytest.raises(ValueError, match="older format; get it anew by: tres fetch-web tiny"):
        PinnedWeb("tiny", tmp_path)
    assert fetch_web("tiny", tmp_path, archives=shelf) == []
    assert list(PinnedWeb("tiny", tmp_path)) == list(web)


def test_new_rules_need_new_labels(web, shelf, tmp_path):
    (tmp_path / "tiny.yaml").write_text(TOPICS.replace("density: 3", "density: 90"))
    with pytest.raises(ValueError, match="labels of other rules"):
        PinnedWeb("tiny", tmp_path)
    assert fetch_web("tiny", tmp_path) == []
    assert PinnedWeb("tiny", tmp_path).is_relevant(A, "databases") is False


def test_links_and_climbing_paths_of_an_archive_are_left_out(tmp_path):
    link = tarfile.TarInfo("./usr/link.html")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    files = {"./usr/a.html": "a", "./usr/../../b.html": "b", "/usr/c.HTM": "c", "./usr/d.txt": "d"}
    make_deb(tmp_path / "x.deb", files, (link,))
    assert list(html_files(tmp_path / "x.deb")) == [("/usr/a.html", b"a"), ("//usr/c.HTM", b"c")]
    assert [path for path, _ in html_files(tmp_path / "x.deb", "/usr/")] == ["/usr/a.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.deb"]


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"data.tar.zst": b"x"}, "zstd"),
        ({"data.tar.xz": b"x"}, "cannot be read"),
        ({"control.tar.xz": b"x"}, "no data"),
    ],
)
def test_damaged_archives_are_refused(tmp_path, members, problem):
    write_ar(tmp_path / "x.deb", members)
    with pytest.raises(ValueError, match=problem):
        list(html_files(tmp_path / "x.deb"))


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    make_deb(tmp_path / "x.deb", {"a.html": "a" * 2_000})
    monkeypatch.setattr(debian, "MAX_UNPACKED", 1_000)
    with pytest.raises(ValueError, match="too much"):
        list(html_files(tmp_path / "x.deb"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the list of the files that are in it, and what is to be in the next", "English"),
        ("le nom est dans les fichiers pour que le texte ne soit pas sur une", "French"),
        ("это документ о программе", "other script"),
        ("printf(3) foo bar", "English"),
    ],
)
def test_language(text, name):
    assert language(text) == name


@pytest.mark.parametrize(
    ("path", "title", "wanted"),
    [
        ("/d/py-modindex.html", "Python Module Index", "index"),
        ("/d/functions_vars_b.html", "x", "index"),
        ("/d/api/class-use/A.html", "x", "index"),
        ("/d/a00213.html", "Lib: Member List", "index"),
        ("/d/Concept-Index.html", "Concept Index (GNU tar)", "index"),
        ("/d/a_8h_source.html", "x", "listing"),
        ("/d/_modules/a.html", "x", "listing"),
        ("/d/indexing.html", "Indexing data", "article"),
        ("/d/files.html", "x", "index"),
        ("/d/index.html", "Manual", "article"),
    ],
)
def test_kind(path, title, wanted):
    assert kind(path, title) == wanted


def snippet(word: str) -> dict:
    """Run the snippet of docs/webs.md that has a word; return its names."""
    page = (Path(__file__).parents[3] / "docs" / "webs.md").read_text("utf-8")
    code = next(part for part in page.split("```python\n") if word in part.partition("```")[0])
    names: dict = {}
    exec(code.partition("```")[0], names)
    return names


@pytest.mark.slow
@pytest.mark.skipif(sites_here("debian-docs") < 60, reason="tres fetch-web debian-docs --cut 60")
def test_three_lines_compare_policies_on_real_sites():
    ends = snippet("tres_book.compare")["compared"].ends
    assert ends["policy"].tolist() == ["bfs", "linear", "prospector"]
    assert (ends["by the truth"] > 0).all() and (ends["pages"] == 100).all()


def test_the_recipe_for_common_crawl_takes_members_by_offset_and_hash(tmp_path, monkeypatch):
    fetch_records = snippet("fetch_records")["fetch_records"]
    members = []
    for name in "abc":
        html = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{name}</title>".encode()
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://{name}.example/\r\n"
        head += f"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: {len(html)}\r\n"
        head += "Content-Type: application/http; msgtype=response\r\n\r\n"
        members.append(gzip.compress(head.encode() + html + b"\r\n\r\n"))
    whole = b"".join(members)

    def get(url, headers):
        assert url == "http://server.example/crawl/a.warc.gz"
        start, end = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        return SimpleNamespace(content=whole[start : end + 1])

    monkeypatch.setattr("requests.get", get)
    starts = [0, len(members[0]), len(members[0]) + len(members[1])]
    rows = [
        {"filename": "crawl/a.warc.gz", "offset": start, "length": len(member)}
        | {"sha256": hashlib.sha256(member).hexdigest()}
        for start, member in zip(starts, members, strict=True)
    ]
    fetch_records([rows[0], rows[2]], "http://server.example", tmp_path / "part.warc.gz")
    web = ReplayWeb.from_warc(tmp_path / "part.warc.gz")
    assert sorted(web.urls()) == ["http://a.example/", "http://c.example/"]
    rows[1]["sha256"] = rows[0]["sha256"]
    with pytest.raises(ValueError, match="another record"):
        fetch_records(rows, "http://server.example", tmp_path / "b.warc.gz")
