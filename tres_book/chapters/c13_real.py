"""Chapter 13: topics of one's own in real manuals, crawled, reviewed and judged by the tool."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import yaml
from scipy.stats import bootstrap

from tres_live.command.crawling import run, so_far
from tres_live.command.options import CrawlOptions, Folder
from tres_live.command.reviewing import review
from tres_live.topic.labels import Labels
from tres_webs import Page, PinnedWeb
from tres_webs.files import DATA
from tres_webs.recorded.manifest import read_manifest
from tres_webs.wrapper import Wrapper

from ..study.study import Study, grid

WEB, FILE = "real-topics", "real_topics.yaml"
FETCHES, ANSWERS = 200, 20
BY_LISTS = ["way", "labels", "positive", "found", "false", "of"]


@dataclass(frozen=True)
class RealTopic:
    """A topic of ``data/real_topics.yaml``; its URLs are whole."""

    definition: str
    site: str
    keywords: tuple[str, ...]
    seeds: tuple[str, ...]
    examples: tuple[str, ...]
    truth: list[str]  # patterns on what follows the site's address

    def is_on(self, url: str) -> bool:
        """Return whether the page is on the topic; what generators make of others is not."""
        place = url.removeprefix(address(self.site))
        return web().kind(url) == "article" and bool(re.search("|".join(self.truth), place))


class OneSite(Wrapper):
    """A site of the web, without links that lead out of it or to pages that it lacks."""

    def __init__(self, site: str):
        super().__init__(web())
        self.site = site

    def fetch(self, url: str) -> Page:
        page = super().fetch(url)
        inside = (link for link in page.links if web().site(link.url) == self.site)
        return Page(page.url, page.status, page.title, page.text, tuple(inside))


@lru_cache(maxsize=1)
def web() -> Any:
    """Return the six sites; ValueError without ``tres fetch-web real-topics``."""
    return PinnedWeb(WEB)


@lru_cache(maxsize=1)
def topics() -> dict[str, RealTopic]:
    """Return the topics by name."""
    rows = yaml.safe_load((DATA / FILE).read_text(encoding="utf-8"))
    for row in rows.values():
        site = address(row["site"])
        row |= {name: tuple(site + path for path in row[name]) for name in ("seeds", "examples")}
        row["keywords"] = tuple(row["keywords"])
    return {name: RealTopic(**row) for name, row in rows.items()}


def address(site: str) -> str:
    """Return where a site's URLs begin."""
    return next(row.address for row in read_manifest(WEB) if row.package == site)


def studies() -> dict[str, Study]:
    """Return the study of ``real-topics``."""
    return {WEB: Study(WEB, trial, grid(topic=topics()))}


def trial(topic: str) -> dict[str, Any]:
    """Return how well two crawls judge what they fetch, and one of them after a review.

    Lists have an item a judgement, by its ``way``; "before" and "after" are of the review, on pages
    that it did not ask about. Seeds are left out, and nothing is random.
    """
    about = topics()[topic]
    with TemporaryDirectory() as home:
        plain = crawled(topic, Path(home, "keywords"))
        taught = crawled(topic, Path(home, "examples"), examples=about.examples)
        before, ways = _judged(plain, about), {"examples": _judged(taught, about)}
        answer(plain, about)
        said = {label.url: bool(label.relevant) for label in Labels(plain.labels).answers()}
        after = _judged(plain, about)
    ways |= {"keywords": before, "review": after}
    ways |= {"before": before[~before.index.isin(said)], "after": after[~after.index.isin(said)]}
    rows = []
    for way, pages in ways.items():
        labels = list(said.values()) if way in ("review", "after") else []
        right = pages["taken"] & pages["on"]
        counts = right.sum(), pages["taken"].sum() - right.sum(), pages["on"].sum()
        rows.append((way, len(labels), sum(labels), *map(int, counts)))
    return dict(zip(BY_LISTS, map(list, zip(*rows, strict=True)), strict=True))


def crawled(topic: str, path: Path, **options: Any) -> Folder:
    """Return the folder of a crawl of `FETCHES`, as `tres crawl` makes it."""
    about = topics()[topic]
    options |= {"contact": "nobody@example.org", "budget": FETCHES, "max_per_domain": 0}
    folder = Folder.create(path, CrawlOptions(topic, about.seeds, about.keywords, **options))
    run(folder, web=OneSite(about.site))
    return folder


def answer(folder: Folder, about: RealTopic) -> None:
    """Review a crawl as a person does in the terminal, by the truth, and end after `ANSWERS`."""
    lines: list[str] = []  # a question is a blank line, the title, the URL and a snippet

    def ask(prompt: str) -> str:
        if len(Labels(folder.labels)) == ANSWERS:
            return "quit"
        return "yes" if about.is_on(lines[-1].split("\n")[2]) else "no"

    review(folder, ask, lines.append)


def _judged(folder: Folder, about: RealTopic) -> pd.DataFrame:
    """Return whether each page fetched was ``taken``, and whether it is ``on`` the topic."""
    log = so_far(folder).result.log
    rows = log[(log["step"] > 0) & (log["reason"] == "")].drop_duplicates("final_url")
    rows = rows[~rows["final_url"].isin(about.seeds)].set_index("final_url")
    return pd.DataFrame({"taken": rows["reward"] > 0, "on": rows.index.map(about.is_on)})


def scores(stored: pd.DataFrame) -> pd.DataFrame:
    """Return by way and topic `shares`, and the pages ``claimed`` for a true one."""
    table = stored[["topic", *BY_LISTS]].explode(BY_LISTS, ignore_index=True)
    table = shares(table.astype(dict.fromkeys(BY_LISTS[1:], int)))
    table["claimed"] = (table["found"] + table["false"]) / table["of"].clip(lower=1)
    measures = ["precision", "recall", "f1", "claimed"]
    return table.set_index(["way", "topic"])[measures]


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of pages ``found``, ``false`` and ``of`` with precision, recall and f1."""
    took = table["found"] + table["false"]
    precision = (table["found"] / took).where(took > 0, 1.0)
    recall, f1 = table["found"] / table["of"], 2 * table["found"] / (took + table["of"])
    return table.assign(precision=precision, recall=recall, f1=f1)


def median(values: pd.Series) -> tuple[float, float, float]:
    """Return the median over topics, and its 95 % interval by the bootstrap over them."""
    sample = bootstrap((values,), np.median, n_resamples=2_000, method="percentile", rng=0)
    low, high = sample.confidence_interval
    return float(values.median()), float(low), float(high)
