"""What came out: each figure of a sentence is a stored one, and each comparative holds."""

import math
import re
from itertools import chain
from types import SimpleNamespace

import pandas as pd
import pytest

from tres_book.study import findings, workspace
from tres_book.study.findings import Figure, holds

CHAPTERS = sorted(p.stem for p in (workspace.root() / "data" / "findings").glob("*.yaml"))
every_chapter = pytest.mark.parametrize("chapter", CHAPTERS)
LONGEST_ANSWER, LONGEST_SENTENCE, MOST = 150, 35, 5  # words, words, sentences
PLACE = r"(?:chapters?|Tables?|Fig\.|Figures?|Algorithms?|Theorems?|Propositions?|Sections?|Eq\.)"
NAMED = re.compile(rf"\{{[^}}]*\}}|`[^`]*`|{PLACE} [\d.]+[a-c]?(?:(?:,| and| to) [\d.]+[a-c]?)*")


def entries(chapter):
    return list(chain.from_iterable(findings.sentences(chapter).values()))


@every_chapter
def test_every_comparative_holds(chapter):
    found = findings.figures(chapter)
    conditions = {(c, entry["says"]) for entry in entries(chapter) for c in entry.get("while", [])}
    assert [pair for pair in conditions if not holds(pair[0], found)] == []


@every_chapter
def test_every_figure_is_stored_and_every_other_number_given(chapter):
    """A number outside braces is a setting, such as 20,000 fetches, and stands in ``given``."""
    assert all(entry.keys() <= {"says", "while", "given"} for entry in entries(chapter))
    for entry in entries(chapter):
        numbers = re.findall(r"\d[\d,.]*\d|\d", NAMED.sub("", entry["says"]))
        assert set(numbers) <= {str(number) for number in entry.get("given", [])}, entry["says"]
    for part in findings.PARTS:
        assert all("nan" not in text for text in findings.said(chapter, part))


@every_chapter
def test_answers_are_short(chapter):
    said = findings.said(chapter)
    assert sum(len(text.split()) for text in said) <= LONGEST_ANSWER
    assert 1 <= len(parted(said)) <= MOST and findings.said(chapter, "front")
    every = parted(text for part in findings.PARTS for text in findings.said(chapter, part))
    assert [s for s in every if len(s.split()) > LONGEST_SENTENCE] == []


def parted(texts):
    return [s for text in texts for s in re.split(r"(?<!Eq\.)(?<=[.!?])\s+", text)]


def test_formats_of_a_figure():
    lead = Figure(-3.21, -4.1, -2.25)
    assert f"{lead:.1f}" == "-3.2" and f"{lead:+.1f|ci}" == "-3.2 [-4.1, -2.2]"
    assert f"{lead:.1f|abs|ci}" == "3.2 [2.2, 4.1]"
    assert f"{Figure(0.254, 0.2, 0.3):.0f|%|ci}" == "25 [20, 30]"
    assert f"{Figure(7.0):.0f|ci}" == "7"
    assert f"{Figure(0.5, -1.0, 2.0):.0f|abs|ci}" == "0 [-1, 2]"


def test_conditions_name_figures_their_bounds_and_numbers():
    found = {"lead": SimpleNamespace(food=Figure(2.0, 1.0, 3.0)), "n_topics": 3}
    assert holds("lead.food > 1.5", found) and holds("lead.food.low > 0", found)
    assert holds("n_topics == 3", found) and holds("-1 < lead.food.high", found)
    assert not holds("lead.food.low >= lead.food", found)
    with pytest.raises(ValueError, match="'lead' is no condition; write one such as"):
        holds("lead", found)
    with pytest.raises(KeyError, match="led"):
        holds("led > 0", found)


def test_a_table_becomes_figures_by_name():
    table = pd.DataFrame(
        {"limit": ["5_2", "none"], "mean": [1, 2.0], "low": 0.5, "high": 3, "n": 9}
    )
    found = findings.of_table(table, "limit")
    assert found._5_2 == Figure(1.0, 0.5, 3, 9) and found.none.value == 2
    assert math.isnan(Figure(1.0).low)
