"""Runs in pairs, and tables for readers."""

import pandas as pd
import pytest

from tres_lib.study.intervals import interval_table, paired

RUNS = pd.DataFrame(
    [
        ("tres", "none", 0, 90, 5),
        ("tres", "10", 0, 60, 50),
        ("ache", "none", 0, 50, 9),
        ("tres", "none", 1, 70, 6),
        ("ache", "none", 1, 60, 8),
        ("bfs", "5", 1, 10, 2),
    ],
    columns=["policy", "limit", "web_seed", "harvest", "domains"],
)


def test_runs_are_paired_by_their_surroundings():
    table = paired(RUNS, "harvest", ["limit", "web_seed"], {"policy": "tres"})
    assert table["policy"].tolist() == ["ache", "ache"]  # bfs has no tres at limit 5
    assert (table["reference"] - table["harvest"]).tolist() == [40, 10]
    assert table["domains"].tolist() == [9, 8]


def test_a_reference_may_stand_for_several_surroundings():
    table = paired(RUNS, "domains", ["web_seed"], {"policy": "tres", "limit": "none"})
    assert table[["policy", "limit"]].values.tolist() == [
        ["tres", "10"],
        ["ache", "none"],
        ["ache", "none"],
        ["bfs", "5"],
    ]
    assert table["reference"].tolist() == [5, 5, 6, 6]


@pytest.mark.parametrize("reference", [{"policy": "sync"}, {"policy": "tres"}])
def test_a_reference_must_be_one_run(reference):
    with pytest.raises(
        ValueError, match=r"reference: .* names \d rows, which must be one for each"
    ):
        paired(RUNS, "harvest", ["web_seed"], reference)


def test_a_table_may_have_two_rows_of_heads():
    data = pd.DataFrame(
        {
            "policy": ["tres", "tres", "ache"] * 2,
            "topic": ["food"] * 3 + ["art"] * 3,
            "measure": ["rate", "domains", "rate"] * 2,
            "value": [1.0, 250.4, 3, 4, 5, 6],
        }
    )
    table = interval_table(data, "policy", ["topic", "measure"], "value")
    assert table.columns.tolist() == [
        ("food", "rate"),
        ("food", "domains"),
        ("art", "rate"),
        ("art", "domains"),
    ]
    assert table.index.tolist() == ["tres", "ache"]
    assert table.loc["tres", ("food", "rate")] == "1.0 (one run)"
    assert table.loc["tres", ("food", "domains")] == "250 (one run)"
    assert pd.isna(table.loc["ache", ("food", "domains")])
