"""The reader of change histories, on small files made in the public set's format."""

from __future__ import annotations

import numpy as np
import pytest

import tres_book
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
    log = schedulers.load_histories(folder)
    alone = refresh.estimate_change_rate([0, 1], [1.5, 0.25])
    assert log.request_rates.tolist() == [120, 0.5, 3] and log.horizon == 1.75
    assert log.change_rates == pytest.approx([alone, 0.125, refresh.BOUNDS[0]])
    first = schedulers.load_histories(folder, limit=2)
    assert first.request_rates.tolist() == [120, 0.5]
    assert tres_book.compare_refresh(["uniform"], log, 4.0)["share"].iloc[0] > 0


def test_visits_become_changes_that_they_would_have_seen(folder):
    rng = np.random.default_rng(3)
    visits = [np.c_[rng.uniform(0.5, 1.5, n), rng.random(n) < 0.3] for n in (60, 60, 20)]
    text = "".join(f"{page}\t0\t{v.tolist()}\n" for page, v in zip((5, 9, 7), visits, strict=True))
    (folder / "urlid_offset_history.txt").write_text(text)
    log = schedulers.load_histories(folder)
    for row, (gaps, changed) in enumerate(v.T for v in visits):
        times = log.times[log.first[row] : log.first[row + 1]]
        ends = np.concatenate([[0], gaps.cumsum()])
        assert ((np.histogram(times, ends)[0] > 0) == changed).all()
        assert (np.diff(times) > 0).all() and times.max() < log.horizon
    assert times.max() > 1.5 * gaps.sum()  # the shorter one began anew
