"""Prospector with the tag paths of real links: does it find more than without?

    OMP_NUM_THREADS=1 python benchmarks/prospector_real_paths.py [test]

needs `tres fetch-web debian-docs --cut 60`. It prints each variant's gain on Prospector in true
harvest, points, with the 95 % interval over topics and seeds of chapter 17. Crawls that are not
stored are made first, some minutes of CPU.

On VitalWeb a token for the list in which a link stands helps where links are muted
(`prospector_variants`). Here the token is of `Link.path`, and of whether the link stays on its
site; it is learnt as words are.

- whole: the path from the root, with all classes and ids;
- tail: its last four tags, without ids;
- site: the same, told apart by the site of the page, as SB-CLASSIFIER does.

Rule, fixed before the first run. Development is on the cut of 60 sites and the topics audio,
clouds, databases and imaging: ten draws of ten seed pages, 400 and 1,000 fetches, pages judged by
the topic's classifier. A variant is tested on the four other topics if its interval is above 0 at
both lengths; of several the one with the highest sum of gains. It helps on real pages if its
intervals are above 0 there as well. Otherwise Prospector stays as it is.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tres_book import study
from tres_book.chapters.c17_real_sites import interval
from tres_book.crawls import real_sites
from tres_book.crawls.record import points
from tres_book.study import results
from tres_book.study.plan import grid
from tres_book.study.results import write_manifest
from tres_lib.focused.prospector.prospector import Prospector
from tres_lib.store import RESULTS

FILE = RESULTS / "prospector-real-paths.parquet"
CUT, SEEDS, BUDGET, LENGTHS = 60, 10, 1_000, (400, 1_000)
HALVES = {
    "development": ("audio", "clouds", "databases", "imaging"),
    "test": ("interfaces", "linear_algebra", "networking", "security"),
}
PATHS = ("whole", "tail", "site")
ID = re.compile(r"#[^ .]+")


class TagPaths(Prospector):
    """Prospector with a token of the tag path of each link."""

    def __init__(self, context: Any, form: str):
        super().__init__(context)
        self._form = form

    def _links(self, ids, x, page):
        links, all_links = super()._links(ids, x, page)
        tokens = np.empty((len(ids), 1), np.int32)
        for row, (place, site) in enumerate(zip(links.place, links.sites, strict=True)):
            path = page.links[place].path
            if self._form != "whole":
                path = " ".join(ID.sub("", path).split()[-4:])
            of_site = f" of {self._site}" * (self._form == "site")
            tokens[row] = self._words._numbers([f"{path}{of_site}, own site: {site == self._site}"])
        return links._replace(words=np.hstack([tokens, links.words])), all_links


def score(path: str, topic: str, seed: int) -> dict[str, Any]:
    """Return how many pages a crawl truly found, at `LENGTHS`."""
    real_sites.SITES = CUT  # this process crawls the cut alone
    policy = partial(TagPaths, form=path) if path else Prospector
    row = real_sites.record(policy, topic, seed, "classifier", budget=BUDGET)
    at = np.searchsorted(points(BUDGET), LENGTHS)
    return {str(n): row["truly found"][i] for n, i in zip(LENGTHS, at, strict=True)}


def crawls(half: str, paths: tuple[str, ...]) -> pd.DataFrame:
    """Return the stored crawls of a half, after those that are missing were made and stored."""
    plan = grid(topic=HALVES[half], seed=range(SEEDS), path=("", *paths))
    known = pd.read_parquet(FILE) if FILE.exists() else pd.DataFrame(columns=list(plan[0]))
    stored = known[list(plan[0])].to_dict("records")
    revision = study.provenance().loc["git revision", "value"]  # of the code that is loaded
    if todo := [setting for setting in plan if setting not in stored]:
        known = pd.concat([known, study.run_sweep(score, todo, together=["topic"])])
        known.to_parquet(FILE, index=False)
        origin = {"function": "benchmarks/prospector_real_paths.py", "runs": len(known)}
        made = [*results.manifest().get(FILE.stem, {}).get("revisions", []), revision]
        entry = origin | {"revisions": made, "sha256": results.sha256(FILE.name)}
        write_manifest(results.manifest() | {FILE.stem: entry})
    return known[known["topic"].isin(HALVES[half])]


def gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each variant's gain at `LENGTHS`, in points: mean, low and high."""
    rows = {}
    for length in LENGTHS:
        wide = runs.pivot(index=["topic", "seed"], columns="path", values=str(length))
        rates = 100 * wide.astype(float) / length
        for path in rates.columns.drop(""):
            by_topic = (rates[path] - rates[""]).unstack("seed").dropna()
            rows[path, length] = interval(by_topic.to_numpy())
    return pd.DataFrame.from_dict(rows, "index", columns=["gain", "low", "high"])


def chosen(table: pd.DataFrame) -> str:
    """Return the variant that the rule sends to the test; "" if none."""
    above = table.groupby(level=0)["low"].min() > 0
    sums = table.groupby(level=0)["gain"].sum()[above]
    return str(sums.idxmax()) if len(sums) else ""


def main() -> None:
    table = gains(crawls("development", PATHS))
    print(table.round(2).to_string())
    best = chosen(table)
    print(f"to be tested: {best or 'none'}")
    if best and "test" in sys.argv[1:]:
        print(gains(crawls("test", (best,))).round(2).to_string())


if __name__ == "__main__":
    main()
