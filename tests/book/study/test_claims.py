"""The ledger: rules, records, verdicts and the entries themselves."""

import json
import math
import re
import shutil

import pytest
import yaml

from tres_book.study import Claims, ledger, report, workspace
from tres_book.study.chapters import Book
from tres_book.study.claims import FORMER, Claim, Record, Verdict, meets

LEDGER = """
tree-wins:
  paper: TRES
  place: Table 10
  claim: The tree wins.
  kind: order
  value: by 3
  measure: difference in points
  rule: {holds: "value >= 3 and low > 0", partly: "value > 0"}
  notebook: 04-crawl
later:
  paper: TRES
  place: Table 2
  claim: Something else.
  kind: number
  value: "1"
  measure: a ratio
  rule: {holds: "value == 1"}
  notebook: 09-later
  scale: paper
exact:
  paper: Another
  place: Fig. 1
  claim: A formula.
  kind: identity
  value: "0"
  measure: difference
  rule: {holds: "value <= 1e-9"}
  notebook: 04-crawl
  scale: smoke
"""


def record(value, interval=None, n=None, scale="default"):
    return Record("id", value, interval, n, scale)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Give a folder with a ledger; return a function that loads it at a scale."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "claims.yaml").write_text(LEDGER)
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("TRES_SCALE", "default")
    monkeypatch.setenv("TRES_RECORD", "1")
    return lambda scale=None: Claims.load(tmp_path / "data" / "claims.yaml", scale=scale)


@pytest.mark.parametrize(
    ("condition", "given", "expected"),
    [
        ("value >= 0.9", record(0.9), True),
        ("value >= 0.9", record(0.89), False),
        ("value > 0.9", record(0.9), False),
        ("value == 1", record(1.0), True),
        ("value != 1", record(1.0), False),
        ("value <= 1e-9", record(0.0), True),
        ("low > -2", record(0, (-1.5, 3)), True),
        ("high < 0", record(-1, (-2, -0.1)), True),
        ("low > 0", record(5), False),
        ("high < 9", record(5), False),
        ("n >= 5", record(1, n=5), True),
        ("n >= 5", record(1), False),
        ("value >= 3 and low > 0", record(4, (1, 7)), True),
        ("value >= 3 and low > 0", record(4, (-1, 7)), False),
    ],
)
def test_conditions(condition, given, expected):
    assert meets(condition, given) is expected


@pytest.mark.parametrize(
    "condition", [">= 0.9", "value => 1", "value > x", "value > 1 or low > 0", ""]
)
def test_a_bad_condition_is_named(condition):
    with pytest.raises(ValueError, match="rule: .* is no condition"):
        meets(condition, record(1))


@pytest.mark.parametrize(
    ("value", "interval", "verdict"),
    [
        (4, (3.5, 7), "holds"),
        (2, (0.5, 2.9), "holds in part"),
        (-1, None, "does not hold"),
        (-2, (-3, 0), "does not hold"),
        (4, (1, 7), "undecided between holds and holds in part"),
        (4, (-1, 9), "undecided between holds and does not hold"),
        (-1, (-5, 3.5), "undecided between holds and does not hold"),
        (1, (-1, 2), "undecided between holds in part and does not hold"),
    ],
)
def test_verdicts_by_rule_and_by_the_ends_of_the_interval(study, value, interval, verdict):
    assert study().record("tree-wins", value, interval, 3) == verdict
    assert study().record("exact", 1e-3) == "does not hold"


READINGS = """  readings: [as printed, as meant]
"""


def test_readings_of_the_text_are_all_recorded_and_compared(study, tmp_path):
    (tmp_path / "data" / "claims.yaml").write_text(LEDGER + READINGS)
    claims = study()
    with pytest.raises(ValueError, match="reading of exact"):
        claims.record("exact", 0)
    assert claims.record("exact", 1, reading="as meant") == "does not hold"
    assert claims.missing() == ["exact", "tree-wins"]  # a reading is missing
    assert claims.record("exact", 0, n=2, reading="as printed") == "holds"
    row = claims.verdicts().loc["exact"]
    assert (row["verdict"], row["here"], row["n"]) == ("depends on the reading", 0, 2)
    assert row["measured"] == "as printed: 0, n = 2 (holds); as meant: 1 (does not hold)"
    claims.record("exact", 0, reading="as meant")
    assert claims.verdicts().loc["exact", "verdict"] == "holds"
    with pytest.raises(ValueError, match="reading of tree-wins"):
        claims.record("tree-wins", 1, reading="as meant")


def test_the_worst_of_several_says_how_many_of_them_decide(study):
    among = [(1, -1, 3), (4, 3.5, 5), (5, 3.1, 9), (2, math.nan, math.nan)]
    study().record("tree-wins", 1, (-1, 3), 3, among=among)
    told = "1 [-1, 3], n = 3, worst of 4: 2 hold, 1 hold in part, 1 undecided"
    assert study().verdicts().loc["tree-wins", "measured"] == told


def test_scales(study):
    claims = study("smoke")
    assert claims.missing() == ["exact"]
    assert claims.verdicts()["verdict"]["tree-wins"] == "not tested at this scale"
    assert claims.record("tree-wins", 4, scale="smoke") == "not tested at this scale"
    assert claims.record("tree-wins", 4, scale="smoke", assumed=False) == "not tested at this scale"
    assert claims.record("exact", 0, scale="smoke") == "holds"
    assert claims.record("tree-wins", 4, (3, 7), 3, stored="20,000 fetches") == "holds"
    assert claims.table("04-crawl")["here"].iloc[-1] == "4 [3, 7], n = 3, stored: 20,000 fetches"
    assert study("paper").missing() == ["exact", "tree-wins", "later"]


def test_a_record_survives_unless_it_is_changed_and_is_forgotten(study, tmp_path):
    study().record("tree-wins", 4.0, (1.0, 7.0), 3)
    row = study().verdicts().loc["tree-wins"]
    assert (row["here"], row["low"], row["high"], row["n"]) == (4.0, 1.0, 7.0, 3)
    assert study().missing() == ["exact"]
    file = tmp_path / "build" / "default" / "claims" / "tree-wins.json"
    text = file.read_text()
    file.write_text(text.replace("4.0", "5.0"))
    assert study().verdicts().loc["tree-wins", "verdict"] == "not recorded"
    file.write_text(text)
    study().forget("04-crawl")
    assert math.isnan(study().verdicts().loc["tree-wins"]["here"]) and not file.exists()


def test_the_ledger_is_sorted_by_paper_chapter_and_number(study):
    assert list(study().verdicts().index) == ["exact", "tree-wins", "later"]
    assert list(study().verdicts("04-crawl").index) == ["exact", "tree-wins"]


def test_the_table_of_a_notebook(study):
    study().record("tree-wins", 4.123, (1, 7.5), 3)
    study().record("exact", True, (math.nan, math.nan))
    table = study().table("04-crawl")
    assert list(table.columns) == ["claim", "paper", "here", "verdict"]
    assert list(table["here"]) == ["1", "4.12 [1, 7.5], n = 3"]


@pytest.mark.parametrize(
    ("value", "interval", "message"),
    [
        (math.nan, None, "value: nan is not finite"),
        (math.inf, None, "value: inf is not finite"),
        (1, (2, 1), r"interval: \(2.0, 1.0\) is upside down"),
    ],
)
def test_bad_records(study, value, interval, message):
    with pytest.raises(ValueError, match=message):
        study().record("exact", value, interval)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "guess"}, "kind of x='guess': give one of number, order, shape, identity"),
        ({"scale": "huge"}, "scale: 'huge' is none of smoke, default, paper"),
        ({"rule": {"partly": "value > 1"}}, "rule of x: .* needs 'holds'"),
        ({"rule": {"holds": "value > 1", "fails": "value < 1"}}, "rule of x"),
        ({"rule": {"holds": "big"}}, "rule: 'big' is no condition"),
    ],
)
def test_bad_entries(change, message):
    fields = yaml.safe_load(LEDGER)["exact"] | change
    with pytest.raises(ValueError, match=message):
        Claim(id="x", **fields)


# The entries of the repository.


@pytest.fixture(scope="module")
def entries():
    return yaml.safe_load((workspace.root() / "data" / "claims.yaml").read_text(encoding="utf-8"))


def test_every_table_figure_and_theorem_of_tres_is_entered(entries):
    places = {entry["place"] for entry in entries.values() if entry["paper"] == "TRES"}
    wanted = {"Alg. 1", *(f"Table {i}" for i in range(1, 5)), *(f"Fig. {i}" for i in range(1, 5))}
    wanted |= {f"Theorem {i}" for i in ("1", "2", "3.a", "3.b", "3.c")}
    assert wanted | {"Proposition 1", "Proposition 2"} <= places


def test_entries_are_lines_of_text(entries):
    for name, entry in entries.items():
        assert re.fullmatch(r"[a-z0-9-]+", name)
        assert re.fullmatch(r"\d\d-[a-z-]+", entry["notebook"]), name
        for field in ("claim", "value", "measure"):
            assert isinstance(entry[field], str) and "\n" not in entry[field], (name, field)


def test_what_is_partly_so_is_weaker_than_what_holds(entries):
    """A value that meets `holds` must meet `partly`, for values around every threshold."""
    numbers = {float(x) for e in entries.values() for x in re.findall(r"[\d.]+", str(e["rule"]))}
    around = sorted({s * (x + d) for x in numbers for d in (-0.01, 0, 0.01) for s in (1, -1)})
    for name, entry in entries.items():
        claim = Claim(id=name, **entry)
        for value in around:
            given = record(value, (value, value), 10)
            if "partly" in claim.rule and meets(claim.rule["holds"], given):
                assert meets(claim.rule["partly"], given), (name, value)


def test_no_effect_holds_in_part_by_its_value_alone(entries):
    """What is judged by whether an interval contains none (0 or 1) is so in part, too."""
    for name, entry in entries.items():
        if re.search(r"(low >|high <) [01](?![.\d])", entry["rule"]["holds"]):
            assert re.search("low|high", entry["rule"].get("partly", "low")), name


def test_the_ledger_is_not_written_without_all_records(study, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "RESULTS", tmp_path)
    study().record("exact", 0.5, n=2)
    with pytest.raises(ValueError, match="1 claims have no record .* tree-wins"):
        ledger.keep(study())
    study().record("tree-wins", 4, (3, 7), 3)
    ledger.keep(study())
    assert len(json.loads((tmp_path / "ledger.json").read_text())) == 2


def test_a_notebook_run_by_hand_records_nothing_and_shows_what_it_finds(study, monkeypatch):
    study().record("tree-wins", 4, (3, 7), 3)
    study().record("tree-wins", 4, (3, 7), 3, world="first law")
    monkeypatch.delenv("TRES_RECORD")
    played = study()
    played.chapter = "04"
    assert "In this session" not in played.answer().data
    assert played.record("tree-wins", -2, (-3, -1), 1) == "does not hold"
    assert played.verdicts().loc["tree-wins", ["verdict", "elsewhere"]].tolist() == [
        *("does not hold", "")  # none of this session's verdicts stands on what another one found
    ]
    assert played.table().set_index("claim")["verdict"].to_dict() == {
        "The tree wins.": "does not hold (not recorded)",
        "A formula.": "not recorded",
    }
    session, text, study_says, *_ = played.answer().data.split("\n\n")
    assert (session, study_says) == ("In this session:", "In the study:")
    assert text == "- The tree wins. *does not hold (not recorded)*: -2 [-3, -1], n = 1"
    assert study().verdicts().loc["tree-wins", "verdict"] == "holds"
    assert "first law" in study().verdicts().loc["tree-wins", "elsewhere"]


def test_a_second_world_stands_beside_the_verdict_and_does_not_change_it(study, tmp_path):
    claims = study()
    assert "elsewhere" not in claims.table("04-crawl")
    assert claims.record("tree-wins", -1, (-2, 0), 9, world="first law") == "does not hold"
    assert claims.verdicts().loc["tree-wins", "verdict"] == "not recorded"
    claims.record("tree-wins", 4, (3, 7), 3)
    row = claims.verdicts().loc["tree-wins"]
    assert (row["here"], row["verdict"]) == (4, "holds")
    assert row["elsewhere"] == "first law: does not hold (-1 [-2, 0], n = 9)"
    assert list(claims.table("04-crawl")["elsewhere"]) == ["", row["elsewhere"]]
    assert "elsewhere" not in claims.table("09-later")
    claims.forget("04-crawl")
    assert list((tmp_path / "build" / "default" / "claims").iterdir()) == []


def test_where_assumptions_fail_the_figure_is_kept_and_no_verdict_given(study):
    claims = study()
    assert claims.record("exact", 0, n=4, assumed=False) == "assumptions not met"
    assert claims.record("exact", 9, assumed=False, world="first law") == "assumptions not met"
    row = claims.verdicts().loc["exact"]
    assert (row["measured"], row["verdict"]) == ("0, n = 4", "assumptions not met")
    assert claims.missing() == ["tree-wins"]


AMENDED = """  amended:
    rule: {holds: "value <= 1", partly: "value <= 5"}
    date: 2026-11-25
    reason: It asked for too little.
"""


def test_an_amended_rule_gives_both_verdicts(study, tmp_path):
    (tmp_path / "data" / "claims.yaml").write_text(LEDGER + AMENDED)
    assert study().verdicts().loc["exact", "amended"][0]["verdict"] == ""
    study().record("exact", 3)
    row = study().verdicts().loc["exact"]
    (was,) = row["amended"]
    assert (row["verdict"], was["verdict"]) == ("does not hold", "holds in part")
    assert (was["reason"], was["figure"]) == ("It asked for too little.", "3")
    assert study().verdicts().loc["tree-wins", "amended"] == []


def test_an_amendment_may_have_measured_something_else(study, tmp_path):
    """Then, a record in a world of its own is judged, or a figure that no chapter makes now."""
    other = AMENDED.replace("    date", "    measure: another ratio\n    date")
    kept = other + "    figure: {value: 4, interval: [0.5, 6], n: 9}\n"
    for text, figure, verdict in (
        (other, "3", "holds in part"),
        (kept, "4 [0.5, 6], n = 9", "undecided between holds and does not hold"),
    ):
        (tmp_path / "data" / "claims.yaml").write_text(LEDGER + text)
        study().record("exact", 0)
        study().record("exact", 3, world=FORMER)
        row = study().verdicts().loc["exact"]
        assert (row["verdict"], row["elsewhere"]) == ("holds", "")
        assert (row["amended"][0]["verdict"], row["amended"][0]["figure"]) == (verdict, figure)


def test_what_the_web_of_small_sites_said_is_kept_under_the_rule_of_today():
    claims = Claims.load().by_id.values()
    first = [(claim, claim.amended[0]) for claim in claims if claim.amended]
    moved = [(c, was) for c, was in first if was["reason"].startswith("One law a verdict")]
    assert len(moved) == 51
    for claim, was in moved:
        then = Record(claim.id, **was["figure"], scale="default")
        assert was["rule"] == claim.rule and claim.verdict(then) != Verdict.UNTESTED


def test_the_ledger_shows_a_second_world_amended_rules_and_assumptions_that_fail(study, tmp_path):
    text = (LEDGER + AMENDED).replace("Another", "Ours").replace("too little", "< all")
    proved = text.partition("exact:")[2].partition("  amended:")[0].replace("Ours", "TRES")
    (tmp_path / "data" / "claims.yaml").write_text(f"{text}proved:{proved}")
    shutil.copytree(workspace.root() / "templates", tmp_path / "templates")
    claims = study()
    claims.record("tree-wins", 4, (3, 7), 3)
    claims.record("tree-wins", 2, (1, 2.5), 8, world="first law")
    claims.record("exact", 3)
    claims.record("proved", 0, assumed=False)
    book = Book(tmp_path, "default")
    page = report.doors(book, [], set(), ledger.entries(book))["ledger"]
    papers = "1 hold, 1 rest on assumptions not met, 1 not tested."
    assert f"Of 3 claims of the five papers and three later papers: {papers}" in page
    assert "Of 1 claims of ours: 1 do not hold." in page
    own, tres = re.findall(r"<tbody data-paper.*?</tbody>", page, re.DOTALL)
    assert "first law: holds in part (2 [1, 2.5], n = 8)" in tres
    assert "another world" in tres and "another world" not in own
    amended = page.partition('<h2 id="amended">')[2]
    assert "Another verdict: 1" in amended and "The same verdict" not in amended
    assert re.findall(r"Holds if[^<]*|(?<=<span class=\")[^<]*|2026[^<]*", amended) == [
        "Holds if value &lt;= 1; in part if value &lt;= 5.",
        'verdict partly">holds in part',
        "Holds if value &lt;= 1e-9.",
        'verdict fails">does not hold',
        "2026-11-25: It asked for &lt; all.",
    ]


@pytest.mark.parametrize(("text", "named"), [("a: [", "YAML"), ("small: {colour: red}", "small")])
def test_a_ledger_that_cannot_be_read_names_what_is_wrong(tmp_path, text, named):
    (tmp_path / "claims.yaml").write_text(text)
    with pytest.raises(ValueError, match=named):
        Claims.load(tmp_path / "claims.yaml", scale="smoke")
