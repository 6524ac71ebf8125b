"""The watch beside splits on webs that change, as stored."""

import pandas as pd
import pytest

from tres_book.chapters import c15_evolving as evolving


def test_its_code_has_left():
    study = evolving.studies()[evolving.NAME]
    assert len(study.settings) == 170 and not any(map(study.repeats, study.settings))
    with pytest.raises(ValueError, match="revision e284eeff"):
        study.function(**study.settings[0])


def test_margins_are_over_each_webs_best_split_and_the_common_one():
    served = {
        "watch": [("", 3.0, 6.0)],
        "split": [("a", 2.0, 8.0), ("b", 2.5, 4.0), ("c", 1.0, 5.0)],
    }
    rows = [
        (web, policy, [name], found)
        for policy, values in served.items()
        for name, *both in values
        for web, found in enumerate(both)
    ]
    found = evolving.margins(pd.DataFrame(rows, columns=["web_seed", "policy", "shares", "served"]))
    assert found["split"].tolist() == pytest.approx([3 / 2.5 - 1, 6 / 8 - 1])
    assert found["common"].tolist() == pytest.approx([3 / 2 - 1, 6 / 8 - 1])  # that is a
