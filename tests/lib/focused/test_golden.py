"""Each policy's crawl of 300 fetches is the one recorded before the house became three."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from tres_lib import focused, web

GOLDEN = Path(__file__).parents[2] / "golden" / "crawls.json"
RECORDED = json.loads(GOLDEN.read_text())
COLUMNS = ("step", "url", "parent", "domain", "reward", "depth", "frontier", "leaves")


@lru_cache
def place(name):
    if name == "vital":
        return web.VitalWeb(seed=0, law="first")
    if web.wikispeedia_folder() is None:
        pytest.skip("Wikispeedia's archives are not at hand")
    return web.ReplayWeb.from_wikispeedia()


def record(policy, site):
    """Return what identifies a crawl: a hash of its log with q to six digits, and totals."""
    seeds = site.seeds("food", 3, np.random.default_rng(0))
    result = focused.crawl(site, seeds, "food", policy=policy, budget=300, progress=False)
    digest = hashlib.sha256()
    for column in COLUMNS:
        digest.update("\n".join(map(str, result.log[column].tolist())).encode())
    q = result.log["q"].fillna(-1).to_numpy(float)
    digest.update("\n".join(f"{value:.6g}" for value in q).encode())
    return {
        "log": digest.hexdigest()[:24],
        "rows": len(result.log),
        "relevant": int(result.log["reward"].iloc[3:].sum()),
        "domains": result.domains,
        "stopped": str(result.stopped),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_a_crawl_is_the_recorded_one(name):
    where, policy = name.split()
    assert record(policy, place(where)) == RECORDED[name]
