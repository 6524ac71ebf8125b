"""Sweeps: order, caching, resumption, failures and the three executors."""

import json
import logging
import os
import signal
import sys
import time
from pathlib import Path

import distributed
import numpy as np
import pandas as pd
import pytest

from tres_book.study import mean_interval, run_sweep, runs


def square(x, log=None):
    """Return x squared, and append to `log` that it was computed."""
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{x}\n")
    if x < 0:
        raise ValueError(f"x: {x} is negative")
    return {"square": x * x}


def squared(x, log, web):
    return square(x, log)


def repeat(times):
    """Return a table with a telling index."""
    return pd.DataFrame({"i": range(times)}, index=[f"row {i}" for i in range(times)])


def where(x):
    """Return the process that ran this, and say what a crawl would, as a warning and an error."""
    logger = logging.getLogger("tres_lib.focused.crawl")
    logger.warning("warning %d", x)
    logger.error("error %d", x)
    return {"pid": os.getpid(), "threads": os.environ.get("OMP_NUM_THREADS")}


def drawn(x, rows):
    """Return a table made of the setting alone, and the worker of a cluster, after a moment."""
    time.sleep(0.1)
    noise = np.random.default_rng(x).normal(size=rows)
    try:
        worker = distributed.get_worker().name
    except ValueError:
        worker = "none"
    return pd.DataFrame({"noise": noise, "name": f"run {x}", "worker": worker})


def dies_once(x):
    if x == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": x * x}


def calls(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def test_a_frame_gets_its_setting_on_every_row_and_loses_its_index(tmp_path):
    settings = [{"times": 2}, {"times": 0}, {"times": 1}]
    table = run_sweep(repeat, settings, workers=1, cache=tmp_path)
    assert table.to_dict("list") == {"times": [2, 2, 1], "i": [0, 1, 0]}
    assert list(table.index) == [0, 1, 2]


def test_the_same_setting_is_computed_once_whatever_the_order_of_its_keys(tmp_path):
    log = tmp_path / "log"
    settings = [{"x": 2, "log": str(log)}, {"log": str(log), "x": 2}]
    run_sweep(square, settings, workers=1, cache=tmp_path)
    table = run_sweep(square, settings, workers=1, cache=tmp_path)
    assert calls(log) == ["2"]
    assert table["square"].tolist() == [4, 4]


def test_a_trial_rests_on_the_modules_behind_it_and_outside_the_library_on_all(monkeypatch):
    asked = []
    monkeypatch.setattr(runs, "code_hash", lambda *names: str(asked.append(names)))
    runs.fingerprint(mean_interval)
    runs.fingerprint(square)
    assert asked == [("tres_book.intervals",), ("tres_webs", "tres_lib", "tres_live", "tres_book")]


def test_a_change_of_the_function_computes_again(tmp_path):
    def constant():
        return {"value": 1}

    first = run_sweep(constant, [{}], workers=1, cache=tmp_path)

    def constant():
        return {"value": 2}

    second = run_sweep(constant, [{}], workers=1, cache=tmp_path)
    assert (first["value"][0], second["value"][0]) == (1, 2)


def test_a_failure_is_named_and_the_others_are_kept(tmp_path):
    log = tmp_path / "log"
    settings = [{"x": x, "log": str(log)} for x in (1, -2, 3)]
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"1 of 3 settings failed.*'x': -2.*negative"):
            run_sweep(square, settings, workers=1, cache=tmp_path)
    assert sorted(calls(log)) == ["-2", "-2", "1", "3"]


def stops_once(x, log):
    """Return x squared, but be interrupted before the third run that is computed."""
    if len(calls(Path(log))) == 2:
        Path(log).write_text("1 2 stopped ")
        raise KeyboardInterrupt
    return square(x, log)


def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path):
    log = tmp_path / "log"
    settings = [{"x": x, "log": str(log)} for x in (1, 2, 3)]
    with pytest.raises(KeyboardInterrupt):
        run_sweep(stops_once, settings, workers=1, cache=tmp_path)
    table = run_sweep(stops_once, settings, workers=1, cache=tmp_path)
    assert calls(log) == ["1", "2", "stopped", "3"] and table["square"].tolist() == [1, 4, 9]


def test_a_half_written_result_is_no_result(tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(RuntimeError, match="disk full"):
            run_sweep(square, [{"x": 2}], workers=1, cache=tmp_path)
    assert run_sweep(square, [{"x": 2}], workers=1, cache=tmp_path)["square"].tolist() == [4]


@pytest.mark.slow
def test_workers_are_other_processes_with_one_thread_and_tell_errors_alone(
    tmp_path, monkeypatch, capfd, caplog
):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    settings = [{"x": 1}, {"x": 2}]
    table = run_sweep(where, settings, workers=2, cache=tmp_path, progress=False)
    assert os.getpid() not in table["pid"].tolist()
    assert set(table["threads"]) == {"1"}
    told = capfd.readouterr().err
    assert "error 1" in told and "error 2" in told and "warning" not in told
    run_sweep(where, [{"x": 3}], workers=1, cache=tmp_path, progress=False)
    assert "warning 3" in caplog.text


@pytest.mark.slow
def test_a_killed_worker_costs_its_run_alone(tmp_path):
    how = {"workers": 2, "cache": tmp_path, "progress": False}
    with pytest.raises(RuntimeError, match="1 of 6 settings failed"):
        run_sweep(dies_once, [{"x": x} for x in range(6)], **how)
    assert len(list(tmp_path.rglob("*.parquet"))) == 5


@pytest.mark.slow
@pytest.mark.network
def test_a_cluster_of_two_workers_gives_the_same_table(tmp_path):
    local = {"processes": False, "protocol": "tcp://", "dashboard_address": None}
    settings = [{"x": x, "rows": 3} for x in range(8)]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **local) as cluster:
        address = cluster.scheduler_address
        far = run_sweep(drawn, settings, executor=address, cache=tmp_path / "far")
    assert address.startswith("tcp://127.0.0.1:")
    near = run_sweep(drawn, settings, workers=1, cache=tmp_path / "near")
    pd.testing.assert_frame_equal(far.drop(columns="worker"), near.drop(columns="worker"))
    assert far["worker"].nunique() == 2 and set(near["worker"]) == {"none"}


def test_settings_that_belong_together_run_in_a_row(tmp_path):
    log = tmp_path / "log"
    settings = [{"x": x, "log": str(log), "web": web} for x in (1, 2, 3) for web in "ab"]
    table = run_sweep(squared, settings, workers=1, cache=tmp_path, together=["web"])
    assert calls(log) == ["1", "2", "3", "1", "2", "3"]
    assert table["square"].tolist() == [1, 1, 4, 4, 9, 9]


def test_long_arrays_are_told_apart():
    one, two = np.zeros(5_000), np.zeros(5_000)
    two[2_500] = 1
    assert runs.key({"x": one}) != runs.key({"x": two})
    with pytest.raises(ValueError, match="in part"):
        runs.key({"x": pd.DataFrame({"x": two})})


def test_a_function_of_a_notebook_is_refused_for_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(square, "__module__", "__main__")
    monkeypatch.setitem(sys.modules, "__main__", type(json)("__main__"))
    with pytest.raises(ValueError, match="function: square is defined in a notebook"):
        run_sweep(square, [{"x": 1}, {"x": 2}], workers=2, cache=tmp_path)


def timed(x):
    """Return a table with a column of the name that stored runs have for their cost."""
    return pd.DataFrame({"cpu": [x, 2 * x], "gone": [None, True], "word": ["a", None]})


def test_tables_are_read_back_as_they_were_returned(tmp_path):
    table = run_sweep(timed, [{"x": 0.5}, {"x": 1.5}], workers=1, cache=tmp_path)
    assert table.columns.tolist() == ["x", "cpu", "gone", "word"]
    assert table["cpu"].tolist() == [0.5, 1.0, 1.5, 3.0]
    assert table["gone"].isna().tolist() == [True, False] * 2
    assert table["word"].isna().tolist() == [False, True] * 2 and table["word"][0] == "a"
