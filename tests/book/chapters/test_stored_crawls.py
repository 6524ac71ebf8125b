"""Stored crawls as tables."""

import numpy as np
import pandas as pd
import pytest

from tres_book.crawls import stored
from tres_book.crawls.record import POINTS
from tres_lib.focused.tres.crawlers import TresSettings


def keep(folder, policy: str, found: list[int], **more):
    """Store a crawl of 400 fetches with this curve, a point each second page."""
    run = {"topic": "food", "policy": policy, "limit": "none", "web_seed": 0, "budget": 400}
    none = [0] * POINTS
    curves = {"found": found, "truly found": none, "stuck": none}
    row = run | {"domains": 7, "pages": 400, "both": 0, "key": policy, "cpu": 1.0} | curves | more
    table = pd.DataFrame([row | {"revision": "a", "code": "b", "date": "c", "hash": "d"}])
    file = folder / "table-3.parquet"
    pd.concat([*([pd.read_parquet(file)] if file.exists() else []), table]).to_parquet(file)


HALF = list(range(1, POINTS + 1))  # every second page


def test_stored_crawls_are_read_as_ends_and_curves(tmp_path):
    keep(tmp_path, "bfs", HALF)
    assert stored.ends("table-3", folder=tmp_path)["domains"].tolist() == [7]
    curves = stored.curves("table-3", folder=tmp_path)
    assert curves["step"].tolist() == list(range(2, 402, 2))
    assert set(curves["harvest rate"]) == {0.5} and set(curves["true harvest rate"]) == {0.0}
    both = stored.curves("table-3", "muted", folder=tmp_path)
    pd.testing.assert_frame_equal(both, curves)  # of which none is stored
    with pytest.raises(ValueError, match="no runs of muted"):
        stored.ends("muted", folder=tmp_path)


def test_where_the_pages_went_by_hand(tmp_path):
    """Ten pages are found while TRES explores, at most 150 later; ten are never fetched."""
    explored = TresSettings().exploration(400)
    at = explored // 2  # points until then
    found = np.minimum(np.arange(1, 201), 10).astype(int)
    found[at:] = 10 + np.minimum(np.arange(1, 201 - at), 150)
    stuck = np.where(np.arange(200) < at, 0, 20)
    truth = [30] * 200
    more = {"stuck": stuck.tolist(), "truly found": truth, "both": 25, "pages": 390}
    keep(tmp_path, "tres", found.tolist(), **more)
    went = stored.losses("table-3", folder=tmp_path).iloc[0]
    total = found[-1]
    assert went["relevant"] == pytest.approx(total / 4)
    assert went["while TRES explores"] == pytest.approx((explored - 10) / 4)
    assert went["on stuck sites"] == 20 / 4 and went["not fetched"] == 10 / 4
    assert went[list(stored.WENT[:5])].sum() == pytest.approx(100)
    assert went["taken wrongly"] == pytest.approx((total - 25) / 4) and went["missed"] == 5 / 4
