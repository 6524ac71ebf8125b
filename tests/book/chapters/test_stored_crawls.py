"""Stored crawls as tables."""

import numpy as np
import pandas as pd
import pytest

from tres_book.crawls import stored
from tres_book.crawls.record import POINTS


def test_stored_crawls_are_read_at_their_ends_and_at_a_step(monkeypatch):
    """Every second of 400 pages is relevant."""
    run = {"topic": "food", "policy": "bfs", "limit": "none", "web_seed": 0, "budget": 400}
    found, none = np.arange(1, POINTS + 1), [0] * POINTS
    row = run | {"domains": 7, "found": none, "truly found": found, "stuck": none}
    there = pd.DataFrame([row | dict.fromkeys(stored.ORIGIN, "a")])
    monkeypatch.setattr(stored, "stored_runs", lambda n: there if n == "table-3" else there[:0])
    ends = stored.ends("table-3")
    assert ends["domains"].tolist() == [7] and not {*ends} & {*stored.CURVES, *stored.ORIGIN}
    assert stored.true_harvest(there, 200).tolist() == [0.5]
    pd.testing.assert_frame_equal(stored.ends("table-3", "muted"), ends)  # of which none is stored
    with pytest.raises(ValueError, match="no runs of muted"):
        stored.ends("muted")
