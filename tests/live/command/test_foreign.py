"""A folder that somebody else made, or media that nobody writes to, does no harm."""

import json
import os
import sqlite3

import pytest
from click.testing import CliRunner
from filelock import FileLock

from tres_lib.focused.result import DTYPES
from tres_lib.store import save_whole
from tres_live.command import app
from tres_live.command.extracts import growing_log
from tres_live.command.options import CrawlOptions, Folder, WatchOptions
from tres_live.watching.beliefs import new_common
from tres_live.watching.store import Store
from tres_webs.files import whole_file

STEERS = "\x1b\x9b\x07\u202e"
ABOUT = {"topic": f"ja{STEERS}zz", "seeds": ["http://a.example/"], "keywords": ["jazz", "swing"]}
ABOUT |= {"contact": "me@a.example"}


@pytest.fixture
def crawl(tmp_path) -> Folder:
    folder = Folder.create(tmp_path / "crawl", CrawlOptions(**ABOUT))
    row: dict = {n: "" if kind == "str" else 0 for n, kind in DTYPES.items()}
    row |= {"step": 1, "url": "http://a.example/", "reason": f"HTTP 404 {STEERS}"}
    with growing_log(folder.rows) as add:
        add(row)
    return folder


@pytest.fixture
def watch(tmp_path) -> Folder:
    folder = Folder.create(tmp_path / "watch", WatchOptions(**ABOUT))
    store, common = Store(folder.store), new_common(1.5, 0.2).tobytes()
    look = {"time": 1.7e9, "arm": "link"}
    store.add("look", [look | {"look": n, "url": f"http://a{STEERS}.example/"} for n in (0, 1)])
    store.keep(common=common, topic="jazz", began=1.7e9)
    store.close()
    return folder


def said(*line: object) -> str:
    return CliRunner().invoke(app.main, [*map(str, line)]).output


def test_the_status_of_a_foreign_folder_steers_no_terminal(crawl, watch):
    file = crawl.path / "crawl.json"
    stored = json.loads(file.read_text())
    file.write_text(json.dumps(stored | {"ending": ["ERROR", 0, STEERS]}))
    assert "HTTP 404" in said("status", crawl.path) and "2 fetches" in said("status", watch.path)
    bad = crawl.path.with_name(f"bad{STEERS}")
    for line in (crawl.path, watch.path, bad):
        assert not set(said("status", line)) & set(STEERS), line
    stored["options"][STEERS] = 1
    file.write_text(json.dumps(stored))
    assert "damaged" in said("status", crawl.path) and "\x1b" not in said("status", crawl.path)


def test_status_on_read_only_media(crawl, watch, monkeypatch):
    def refuses(lock: FileLock, **_: object):
        raise OSError(30, "Read-only file system", lock.lock_file)

    monkeypatch.setattr(FileLock, "acquire", refuses)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    before = sorted(watch.path.iterdir())
    assert "HTTP 404" in said("status", crawl.path)
    assert "2 fetches" in said("status", watch.path)
    assert sorted(watch.path.iterdir()) == before


def test_what_a_kill_has_left_is_read_where_it_can_be(watch, monkeypatch):
    with sqlite3.connect(watch.store) as base:
        base.execute("UPDATE look SET arm = 'hub'")
        base.commit()
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        assert "100 % hubs" in said("status", watch.path)


def test_drafts_follow_no_link_and_are_nobody_else_s(tmp_path):
    (tmp_path / "precious").mkdir()
    victim = tmp_path / "precious" / "file"
    victim.write_text("mine")
    (tmp_path / "new").symlink_to(victim)
    (mine := tmp_path / f".new.{os.getpid()}.part").write_text("mine")
    (killed := tmp_path / ".new.999999999-0123abcd.part").touch()
    with whole_file(tmp_path / "new") as draft:
        draft.write_text("theirs")
    (tmp_path / "model.part").symlink_to(victim.parent)

    class Model:
        def save(self, folder):
            folder.mkdir(exist_ok=True)
            (folder / "file").write_text("theirs")

    save_whole(Model(), tmp_path / "model")
    assert victim.read_text() == mine.read_text() == "mine" and not killed.exists()
    for made in ("new", "model/file"):
        assert (tmp_path / made).read_text() == "theirs"
    assert not any(path.is_symlink() for path in tmp_path.iterdir())
