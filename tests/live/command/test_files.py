"""What a folder is: new, empty or marked; what is in it lies inside; its state is read first."""

import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tres_lib.focused.result import DTYPES, Ending, Stop
from tres_live.command.app import main
from tres_live.command.crawling import opened, run as run_crawl
from tres_live.command.extracts import FILES, export_folder, growing_log
from tres_live.command.options import MARKS, CrawlOptions, Folder, WatchOptions, open_folder
from tres_live.topic.few import FewTexts
from tres_live.watching.beliefs import new_common
from tres_live.watching.store import Store

A = "http://a.example/"
ABOUT = {"topic": "jazz", "seeds": [A], "keywords": ["jazz", "swing"], "contact": "me@a.example"}
OF = {"crawl": CrawlOptions, "watch": WatchOptions}
FLAGS = ["--topic", "jazz", "--keywords", "jazz, swing", "--contact", "me@a.example", "--seeds", A]


def said(*line, answers="y\nq\n"):
    return CliRunner().invoke(main, [*map(str, line)], input=answers)


def made(path: Path, kind: str = "crawl"):
    """Make a folder with all files of its kind, and return it."""
    folder = Folder.create(path, OF[kind](**ABOUT))
    FewTexts(["jazz", "swing"]).fit([], []).save(folder.model)
    topic = {"topic": {"name": "jazz", "keywords": ["jazz", "swing"]}, "seeds": [A]}
    (folder.model / "topic.json").write_text(json.dumps(topic | {"kind": "keywords", "seed": 0}))
    names = ["labels.jsonl", "pauses.jsonl", "first.jsonl", f"{kind}.log", "examples.json"]
    for name in [*names, "around.json"]:
        (path / name).write_text("{}" if name.endswith("json") else "")
    if kind == "crawl":
        row = {n: "" if form == "str" else 0 for n, form in DTYPES.items()}
        row |= {"url": A, "final_url": A, "p": 0.9, "reward": 1.0, "step": 1, "q": None}
        with growing_log(folder.rows) as add:
            add(row)
        page = {"url": A, "page": [A, 200, "jazz", "jazz swing"], "links": [], "paths": []}
        page |= {"fetched_at": 1.0, "truncated": False, "seconds": 1.0}
        folder.journal.write_text(f'{{"journal":1}}\n{json.dumps(page)}\n')
        folder.warc.write_bytes(b"")
        folder.audit.write_text(json.dumps({"rng": 0, "order": [A]}))
        folder.audited.write_text("")
    else:
        store = Store(folder.store)
        look = {"look": 0, "time": 1.7e9, "arm": "link", "url": A}
        store.add("look", [look])
        store.keep(common=new_common(1.5, 0.2).tobytes(), topic="jazz", began=1.7e9)
        store.close()
        folder.digests.mkdir()
        (folder.digests / "feed.xml").write_text("")
    return folder


def content(path: Path) -> dict[str, bytes]:
    files = [file for file in path.rglob("*") if not file.name.endswith(".lock")]
    return {str(f.relative_to(path)): f.read_bytes() for f in files if f.is_file()}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Names of all files that the tool has in a folder, by its kind."""
    home = tmp_path_factory.mktemp("names")
    named = {kind: [*content(made(home / kind, kind).path)] for kind in OF}
    return named | {"export": [*FILES.values(), "pages.warc.gz", "frontier.txt"]}


@pytest.mark.parametrize("kind", MARKS)
def test_a_folder_of_somebody_s_files_is_refused_and_stays_as_it_is(tmp_path, names, kind):
    every = {name for of in names.values() for name in of}
    marks = [*MARKS.values(), "sub/crawl.json"] if kind != "export" else ["crawl.json"]
    home = made(tmp_path / "home").path
    for i, name in enumerate([*sorted(every), *marks, "notes.txt", ".git/config"]):
        file = tmp_path / f"{i}" / name
        file.parent.mkdir(parents=True)
        file.write_text("{}")
        before = content(file.parents[len(Path(name).parts) - 1])
        folder = tmp_path / f"{i}"
        if kind == "export":
            found = said("export", home, "--to", folder)
        else:
            found = said(kind, *FLAGS, "--folder", folder)
        assert found.exit_code == 1 and "name a new or an empty folder" in found.output, name
        assert content(folder) == before, name


def test_a_folder_is_of_one_kind_and_none_lies_in_another(tmp_path):
    crawl, watch = (made(tmp_path / kind, kind) for kind in OF)
    export_folder(tmp_path / "out", crawl.path)
    before = content(tmp_path)
    for kind in MARKS:
        for path in (crawl.path, watch.path, tmp_path / "out", tmp_path):
            if MARKS[kind] not in os.listdir(path):
                with pytest.raises(ValueError, match="name a new or an empty folder"):
                    open_folder(path, kind)
        if kind != "export":
            with pytest.raises(ValueError, match=f"{kind} lies in|/new' lies in"):
                open_folder(watch.path / "digest" / "new", kind)
        assert open_folder(tmp_path / f"new-{kind}", kind).is_dir()
    (tmp_path / "new-crawl" / "crawl.json").write_text((crawl.path / "crawl.json").read_text())
    (tmp_path / "new-crawl" / "rows.jsonl").write_text("my rows")
    with pytest.raises(ValueError, match="such as 'crawl.json'"):  # a copy of the options alone
        Folder.create(tmp_path / "new-crawl", crawl.options)
    assert before.items() <= content(tmp_path).items()


@pytest.mark.parametrize("kind", OF)
@pytest.mark.parametrize("how", ["fifo", "link", "dangling"])
@pytest.mark.timeout(100)
def test_no_link_is_followed_and_no_special_file_is_waited_for(tmp_path, names, kind, how):
    victim = tmp_path / "victim"
    for i, name in enumerate([*names[kind], "log.csv", ".tres.lock", "classifier", "crawl.log"]):
        folder = made(tmp_path / f"{i}", kind)
        if (file := folder.path / name).is_dir():
            (tmp_path / f"{i}-elsewhere").mkdir(exist_ok=True)
            file.rename(tmp_path / f"{i}-elsewhere" / name)
        file.unlink(missing_ok=True)
        secret = f'{{"url": "{A}", "text": "SECRET", "relevant": true, "time": ""}}\n'
        victim.write_text(secret)
        if how == "fifo":
            os.mkfifo(file)
        else:
            file.symlink_to(victim if how == "link" else tmp_path / "nowhere")
        for command in (["status"], ["export", "--to", tmp_path / f"out{i}"], ["review"]):
            found = said(command[0], folder.path, *command[1:])
            assert found.exit_code in (0, 1) and "Traceback" not in found.output, found.output
        assert victim.read_text() == secret and not (tmp_path / "nowhere").exists(), name
        out = content(tmp_path / f"out{i}") if (tmp_path / f"out{i}").exists() else {}
        assert not any(b"SECRET" in data for data in out.values()), name


def test_a_judged_folder_that_is_a_link_takes_nothing(tmp_path):
    mine, theirs = made(tmp_path / "mine"), made(tmp_path / "theirs")
    before = content(mine.path)
    for name in ("classifier-next", "classifier-next.part", "classifier.part"):
        if (theirs.path / name).is_dir():
            (theirs.path / name).rename(tmp_path / name)
        (theirs.path / name).symlink_to(mine.path)
        for command in ("status", "review"):
            said(command, theirs.path)
        assert content(mine.path) == before, name
        (theirs.path / name).unlink(missing_ok=True)


def test_what_another_process_wrote_is_read_before_it_is_written(tmp_path):
    mine = made(tmp_path / "one")
    with opened(mine.path).alone() as _, pytest.raises(ValueError, match="runs in another"):
        run_crawl(mine, more=3)
    other = opened(mine.path)
    with other.alone():
        other.options = replace(other.options, budget=1_007, max_depth=2)
        other.keep(Ending(Stop.SPENT))
    with pytest.raises(RuntimeError, match="lock it"):
        mine.keep(None)
    with mine.alone():
        mine.keep(mine.ending)
    again = opened(mine.path)
    assert (again.options.budget, again.options.max_depth) == (1_007, 2)
    assert again.ending.stop is Stop.SPENT
    stored = json.loads((mine.path / "crawl.json").read_text())
    stored["options"]["topic"] = "blues"
    (mine.path / "crawl.json").write_text(json.dumps(stored))
    with pytest.raises(ValueError, match="begun anew"), mine.alone():
        pass


@pytest.mark.parametrize("error", [ValueError("no such proxy"), KeyboardInterrupt(), OSError(28)])
def test_an_extension_counts_if_a_page_is_asked_for_by_it(tmp_path, monkeypatch, error):
    folder = made(tmp_path / "one")
    with folder.alone():
        folder.keep(Ending(Stop.SPENT))
    before = (folder.path / "crawl.json").read_bytes()
    fetched = 0

    def fails(folder, *_):
        folder.keep(None)
        if fetched:
            with folder.rows.open("a") as file:
                file.write("{}\n")
        raise error

    monkeypatch.setattr("tres_live.command.crawling._crawl", fails)
    for fetched, extra in ((0, 0), (0, 0), (1, 4)):
        with pytest.raises(type(error)):
            run_crawl(opened(folder.path), more=4, max_depth=3)
        again = opened(folder.path)
        assert again.options.budget == 1_000 + extra and bool(again.options.max_depth) == bool(
            extra
        )
        assert fetched or (folder.path / "crawl.json").read_bytes() == before


OTHERS = {
    "a table": "CREATE TABLE songs (name)",
    "one of our names": "CREATE TABLE meta (name TEXT PRIMARY KEY, value)",
    "a trigger": "CREATE TABLE a (b); CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
}


@pytest.mark.parametrize("sql", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_data_base_of_somebody_s_is_no_store_and_stays_as_it_is(tmp_path, sql, read_only):
    file = tmp_path / "own.sqlite"
    base = sqlite3.connect(file)
    base.executescript(sql)
    base.close()
    before = file.read_bytes()
    with pytest.raises(ValueError, match="is no store of a watch"):
        Store(file, read_only=read_only)
    assert file.read_bytes() == before and not (tmp_path / "own.sqlite-wal").exists()


@pytest.mark.slow
def test_no_module_in_the_working_folder_runs(tmp_path):
    folder = made(tmp_path / "one")
    for module in ("lazy_loader", "numpy", "click", "judging"):
        code = f"open({module!r}, 'w')\ndef judge(texts): return [1.0] * len(texts)"
        (folder.path / f"{module}.py").write_text(code)
    file = folder.path / "crawl.json"
    options = json.loads(file.read_text())
    options["options"]["classifier"] = "judging:judge"
    file.write_text(json.dumps(options))
    path = str(Path(__file__).parents[3])
    for command in ("export", "resume"):
        ended = subprocess.run(
            [sys.executable, "-m", "tres_live", command, "."],
            cwd=folder.path, env=os.environ | {"PYTHONPATH": path}, text=True, capture_output=True,
        )  # fmt: skip
        assert ended.returncode == (command == "resume"), ended.stderr
        ran = {"lazy_loader", "numpy", "click", "judging"} & set(os.listdir(folder.path))
        assert not ran, command
