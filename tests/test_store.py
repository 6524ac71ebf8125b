"""Files are whole or absent, and an object is made once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pooch
import pytest

import tres_webs.files
from tres_lib import store


class Text:
    """A thing that saves itself as one file."""

    def __init__(self, text):
        self.text = text

    def save(self, directory):
        directory.mkdir(parents=True)
        (directory / "text").write_text(self.text)


def load(directory):
    return Text((directory / "text").read_text())


def test_a_file_is_replaced_when_the_draft_is_done(tmp_path):
    path = tmp_path / "table"
    path.write_text("old")
    with tres_webs.files.whole_file(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_no_draft(tmp_path):
    path = tmp_path / "table"
    path.write_text("old")
    with pytest.raises(RuntimeError), tres_webs.files.whole_file(path) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_object_is_made_once(tmp_path):
    folder = tmp_path / "kind" / "name"
    assert store.load_or_make(folder, load, lambda: Text("made")).text == "made"
    assert store.load_or_make(folder, load, lambda: 1 / 0).text == "made"


def test_of_two_that_need_it_at_once_one_makes_it(tmp_path):
    made = []

    def make():
        sleep(0.2)
        made.append(Text("made"))
        return made[-1]

    with ThreadPoolExecutor() as pool:
        call = (store.load_or_make, tmp_path / "kind" / "name", load, make)
        texts = [pool.submit(*call) for _ in range(3)]
    assert [text.result().text for text in texts] == ["made"] * 3 and len(made) == 1


def test_the_draft_of_a_killed_process_is_written_anew(tmp_path):
    Text("half").save(tmp_path / "name.part")
    assert store.load_or_make(tmp_path / "name", load, lambda: Text("made")).text == "made"
    assert not (tmp_path / "name.part").exists()


def test_an_object_that_cannot_be_saved_leaves_nothing(tmp_path):
    class Broken(Text):
        def save(self, directory):
            super().save(directory)
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store.load_or_make(tmp_path / "name", load, lambda: Broken("half"))
    assert not (tmp_path / "name").exists()
    assert store.load_or_make(tmp_path / "name", load, lambda: Text("whole")).text == "whole"


def test_the_build_folder_may_be_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    assert tres_webs.files.build_dir() == tmp_path
    assert store.stored_folder("kind", "name", []).parent == tmp_path / "kind"
    monkeypatch.delenv("TRES_BUILD")
    assert tres_webs.files.build_dir() == tres_webs.files.root() / "build"


def test_a_wheel_keeps_things_in_the_user_s_cache_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("TRES_BUILD", raising=False)
    monkeypatch.setattr(tres_webs.files, "WEBS", tmp_path / "site-packages" / "tres_webs")
    assert tres_webs.files.build_dir() == Path(pooch.os_cache("tres")) / "build"
    monkeypatch.chdir(tmp_path)
    assert tres_webs.files.root() == tmp_path
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "mine"))
    assert tres_webs.files.build_dir() == tmp_path / "mine"


def test_facts_tell_folders_apart_and_the_order_of_a_set_does_not():
    one = store.stored_folder("kind", "name", [], {"b", "a"}, 1)
    assert one == store.stored_folder("kind", "name", [], {"a", "b"}, 1)
    assert one != store.stored_folder("kind", "name", [], {"a"}, 1)


def test_an_object_is_stored_under_the_code_that_made_it(tmp_path):
    files = [tmp_path / name for name in ("room/inner/module.py", "alone.py", "elsewhere.py")]
    files[0].parent.mkdir(parents=True)
    for file in files:
        file.write_text("made = 1")
    for file, counts in zip(files, (True, True, False), strict=True):
        folders = set()
        for text in ("made = 2", "made = 3"):
            file.write_text(text)
            folders.add(store.stored_folder("kind", "name", [files[0].parents[1], files[1]], 1))
        assert len(folders) == 1 + counts
