"""The reader of change histories, on small files made in the public set's format."""

from __future__ import annotations

import numpy as np
import pytest

from tres_book import refresh as schedulers
from tres_lib import refresh

FILES = {
    "urlid_imp.txt": "5\t120\n7\t3\n9\t0.5\n",
    "urlid_offset_history.txt": "5\t5.5\t[[1.5, 0], [0.25, 1]]\n9\t0\t[[1.0, 1]]\n7\t2.25\t[]\n",
    "urlid_chrate_compl_obs_hist.txt": "9\t0.125\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_all_three_files_come_together_by_page(folder):
    data = schedulers.load_histories(folder)
    assert [h.page for h in data.histories] == [5, 9, 7]
    assert data.histories[0].gaps.tolist() == [1.5, 0.25]
    assert data.histories[0].changed.tolist() == [False, True]
    assert len(data.histories[2].gaps) == 0
    assert data.importance.tolist() == [120, 0.5, 3]
    assert np.array_equal(data.known_rates, [np.nan, 0.125, np.nan], equal_nan=True)
    first = schedulers.load_histories(folder, limit=2)
    assert [h.page for h in first.histories] == [5, 9] and first.importance.tolist() == [120, 0.5]


def test_flat_histories_are_what_the_estimator_takes(folder):
    bits, gaps, pages = schedulers.load_histories(folder).flat()
    assert bits.dtype == bool and pages.tolist() == [0, 0, 1] and gaps.tolist() == [1.5, 0.25, 1]
    rates = refresh.estimate_change_rates(bits, gaps, pages, 3)
    alone = refresh.estimate_change_rate([0, 1], [1.5, 0.25])
    assert rates == pytest.approx([alone, refresh.BOUNDS[1], refresh.BOUNDS[0]])


def test_where_the_files_are_looked_for(folder, tmp_path_factory, monkeypatch):
    monkeypatch.delenv("TRES_DATA", raising=False)
    assert schedulers.polite_crawling_folder() is None
    monkeypatch.setenv("TRES_DATA", str(folder))
    assert schedulers.polite_crawling_folder() == folder
    above = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("TRES_DATA", str(above))
    assert schedulers.polite_crawling_folder() is None
    folder.rename(above / "polite_crawling")
    assert schedulers.polite_crawling_folder() == above / "polite_crawling"


def test_drawn_histories_look_like_the_sets():
    data = schedulers.sample_histories(300, 0, days=50)
    assert 200 < len(data.histories) < 300 and all(h.changed.any() for h in data.histories)
    assert len(data.importance) == len(data.known_rates) == len(data.histories)
    bits, gaps, pages = data.flat()
    assert gaps.min() >= 0.5 and gaps.max() <= 1.5 and len(gaps) == 50 * len(data.histories)
    slow = data.known_rates < 1
    found = refresh.estimate_change_rates(bits, gaps, pages)[slow]
    assert np.corrcoef(np.log(found), np.log(data.known_rates[slow]))[0, 1] > 0.9
