"""The command that makes and checks stored runs, and says what a chapter rests on."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tres_book.study import __main__ as command, results, runs, workspace
from tres_book.study.chapters import Book
from tres_book.study.results import store, write_manifest
from tres_book.study.study import Study, facts_hash


def echo(policy: str, topic: str, **setting):
    return {"value": len(policy), "cpu": 1.0}


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    settings = [{"policy": p, "topic": "food", "web_seed": 0} for p in ("tres", "bfs")]
    study = Study("table-3", echo, settings, ("topic",))
    monkeypatch.setattr(runs, "fingerprint", lambda function: "a" * 16)
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("TRES_WORKERS", "1")
    studies = {"table-3": study, "wikispeedia": replace(study, name="wikispeedia", under_way=True)}
    for module in command, results:
        monkeypatch.setattr(module, "all_studies", lambda: studies)
    store(study, folder=tmp_path / "results")
    return tmp_path / "results"


@pytest.mark.slow
def test_verify_passes_and_says_what_it_checked(tiny, capsys, monkeypatch):
    assert command.main(["verify", "table-3", "--runs", "2", "--folder", str(tiny)]) == 0
    said = capsys.readouterr().out
    assert said.count("the same") == 2 and "2 of 2 stored runs" in said
    assert "made again" not in (tiny / "manifest.json").read_text()
    monkeypatch.setattr(runs, "fingerprint", lambda function: "b" * 16)
    assert command.main(["verify", "table-3", "--note", "--folder", str(tiny)]) == 0
    assert "made again" in (tiny / "manifest.json").read_text()


@pytest.mark.slow
def test_verify_goes_on_without_the_data_of_wikispeedia(tiny, capsys, monkeypatch):
    (tiny / "table-3.parquet").rename(tiny / "wikispeedia.parquet")
    entries = results.manifest(tiny)
    write_manifest({"wikispeedia": entries.pop("table-3")}, tiny)
    monkeypatch.setattr(command, "wikispeedia_folder", lambda: None)
    assert command.main(["verify", "wikispeedia", "--folder", str(tiny)]) == 0
    said = capsys.readouterr().out
    assert "data are not at hand" in said and "Made again 0 of 2" in said


def rewritten(folder: Path, table: pd.DataFrame) -> None:
    """Write a table in the place of the stored one, and the manifest anew."""
    table.to_parquet(folder / "table-3.parquet")
    entries = results.manifest(folder)
    entries["table-3"] |= results._counted(table)
    entries["table-3"]["sha256"] = results.sha256("table-3.parquet", folder)
    write_manifest(entries, folder)


@pytest.mark.slow
def test_verify_fails_on_a_number_that_was_changed(tiny, capsys):
    table = results.stored("table-3", tiny).assign(value=9)
    table["hash"] = [facts_hash(row) for row in table.to_dict("records")]
    rewritten(tiny, table)
    assert command.main(["verify", "table-3", "--folder", str(tiny)]) == 1
    assert "DIFFERENT in value" in capsys.readouterr().out


@pytest.mark.slow
def test_verify_of_all_checks_files_of_no_study_too(tiny, capsys):
    pd.DataFrame({"gain": [1]}).to_parquet(tiny / "tried.parquet")
    told = {"runs": 1, "sha256": results.sha256("tried.parquet", tiny)}
    write_manifest(results.manifest(tiny) | {"tried": told}, tiny)
    assert command.main(["verify", "--folder", str(tiny)]) == 0
    pd.DataFrame({"gain": [2]}).to_parquet(tiny / "tried.parquet")
    assert command.main(["verify", "--folder", str(tiny)]) == 1
    assert "tried.parquet: CHANGED" in capsys.readouterr().out


@pytest.mark.slow
def test_stored_runs_made_again_are_the_same(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TRES_WORKERS", "1")
    names = ["refresh-cover", "refresh-errors"]
    for name in names:
        shutil.copy(results.RESULTS / f"{name}.parquet", tmp_path)
    write_manifest({name: results.manifest()[name] for name in names}, tmp_path)
    assert command.main(["verify", *names, "--folder", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.count("the same") == 2 and "CHANGED" not in said


def test_no_stored_file_was_changed():
    found = results.faults()
    assert not any(found.values()) and len(found) > 70


def removed(folder: Path, file: str) -> None:
    (folder / file).unlink()


def unhashed(folder: Path, file: str) -> None:
    entries = results.manifest(folder)
    entries["table-3"].pop(file)
    write_manifest(entries, folder)


def written(folder: Path, file: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text("new")


def unreadable(folder: Path, file: str) -> None:
    (folder / file).write_bytes((folder / file).read_bytes()[:-9])


def without_column(folder: Path, file: str) -> None:
    results.stored("table-3", folder).drop(columns="cpu").to_parquet(folder / file)


def a_number(folder: Path, file: str) -> None:
    write_manifest(results.manifest(folder) | {"table-3": 5}, folder)


@pytest.mark.parametrize(
    ("change", "file", "said"),
    [
        (unreadable, "table-3.parquet", "table-3.parquet: CHANGED"),
        (without_column, "table-3.parquet", "table-3.parquet: CHANGED"),
        (unhashed, "runs", "table-3.parquet: CHANGED: the manifest has other runs"),
        (unreadable, "manifest.json", "manifest.json: CHANGED"),
        (a_number, "", "manifest.json: CHANGED"),
        (removed, "table-3.parquet", "table-3.parquet: MISSING"),
        (removed, "manifest.json", "table-3.parquet: UNKNOWN"),
        (unhashed, "sha256", "table-3.parquet: CHANGED"),
        (removed, "classifiers/food/a.json", "classifiers/food/a.json: MISSING"),
        (written, "classifiers/food/a.json", "classifiers/food/a.json: CHANGED"),
        (written, "classifiers/food/b.json", "classifiers/food/b.json: UNKNOWN"),
        (written, "q-network/weights.safetensors", "weights.safetensors: UNKNOWN"),
        (written, "stray.parquet", "stray.parquet: UNKNOWN"),
    ],
)
def test_verify_compares_files_and_manifest_both_ways(tiny, capsys, change, file, said):
    written(tiny, "classifiers/food/a.json")
    (tiny / "classifiers/food/a.json").write_text("old")
    assert command.main(["models", "--folder", str(tiny)]) == 0
    assert command.main(["verify", "--folder", str(tiny)]) == 0
    assert "2 of 2 files are intact" in capsys.readouterr().out
    change(tiny, file)
    for named in [], ["table-3"] * said.startswith(("table-3", "manifest")):
        assert command.main(["verify", *named, "--folder", str(tiny)]) == 1
        assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.head(0),
        lambda table: table.head(1),
        lambda table: table.drop(columns="value"),
        lambda table: table.assign(cpu=0.001),
        lambda table: table.assign(date="2001-01-01T00:00+00:00"),
        lambda table: table.assign(code="0" * 16),
        lambda table: pd.concat([table, table.head(1)], ignore_index=True),
    ],
)
def test_changed_rows_are_noticed_though_the_manifest_was_written_anew(tiny, change):
    rewritten(tiny, change(results.stored("table-3", tiny)))
    assert results.faults(tiny)["table-3.parquet"]


def test_the_list_of_classifiers_keeps_one_that_is_gone(tiny):
    written(tiny, "classifiers/food/a.json")
    results.write_models(tiny)
    removed(tiny, "classifiers/food/a.json")
    results.write_models(tiny)
    assert results.faults(tiny)["classifiers/food/a.json"].startswith("MISSING")


def test_a_changed_record_is_noticed(tiny):
    facts = {"id": "best", "value": 1.5, "interval": [1, 2]}
    kept = [facts | {"hash": facts_hash(facts)}]
    (tiny / "ledger.json").write_text(json.dumps(kept))
    assert not any(results.faults(tiny).values())
    (tiny / "ledger.json").write_text(json.dumps(kept).replace("1.5", "1.6"))
    assert results.faults(tiny)["ledger.json"].startswith("CHANGED")


@pytest.mark.slow
def test_verify_names_a_study_of_which_nothing_is_left(tiny, capsys, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tiny)  # a folder of one's own may have some alone
    assert command.main(["verify", "--folder", str(tiny)]) == 0  # one that is under way is none
    studies = command.all_studies()
    studies["wikispeedia"] = replace(studies["wikispeedia"], under_way=False)
    assert command.main(["verify", "--folder", str(tiny)]) == 1
    assert "wikispeedia.parquet: MISSING" in capsys.readouterr().out


@pytest.mark.slow
def test_what_takes_minutes_is_made_again_only_if_it_is_named(tiny, capsys, monkeypatch):
    monkeypatch.setattr(command, "PATIENCE", 0.5)  # a run of `echo` says that it took a second
    assert command.main(["verify", "--folder", str(tiny)]) == 0
    said = capsys.readouterr().out
    assert "table-3: not made again" in said and "Made again 0 of 2" in said
    assert command.main(["verify", "table-3", "--folder", str(tiny)]) == 0
    assert "table-3: not made again" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["verify", "table-9"], "table-9: the studies are conditions, third-outside"),
        (["rests", "77"], "no notebook '77'; there are 01-the-webs"),
    ],
)
def test_an_unknown_study_or_chapter_is_named(named, said, capsys):
    with pytest.raises(SystemExit):
        command.main(named)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("number", ["09", "10", "11", "12"])
def test_a_chapter_of_another_paper_rests_on_few_modules(number, capsys):
    assert command.main(["rests", number]) == 0
    *modules, last = capsys.readouterr().out.splitlines()
    assert len(modules) < 34 and last.endswith(f"rests on {len(modules)} modules.")


def test_only_the_chapter_on_the_deep_web_rests_on_its_kernel():
    book = Book(workspace.root(), "default")
    rest = [name for name in book.names() if "tres_lib.deepweb.kernel" in book.modules(name)]
    assert rest == ["12-deep-web"]
