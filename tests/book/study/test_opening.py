"""A chapter begins with one call."""

import matplotlib
import pandas as pd

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from tres_book import study


def test_opening_gives_the_claims_and_the_table_of_the_chapter():
    with matplotlib.rc_context():
        opened = study.open("02")
        assert plt.rcParams["axes.titleweight"] == "bold"
    table = study.Claims.load().table("02-keyword-expansion")
    pd.testing.assert_frame_equal(opened.table(), table)
    pd.testing.assert_frame_equal(study.Claims.load().table("02"), table)
    assert len(table) > 1 and len(opened.verdicts()) > len(table)
    assert len(study.open("17").table()) != len(table)
