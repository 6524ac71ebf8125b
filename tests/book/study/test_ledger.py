"""The ledger as data: what is written, when rules came, and that the dates are those of git."""

import json
import runpy
import shutil
from datetime import datetime

import jsonschema
import pandas as pd
import pytest
import yaml

from tres_book.study import Claims, ledger, workspace
from tres_book.study.chapters import Book
from tres_book.study.ledger import Came
from tres_book.study.results import manifest

ROOT = workspace.root()
CLAIMS = """
tree-wins:
  paper: TRES
  place: Table 10
  claim: The <tree> wins & stays.
  kind: order
  value: by 3
  measure: a "difference" in points
  rule: {holds: "value >= 3"}
  amended: {rule: {holds: "value >= 9"}, date: 2026-11-25, reason: It asked for all.}
  notebook: 04-crawl
ours:
  paper: Ours
  place: "1"
  claim: Ours wins.
  kind: number
  value: "1"
  measure: a ratio
  rule: {holds: "value == 1"}
  notebook: 04-crawl
"""
SOURCES = """
tree-wins: {words: the tree wins, at: Section 1, runs: [long]}
ours: {runs: []}
"""
HARD, EASY = {"holds": "value >= 9"}, {"holds": "value >= 3"}
DATES = {
    "rules": {
        "tree-wins": [
            {"rule": rule, "commit": digit * 40, "date": date, "with_chapter": False}
            for rule, digit, date in (
                (HARD, "a", "2026-11-23T10:00:00+00:00"),
                (EASY, "b", "2026-11-25T10:00:00+00:00"),
            )
        ]
    },
    "runs": {"long": {"run": "2026-11-24T12:00+00:00", "commit": "c" * 40}},
}


@pytest.fixture
def book(tmp_path, monkeypatch):
    for folder in ("data", "reports"):
        (tmp_path / folder).mkdir()
    for name, text in {"claims": CLAIMS, "sources": SOURCES}.items():
        (tmp_path / "data" / f"{name}.yaml").write_text(text)
    (tmp_path / "data" / "ledger_dates.json").write_text(json.dumps(DATES))
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("TRES_SCALE", "default")
    monkeypatch.setenv("TRES_RECORD", "1")
    claims = Claims.load(tmp_path / "data" / "claims.yaml")
    claims.record("tree-wins", 4, (3, 7), 12, stored="a day")
    return Book(tmp_path, "default")


def written(book):
    ledger.write(book, ledger.entries(book))
    return json.loads((book.root / "reports" / "ledger.json").read_text())


def test_the_ledger_is_written_by_its_schema(book):
    document = written(book)
    schema = json.loads((book.root / "reports" / "ledger.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    ours, tree = document["claims"]
    assert (ours["here"], ours["n"], ours["verdict"]) == (None, None, "not recorded")
    assert ours["quote"] is ours["rule_date"] is None
    assert tree["permalink"] == "04-crawl.html#claim-tree-wins"
    assert (tree["here"], tree["low"], tree["high"], tree["n"]) == (4, 3, 7, 12)
    assert tree["quote"] == {"words": "the tree wins", "at": "Section 1"}
    past = [(h["rule"], h["verdict"], h["reason"], h["commit"][0]) for h in tree["history"]]
    assert past == [
        (HARD, "does not hold", "", "a"),
        (EASY, "holds", "It asked for all.", "b"),
    ]
    assert document["rules"]["before the runs, amended since"] == 1
    assert document["verdicts"] == {"Ours": {"not recorded": 1}, "TRES": {"holds": 1}}
    table = pd.read_csv(book.root / "reports" / "ledger.csv").set_index("id")
    row = table.loc["tree-wins"]
    assert row["rule_date"] == "2026-11-25T10:00:00+00:00" and row["rule_commit"] == "b" * 40
    assert (row["rule.holds"], row["quote.at"]) == ("value >= 3", "Section 1")
    assert table["rule_date"].isna()["ours"]


def test_the_schema_refuses_what_it_does_not_know(book):
    row = ledger.entries(book)[0]
    for change in {"verdict": "wins"}, {"quote": {"words": "word " * 25 + "word", "at": "1"}}:
        with pytest.raises(jsonschema.ValidationError):
            ledger.write(book, [row | change])


@pytest.mark.parametrize(
    ("rule", "known", "run", "expected"),
    [
        (EASY, "", "2026-11-25T10:01+00:00", Came.BEFORE),
        (EASY, "", "2026-11-25T11:01+02:00", Came.AMENDED),  # 09:01 of UTC
        (EASY, "", "2026-11-23T09:59+00:00", Came.AFTER),
        (EASY, "half", "2026-11-25T10:01+00:00", Came.AFTER),
        ({"holds": "n > 1"}, "", "2026-11-25T10:01+00:00", Came.AMENDED),  # not committed yet
    ],
)
def test_when_a_rule_came(rule, known, run, expected):
    rules = DATES["rules"]["tree-wins"]
    row = {"rule": rule, "known": known}
    assert ledger.came(row, rules, [{"study": "a", "run": run}]) == expected
    assert ledger.came(row, rules, [{"study": "a", "run": run}, {"study": "b"}]) == Came.AFTER
    assert ledger.came(row, rules, []) == Came.ANEW


def test_the_sources_of_the_claims_are_whole():
    sources = yaml.safe_load((ROOT / "data" / "sources.yaml").read_text(encoding="utf-8"))
    claims = yaml.safe_load((ROOT / "data" / "claims.yaml").read_text(encoding="utf-8"))
    assert list(sources) == list(claims)
    for claim, source in sources.items():
        assert set(source) in ({"runs"}, {"words", "at", "runs"}), claim
        assert 1 <= len(source.get("words", "one").split()) <= 25, claim
        assert set(source["runs"]) <= set(manifest(ROOT / "results")), claim
        assert "words" not in source or claims[claim]["paper"] != "Ours", claim


@pytest.mark.slow
def test_the_dates_are_those_of_git():
    """What was committed since the file was written is undated, and counts for nothing."""
    if workspace.git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("no history here")
    kept = json.loads((ROOT / "data" / "ledger_dates.json").read_text(encoding="utf-8"))
    found = runpy.run_path(str(ROOT / "docs" / "ledger_dates.py"))["dates_of_git"]()
    assert kept["runs"].items() <= found["runs"].items()
    latest = max(datetime.fromisoformat(r["date"]) for rs in kept["rules"].values() for r in rs)
    for claim, rules in found["rules"].items():
        dated = kept["rules"].get(claim, [])
        assert rules[: len(dated)] == dated, f"{claim}: python docs/ledger_dates.py"
        assert all(datetime.fromisoformat(r["date"]) > latest for r in rules[len(dated) :]), claim
