"""The plan of the long runs, and the command that checks them."""

import os
import re
import sys
from collections import Counter
from contextlib import suppress
from subprocess import run

import nbformat
import numpy as np
import pandas as pd
import pytest

from tres_book import long_runs
from tres_book.crawls import tables as tres_tables
from tres_book.long_runs import __main__ as command, again
from tres_book.study import manifest, results
from tres_book.study.results import Study
from tres_lib.code_hash import LIBRARY, RESULTS
from tres_lib.focused.tres.crawlers import TresSettings


def crawlers_of(name: str) -> Counter:
    return Counter((s["policy"], s["limit"]) for s in long_runs.study(name).settings)


def test_the_plan_is_the_papers():
    table = long_runs.study("table-3").settings
    crawlers = crawlers_of("table-3")
    assert set(crawlers.values()) == {3 * 10}  # topics, webs
    assert {limit for _, limit in crawlers} == {"none"} and len(crawlers) == 12
    assert {s["budget"] for s in table} == {20_000} and {s["sites"] for s in table} == {100_000}
    limited = {"tres", "async", "ache", "seedfinder", "prospector", "best-first"}
    last = crawlers_of("table-3-5_2")
    assert set(last) == {(policy, "5_2") for policy in limited} and set(last.values()) == {30}
    others = crawlers_of("table-3-limits")
    expected = {(p, limit) for p in limited for limit in ("100", "10", "5")}
    assert set(others) == expected - {("tres", "10"), ("tres", "5")}
    assert set(others.values()) == {3 * 5}
    assert crawlers_of("table-3-sync") == {("sync", "none"): 3 * 10}
    ablations = crawlers_of("table-4")
    assert {("tres", "10"), ("tres", "5"), ("tres-svm", "5_2")} < set(ablations)
    assert ("tres", "5_2") not in ablations and set(ablations.values()) == {30}


def test_no_crawl_is_planned_twice():
    plans = {name: long_runs.study(name).settings for name in long_runs.PLANS}
    crawls = [tuple(sorted(s.items())) for plan in plans.values() for s in plan]
    assert len(set(crawls)) == len(crawls)
    svm = [s for s in plans["table-4"] if s["policy"] == "tres-svm"]
    assert {s["limit"] for s in svm} == {"10", "5_2"} and len(svm) == 2 * 30


def test_all_studies_have_their_place_in_the_order():
    assert sorted(sum(long_runs.ORDER, ())) == sorted(long_runs.NAMES)


class Planned(Exception):
    """A chapter has made its plan."""


def planned(chapter: str, monkeypatch) -> list[Study]:
    """Return the studies that a chapter asks for with the parameters that it holds."""

    def stop(study):
        raise Planned

    monkeypatch.setattr(results, "sweep", stop)
    [path] = (LIBRARY.parent / "notebooks").glob(f"{chapter}-*.ipynb")
    cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    names: dict = {}
    with suppress(Planned):
        for source in cells[:3]:  # imports, parameters, the plan
            exec(source, names)
    return list(names["plan"].values()) if "plan" in names else [names["part"]]


@pytest.mark.slow
@pytest.mark.parametrize("chapter", ["03", "07", "08", "09", "10", "11", "12"])
def test_chapters_ask_for_stored_runs(chapter, monkeypatch):
    """A chapter opened with the parameters that it holds must not begin hours of work."""
    asked = planned(chapter, monkeypatch)
    assert asked
    for part in asked:
        assert results.length_if_stored(part, "all"), f"{part.name} asks for runs not stored"


def test_webs_come_one_after_another():
    seeds = [s["web_seed"] for s in long_runs.study("muted").settings]
    assert seeds == sorted(seeds) and set(seeds) == set(range(5))


def echo(policy: str, topic: str, **setting):
    return {"value": len(policy), "cpu": 1.0}


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    settings = [{"policy": p, "topic": "food", "web_seed": 0} for p in ("tres", "bfs")]
    study = Study("table-3", echo, settings, ("topic",))
    monkeypatch.setattr(results, "code_hash", lambda module: "a" * 64)
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    for module in (again, command):
        monkeypatch.setattr(module, "study", lambda name: study)
    results.run(study, folder=tmp_path, workers=1)
    return tmp_path


@pytest.mark.slow
def test_verify_passes_and_says_what_it_checked(tiny, capsys, monkeypatch):
    assert command.main(["verify", "table-3", "--runs", "2", "--folder", str(tiny)]) == 0
    said = capsys.readouterr().out
    assert said.count("the same") == 2 and "2 of 2 stored runs" in said
    assert "made again" not in (tiny / "manifest.json").read_text()
    monkeypatch.setattr(results, "code_hash", lambda module: "b" * 64)
    assert command.main(["verify", "table-3", "--note", "--folder", str(tiny)]) == 0
    assert "made again" in (tiny / "manifest.json").read_text()


@pytest.mark.slow
def test_verify_draws_its_seed_and_prints_it(tiny, capsys):
    line = ["verify", "table-3", "--folder", str(tiny)]
    command.main(line)
    seed = re.search(r"drawn with SEED=(\d+)", capsys.readouterr().out)[1]
    command.main([*line, "--seed", seed])
    assert f"drawn with SEED={seed}." in capsys.readouterr().out


def test_learnt_rates_may_differ_by_the_processor():
    study = long_runs.study("one-crawler")
    names = {s["name"] for s in study.settings if study.tolerance(s) > 1e-9}
    assert {"learnt", "learnt, Last-Modified"} <= names and "one index" not in names
    assert long_runs.study("table-3").tolerance({}) == 1e-9


@pytest.mark.slow
def test_verify_goes_on_without_the_data_of_wikispeedia(tiny, capsys, monkeypatch):
    (tiny / "table-3.parquet").rename(tiny / "wikispeedia.parquet")
    entries = manifest.read(tiny)
    manifest.write({"wikispeedia": entries.pop("table-3")}, tiny)
    monkeypatch.setattr(command, "wikispeedia_folder", lambda: None)
    assert command.main(["verify", "wikispeedia", "--folder", str(tiny)]) == 0
    said = capsys.readouterr().out
    assert "data are not at hand" in said and "Made again 0 of 2" in said


@pytest.mark.slow
def test_verify_fails_on_a_number_that_was_changed(tiny, capsys):
    table = results.stored("table-3", tiny)
    table.assign(value=9).to_parquet(tiny / "table-3.parquet")
    assert command.main(["verify", "table-3", "--folder", str(tiny)]) == 1
    said = capsys.readouterr().out
    assert "DIFFERENT in value" in said and "table-3: CHANGED" in said


@pytest.mark.slow
def test_verify_fails_on_a_change_of_what_is_not_made_again(tiny, capsys):
    table = results.stored("table-3", tiny)
    table.assign(date="1999-01-01").to_parquet(tiny / "table-3.parquet")
    assert command.main(["verify", "table-3", "--folder", str(tiny)]) == 1
    said = capsys.readouterr().out
    assert "DIFFERENT" not in said and "table-3: CHANGED" in said and "0 of 1 files" in said


@pytest.mark.slow
def test_verify_of_all_checks_files_of_no_study_too(tiny, capsys):
    pd.DataFrame({"gain": [1]}).to_parquet(tiny / "tried.parquet")
    told = {"tried": {"sha256": manifest.sha256("tried", tiny)}}
    manifest.write(manifest.read(tiny) | told, tiny)
    assert command.main(["verify", "--folder", str(tiny)]) == 0
    pd.DataFrame({"gain": [2]}).to_parquet(tiny / "tried.parquet")
    assert command.main(["verify", "--folder", str(tiny)]) == 1
    assert "tried: CHANGED" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.network
def test_studies_share_the_cores():
    words = ["verify", "refresh-cover", "ephemeral-sources"]
    line = [sys.executable, "-m", "tres_book.long_runs", *words]
    ended = run(line, env=os.environ | {"TRES_WORKERS": "2"}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("the same") == 2 and "2 of 2 files are intact" in ended.stdout


def test_no_stored_file_was_changed():
    entries = manifest.read(RESULTS)
    for file in RESULTS.glob("*.parquet"):
        assert "sha256" in entries[file.stem] and manifest.intact(file.stem)


def store(folder, policy: str, found: list[int], **more):
    """Store a crawl of 400 fetches with this curve, a point each second page."""
    run = {"topic": "food", "policy": policy, "limit": "none", "web_seed": 0, "budget": 400}
    none = [0] * tres_tables.POINTS
    curves = {"found": found, "truly found": none, "stuck": none}
    row = run | {"domains": 7, "pages": 400, "both": 0, "key": policy, "cpu": 1.0} | curves | more
    table = pd.DataFrame([row | {"revision": "a", "code": "b", "date": "c"}])
    file = folder / "table-3.parquet"
    pd.concat([*([pd.read_parquet(file)] if file.exists() else []), table]).to_parquet(file)


HALF = list(range(1, tres_tables.POINTS + 1))  # every second page


def test_stored_crawls_are_read_as_ends_and_curves(tmp_path):
    store(tmp_path, "bfs", HALF)
    assert long_runs.ends("table-3", folder=tmp_path)["domains"].tolist() == [7]
    curves = long_runs.curves("table-3", folder=tmp_path)
    assert curves["step"].tolist() == list(range(2, 402, 2))
    assert set(curves["harvest rate"]) == {0.5} and set(curves["true harvest rate"]) == {0.0}
    both = long_runs.curves("table-3", "muted", folder=tmp_path)
    pd.testing.assert_frame_equal(both, curves)  # of which none is stored
    with pytest.raises(ValueError, match="no runs of muted"):
        long_runs.ends("muted", folder=tmp_path)


def test_where_the_pages_went_by_hand(tmp_path):
    """Ten pages are found while TRES explores, at most 150 later; ten are never fetched."""
    explored = TresSettings().exploration(400)
    at = explored // 2  # points until then
    found = np.minimum(np.arange(1, 201), 10).astype(int)
    found[at:] = 10 + np.minimum(np.arange(1, 201 - at), 150)
    stuck = np.where(np.arange(200) < at, 0, 20)
    truth = [30] * 200
    more = {"stuck": stuck.tolist(), "truly found": truth, "both": 25, "pages": 390}
    store(tmp_path, "tres", found.tolist(), **more)
    went = long_runs.losses("table-3", folder=tmp_path).iloc[0]
    total = found[-1]
    assert went["relevant"] == pytest.approx(total / 4)
    assert went["while TRES explores"] == pytest.approx((explored - 10) / 4)
    assert went["on stuck sites"] == 20 / 4 and went["not fetched"] == 10 / 4
    assert went[list(long_runs.WENT[:5])].sum() == pytest.approx(100)
    assert went["taken wrongly"] == pytest.approx((total - 25) / 4) and went["missed"] == 5 / 4


def test_when_a_crawl_overtakes_another_for_good(tmp_path):
    start = [max(n - 50, 0) for n in HALF]  # behind the first, level with the last at the end
    late = [0] * 40 + [2 * n for n in range(1, 161)]  # passes HALF at 80, start earlier
    store(tmp_path, "tres", late)
    store(tmp_path, "bfs", HALF)
    store(tmp_path, "random", [3 * n for n in HALF])
    store(tmp_path, "linear", [0] * 200)
    store(tmp_path, "ache", start)
    table = long_runs.overtakes(long_runs.curves("table-3", folder=tmp_path), "harvest rate")
    steps = table.set_index("policy")["from step"]
    assert steps["bfs"] == 2 * 81 and np.isnan(steps["random"])
    assert steps["linear"] == 2 * 41 and steps["ache"] == 2 * 41


@pytest.mark.slow
def test_what_takes_minutes_is_made_again_only_if_it_is_named(tiny, capsys, monkeypatch):
    monkeypatch.setattr(command, "PATIENCE", 0.5)  # a run of `echo` says that it took a second
    assert command.main(["verify", "--folder", str(tiny)]) == 0
    said = capsys.readouterr().out
    assert "table-3: not made again" in said and "Made again 0 of 2" in said
    assert command.main(["verify", "table-3", "--folder", str(tiny)]) == 0
    assert "table-3: not made again" not in capsys.readouterr().out


def test_nothing_to_check_is_said(tmp_path, capsys):
    assert command.main(["verify", "table-3", "--folder", str(tmp_path)]) == 0
    assert "no runs of table-3 yet" in capsys.readouterr().out


def test_an_unknown_study_is_named(capsys):
    with pytest.raises(SystemExit):
        command.main(["verify", "table-9"])
    assert "table-9: the studies are table-3" in capsys.readouterr().err
