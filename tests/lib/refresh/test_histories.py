"""The loader of change histories, on small files of our own in the public set's format."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from tres_lib import refresh

FILES = {
    "urlid_imp.txt": "5\t120\n7\t3\n\n9\t0.5\n",
    "urlid_offset_history.txt": ("5\t5.5\t[[1.5, 0], [0.25, 1]]\n9\t0\t[[1.0, 1]]\n7\t2.25\t[]\n"),
    "urlid_chrate_compl_obs_hist.txt": "9\t0.125\n",
}
NAMES = list(FILES)


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_all_three_files_come_together_by_page(folder):
    data = refresh.load_histories(folder)
    assert [h.page for h in data.histories] == [5, 9, 7]
    assert [h.offset for h in data.histories] == [5.5, 0, 2.25]
    assert data.histories[0].gaps.tolist() == [1.5, 0.25]
    assert data.histories[0].changed.tolist() == [False, True]
    assert len(data.histories[2].gaps) == 0
    assert data.importance.tolist() == [120, 0.5, 3]
    assert np.array_equal(data.known_rates, [np.nan, 0.125, np.nan], equal_nan=True)


def test_flat_histories_are_what_the_estimator_takes(folder):
    data = refresh.load_histories(folder)
    bits, gaps, pages = data.flat()
    assert bits.dtype == bool and pages.tolist() == [0, 0, 1] and gaps.tolist() == [1.5, 0.25, 1]
    rates = refresh.estimate_change_rates(bits, gaps, pages, 3)
    alone = refresh.estimate_change_rate([0, 1], [1.5, 0.25])
    assert rates == pytest.approx([alone, refresh.BOUNDS[1], refresh.BOUNDS[0]])


def test_a_limit_reads_no_further(folder):
    (folder / NAMES[1]).write_text(FILES[NAMES[1]] + "nonsense\n")
    data = refresh.load_histories(folder, limit=2)
    assert [h.page for h in data.histories] == [5, 9] and data.importance.tolist() == [120, 0.5]


def test_histories_stream(folder):
    (folder / NAMES[1]).write_text("5\t0\t[]\nnonsense\n")
    lines = refresh.read_histories(folder / NAMES[1])
    assert next(lines).page == 5
    with pytest.raises(ValueError, match="urlid_offset_history.txt, line 2: 1 columns"):
        next(lines)


def test_compressed_files_are_read_under_their_plain_names(folder):
    for name, text in FILES.items():
        (folder / name).unlink()
        with gzip.open(folder / f"{name}.gz", "wt") as file:
            file.write(text)
    assert refresh.load_histories(folder).importance.tolist() == [120, 0.5, 3]
    assert refresh.polite_crawling_folder(folder) == folder


def test_where_the_files_are_looked_for(folder, tmp_path_factory, monkeypatch):
    monkeypatch.delenv("TRES_DATA", raising=False)
    assert refresh.polite_crawling_folder() is None
    monkeypatch.setenv("TRES_DATA", str(folder))
    assert refresh.polite_crawling_folder() == folder
    above = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("TRES_DATA", str(above))
    assert refresh.polite_crawling_folder() is None
    folder.rename(above / "polite_crawling")
    assert refresh.polite_crawling_folder() == above / "polite_crawling"


def test_drawn_histories_look_like_the_sets():
    data = refresh.sample_histories(300, 0, days=50)
    assert 200 < len(data.histories) < 300 and all(h.changed.any() for h in data.histories)
    assert len(data.importance) == len(data.known_rates) == len(data.histories)
    bits, gaps, pages = data.flat()
    assert gaps.min() >= 0.5 and gaps.max() <= 1.5 and len(gaps) == 50 * len(data.histories)
    slow = data.known_rates < 1
    found = refresh.estimate_change_rates(bits, gaps, pages)[slow]
    assert np.corrcoef(np.log(found), np.log(data.known_rates[slow]))[0, 1] > 0.9


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (1, "5\t0\t[[1, 0]]\t9\n", "history.txt, line 1: 4 columns instead of 3"),
        (1, "5\t0\t[[1, 0]\n", "history.txt, line 1: "),
        (1, "5\t0\t[1, 0]\n", "line 1: "),
        (1, "5\t0\t[[1, 0], [2]]\n", "line 1: "),
        (1, "\n5\t0\t[[-1, 0]]\n", "line 2: "),
        (1, "5\t0\t[[NaN, 0]]\n", "line 1: "),
        (1, "5\t0\t[[1, 2]]\n", "line 1: "),
        (1, '5\t0\t[["a", 0]]\n', "line 1: "),
        (1, "5\t0\t{}\n", "line 1: "),
        (1, "x\t0\t[]\n", "line 1: invalid literal"),
        (1, "5\t-3\t[]\n", "line 1: '-3'"),
        (1, f"5\t0\t[[1{400 * '0'}, 0]]\n", "line 1: "),
        (1, "5\t0\t[]\n5\t0\t[]\n", "history.txt: a URL_ID occurs twice"),
        (1, "6\t0\t[]\n", "urlid_imp.txt: no line for URL_ID 6"),
        (0, "5\t1\n5\t2\n", "urlid_imp.txt: URL_ID 5 occurs twice"),
        (0, "5 1\n", "urlid_imp.txt, line 1: 1 columns"),
        (0, "5\tnan\n", "urlid_imp.txt, line 1: 'nan'"),
        (2, "9\t0.1\n9\t\n", "compl_obs_hist.txt, line 2: could not convert"),
        (2, "9\t-0.1\n", "compl_obs_hist.txt, line 1: '-0.1'"),
    ],
)
def test_bad_lines_are_named(folder, file, text, message):
    (folder / NAMES[file]).write_text(text)
    with pytest.raises(ValueError, match=message):
        refresh.load_histories(folder)


def test_a_missing_file_and_a_bad_limit_are_named(folder):
    with pytest.raises(ValueError, match="limit=0"):
        refresh.load_histories(folder, limit=0)
    (folder / NAMES[0]).unlink()
    assert refresh.polite_crawling_folder(folder) is None
    with pytest.raises(ValueError, match="no file .*urlid_imp.txt"):
        refresh.load_histories(folder)
