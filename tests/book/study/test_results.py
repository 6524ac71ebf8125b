"""Long runs are stored as they come, found again, and a changed number is noticed."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tres_book.study import results, runs, verify, workspace
from tres_book.study.study import Study

CALLS = []


def squares(n: int, offset: int = 0) -> dict:
    """Return a number and a list, as a trial does."""
    CALLS.append(n)
    return {"square": n * n + offset, "list": [n, n + 1], "none": float("nan"), "cpu": 0.5 + n}


def store(study: Study, folder: Path) -> pd.DataFrame:
    results.store(study, folder)
    return results.stored(study.name, folder)


def small(*numbers: int) -> Study:
    return Study("squares", squares, [{"n": n} for n in numbers], ("n",))


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("TRES_WORKERS", "1")  # in this process, so that calls are counted
    monkeypatch.setattr(runs, "fingerprint", lambda function: "0123456789abcdef")
    CALLS.clear()


@pytest.mark.slow
def test_only_what_is_missing_is_run(tmp_path):
    first = store(small(1, 2), folder=tmp_path)
    assert first["square"].tolist() == [1, 4] and CALLS == [1, 2]
    second = store(small(1, 2, 3), folder=tmp_path)
    assert second["square"].tolist() == [1, 4, 9] and CALLS == [1, 2, 3]
    pd.testing.assert_frame_equal(second, results.stored("squares", tmp_path))
    assert second["key"].tolist() == ['{"n": 1}', '{"n": 2}', '{"n": 3}']


def test_what_a_run_returns_is_kept_though_it_is_a_setting_of_another_study(tmp_path):
    def moving(n: int, offset: int = 0) -> dict:
        return squares(n, offset) | {"offset": offset}

    moving.__module__ = __name__
    for offset in (0, 1):
        setting = {"n": 1} | ({"offset": 1} if offset else {})
        study = Study(f"moved by {offset}", moving, [setting], ("n",))
        assert store(study, tmp_path)["offset"].tolist() == [offset]
        assert verify.verify(study, 1, 0, tmp_path)["same"].all()


def test_the_manifest_says_where_they_come_from(tmp_path):
    store(small(1, 2), folder=tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())["squares"]
    assert manifest["runs"] == manifest["planned"] == 2
    assert manifest["code"] == ["0123456789abcdef"]
    assert manifest["CPU hours"] == round(4 / 3600, 2)
    assert "numpy" in manifest["versions"] and "Python" in manifest["versions"]


def test_a_stop_loses_only_what_is_under_way(tmp_path):
    def stopping(n: int) -> dict:
        if n == 3:
            raise KeyboardInterrupt
        return squares(n)

    stopping.__module__ = __name__
    study = Study("squares", stopping, [{"n": n} for n in (1, 2, 3, 4)], ("n",))
    with pytest.raises(KeyboardInterrupt):
        store(study, folder=tmp_path)
    assert results.stored("squares", tmp_path)["square"].tolist() == [1, 4]


@pytest.mark.slow
def test_verify_makes_runs_again(tmp_path, monkeypatch):
    monkeypatch.setattr(verify, "SHORT", 20.6)
    study = small(*range(1, 31))
    store(study, folder=tmp_path)
    CALLS.clear()
    one = verify.verify(study, 1, 0, tmp_path)
    assert one["same"].all() and one["same_code"].all() and CALLS[0] <= 20  # of a minute
    several = verify.verify(study, 20, 0, tmp_path)
    assert several["same"].all() and len(set(CALLS[1:])) == 20
    monkeypatch.setattr(verify, "SHORT", 0.1)
    CALLS.clear()
    verify.verify(study, 1, 1, tmp_path)
    assert CALLS == [1]  # the shortest, where none takes less than a tenth of a second


def steps(n: int) -> pd.DataFrame:
    """Return a table: a gap, a word, lists of different lengths, a column of long ones only."""
    CALLS.append(n)
    walked = [list(range(i)) for i in range(1, n + 1)]
    gap = [float("nan"), *range(n - 1)]
    table = pd.DataFrame({"step": range(n), "gap": gap, "walked": walked, "word": ["a"] * n})
    return table.assign(late=np.arange(n)) if n > 2 else table


@pytest.mark.slow
def test_tables_are_stored_and_read_row_by_row(tmp_path):
    study = Study("steps", steps, [{"n": n} for n in (2, 3, 1)])
    made = results.rows(study, tmp_path)
    assert made["n"].tolist() == [2, 2, 3, 3, 3, 1] and CALLS == [2, 3, 1]
    assert made["late"].isna().tolist() == [True, True, False, False, False, True]
    store(Study("steps", steps, study.settings[:2]), folder=tmp_path)
    assert results.length_if_stored(study, "3 steps", tmp_path) == ""
    pd.testing.assert_frame_equal(results.rows(study, tmp_path), made)
    store(study, folder=tmp_path)
    assert results.length_if_stored(study, "3 steps", tmp_path) == "3 steps"
    few = Study("steps", steps, study.settings[:2])
    assert results.length_if_stored(few, "3 steps", tmp_path) == ""
    pd.testing.assert_frame_equal(results.rows(study, tmp_path), made)
    assert CALLS == [2, 3, 1]  # each once
    assert verify.verify(study, 3, 0, tmp_path)["same"].all()
    assert len(results.stored("steps", tmp_path)) == 3 and "cpu" not in made


@pytest.mark.slow
def test_columns_that_a_study_does_not_name_are_not_kept(tmp_path):
    study = Study("steps", steps, [{"n": 2}, {"n": 3}], columns=("step", "word"))
    made = results.rows(study, tmp_path)
    assert made.columns.tolist() == ["n", "step", "word"]
    store(study, folder=tmp_path)
    assert "gap" not in results.stored("steps", tmp_path)
    pd.testing.assert_frame_equal(results.rows(study, tmp_path), made)
    assert verify.verify(study, 2, 0, tmp_path)["same"].all()
    table = results.stored("steps", tmp_path)
    table.assign(gap=0.0, cpu=0.1).to_parquet(tmp_path / "steps.parquet")  # of a former study
    assert verify.verify(study, 2, 0, tmp_path)["same"].all()


@pytest.mark.parametrize(
    ("function", "column", "value"),
    [
        (squares, "square", 5),
        (squares, "list", [2, 4]),
        (squares, "n", 3),
        (steps, "step", [0, 2]),
        (steps, "gap", [float("nan"), 1.0]),
        (steps, "walked", [[0], [0, 2]]),
        (steps, "word", ["a", "b"]),
    ],
)
def test_a_changed_number_or_cell_is_noticed(tmp_path, function, column, value):
    study = Study("changed", function, [{"n": 2}])
    store(study, folder=tmp_path)
    table = results.stored("changed", tmp_path)
    table[column] = [value]
    table.to_parquet(tmp_path / "changed.parquet")
    assert verify.verify(study, folder=tmp_path).iloc[0]["differs"] == column


def test_a_setting_is_run_and_read_once(tmp_path):
    table = store(small(2, 2), folder=tmp_path)
    assert len(table) == 1 and CALLS == [2]
    pd.concat([table, table]).to_parquet(tmp_path / "squares.parquet")
    assert results.rows(small(2), tmp_path)["square"].tolist() == [4]


def test_fractions_may_differ_by_the_tolerance_of_their_setting(tmp_path):
    near = Study("roots", roots, [{"n": n} for n in (1, 2)], tolerance=lambda s: 0.1 * s["n"])
    store(near, folder=tmp_path)
    table = results.stored("roots", tmp_path)
    table.assign(root=1.15 * table["root"]).to_parquet(tmp_path / "roots.parquet")
    checked = verify.verify(near, 2, folder=tmp_path).set_index("within")
    assert checked["same"].to_dict() == {0.1: False, 0.2: True}


def test_a_column_of_rounding_errors_is_compared_at_its_scale(tmp_path):
    plain, scaled = (Study("rests", rests, [{"n": 3}], scales=s) for s in ({}, {"rest": 1.0}))
    table = store(plain, folder=tmp_path)
    table.assign(rest=3 * table["rest"]).to_parquet(tmp_path / "rests.parquet")
    assert verify.verify(plain, folder=tmp_path)["differs"].tolist() == ["rest"]
    assert verify.verify(scaled, folder=tmp_path)["same"].tolist() == [True]
    table.assign(rest=1e-3).to_parquet(tmp_path / "rests.parquet")
    assert verify.verify(scaled, folder=tmp_path)["differs"].tolist() == ["rest"]


def rests(n: int) -> dict:
    return {"rest": 1e-15 * n, "cpu": 1.0}


def roots(n: int) -> dict:
    return {"root": n**0.5, "cpu": 1.0}


def test_changes_apart_from_the_code_leave_the_revision(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace, "root", lambda: tmp_path)
    assert workspace.revision() == "unknown (no commit)"
    for folder in ("code", "results"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a").write_text("1")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for line in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "a"]):
        subprocess.run(["git", *line], cwd=tmp_path, check=True)
    clean = workspace.revision()
    (tmp_path / "results" / "a").write_text("2")
    assert workspace.revision("results") == clean
    assert workspace.revision() == f"{clean}, with local changes"
    (tmp_path / "code" / "a").write_text("2")
    assert workspace.revision("results") == f"{clean}, with local changes"


def test_readers_are_told_by_which_revision_and_how_many_were_made_again(tmp_path, monkeypatch):
    store(small(1), folder=tmp_path)
    told = results.origin(small(1, 2), tmp_path)
    assert told.startswith("Stored: 1 of 2 runs, 0.0 CPU hours, revision ")
    assert "made again" not in told
    assert results.length_if_stored(small(1), "a day", tmp_path) == "a day"
    monkeypatch.setattr(runs, "fingerprint", lambda function: "f" * 16)
    checked = verify.verify(small(1), folder=tmp_path)
    assert checked["same"].all() and not checked["same_code"].any()  # made by other code
    verify.note(small(1), checked, tmp_path)
    table = results.overview([small(1, 2), Study("steps", steps, [{"n": 1}])], tmp_path)
    assert table["runs"].tolist() == [2, 1] and table["stored"].tolist() == [1, 0]
    again, never = table["made again"]
    assert again.startswith("1, 1 the same, by revision ") and never == ""
    assert f"; made again: {again}." in results.origin(small(1), tmp_path)
