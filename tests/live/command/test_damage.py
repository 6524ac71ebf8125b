"""A damaged file of a crawl or a watch ends a command in one line, with the way out."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from tres_lib.topics import SvmClassifier
from tres_live.command import app
from tres_live.command.crawling import opened, run
from tres_live.command.options import CrawlOptions, Folder, WatchOptions
from tres_live.watching.store import Store

ABOUT = {"topic": "jazz", "seeds": ["http://a.example/"], "keywords": ["jazz", "swing"]}
ABOUT |= {"contact": "me@a.example"}
DAMAGES = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "no UTF-8": lambda content: b"\xff\0\xff" + content[3:],
    "another type": lambda content: b"5\n",
    "an empty list": lambda content: b"[]\n",
    "without what is needed": lambda content: b"{}\n",
    "deep": lambda content: b"[" * 100_000,
}


@pytest.fixture
def crawl(tmp_path) -> Path:
    folder = Folder.create(tmp_path / "crawl", CrawlOptions(**ABOUT))
    texts = ["a song", "a song by a band", "a goal", "the second goal"] * 5
    SvmClassifier().fit(texts, [True, True, False, False] * 5).save(folder.model)
    (tmp_path / "page.html").write_text("a song")
    return folder.path


@pytest.fixture
def watch(tmp_path) -> Path:
    folder = Folder.create(tmp_path / "watch", WatchOptions(**ABOUT))
    folder.store.write_bytes(b"")
    return folder.path


def said(*line: object) -> str:
    ended = CliRunner().invoke(app.main, [*map(str, line)])
    assert isinstance(ended.exception, SystemExit) and ended.exit_code == 1, ended.exception
    assert ended.output.count("\n") == 1
    return ended.output


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("name", ["classifier.json", "classifier.safetensors"])
def test_a_damaged_classifier(crawl, name, change: Callable[[bytes], bytes]):
    file = crawl / "classifier" / name
    file.write_bytes(change(file.read_bytes()))
    line = said("judge", crawl.parent / "page.html", "--folder", crawl)
    assert f"{str(crawl)!r}, or a file in it, is damaged (restore a copy, " in line
    assert "remove `classifier` if it is that" in line


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
def test_damaged_settings(crawl, change):
    file = crawl / "crawl.json"
    file.write_bytes(change(file.read_bytes()))
    assert f"{str(file)!r} is damaged" in said("status", crawl)


@pytest.mark.parametrize("content", [b"null\n" * 3, b"[" * 100_000 + b"\n"])
@pytest.mark.parametrize("name", ["rows.jsonl", "journal.jsonl"])
def test_a_damaged_log(crawl, name, content):
    (crawl / name).write_bytes(b"{}\n" + content)
    assert f"{str(crawl)!r}, or a file in it, is damaged" in said("export", crawl)


def test_a_journal_that_was_emptied_beside_its_rows(crawl):
    (crawl / "rows.jsonl").write_bytes(b'{"journal": 1}\n{"url": "x", "final_url": "x"}\n')
    (crawl / "journal.jsonl").write_bytes(b"")
    with pytest.raises(ValueError, match="journal.jsonl' is damaged: it lacks the pages"):
        run(opened(crawl))
    assert (crawl / "rows.jsonl").stat().st_size


@pytest.mark.parametrize("content", [b"", b"no data base" * 999])
def test_a_store_that_is_none(watch, content):
    (watch / "watch.sqlite").write_bytes(content)
    assert repr(str(watch / "watch.sqlite")) in said("status", watch)


def test_a_damaged_store(watch):
    (file := watch / "watch.sqlite").unlink()
    Store(file).close()
    with closing(sqlite3.connect(file)) as base:
        (size,) = base.execute("PRAGMA page_size").fetchone()
        pages = base.execute("SELECT rootpage FROM sqlite_master WHERE name <> 'meta'").fetchall()
    content = bytearray(file.read_bytes())
    for (page,) in pages:
        content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)
    assert f"{str(watch)!r}, or a file in it, is damaged" in said("status", watch)


def test_deep_options(tmp_path):
    file = tmp_path / "jazz.toml"
    file.write_text("topic = " + "[" * 100_000)
    assert f"{str(file)!r}, or a file in it, is damaged" in said("crawl", file)


def test_a_fault_of_ours_names_the_folder_and_how_to_see_more(crawl, monkeypatch):
    def fails(*given: object) -> None:
        raise KeyError("step")

    monkeypatch.setattr("tres_live.reporting.figures", fails)
    line = said("status", crawl)
    assert f"KeyError: 'step': {str(crawl)!r}, or a file in it, is damaged" in line
    assert "or tres has a fault; TRES_DEBUG=1 shows where" in line
    monkeypatch.setenv("TRES_DEBUG", "1")
    assert isinstance(CliRunner().invoke(app.main, ["status", str(crawl)]).exception, KeyError)


@pytest.mark.parametrize("error", [BrokenPipeError(32, "pipe"), OSError(28, "disk is full")])
def test_a_full_disk_and_a_closed_pipe_blame_no_file(crawl, monkeypatch, error):
    monkeypatch.setattr("tres_live.reporting.figures", Mock(side_effect=error))
    assert "damaged" not in CliRunner().invoke(app.main, ["status", str(crawl)]).output
