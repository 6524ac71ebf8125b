"""Write what came out into docs/results.md and README.md, between their marks.

python docs/results.py        # after new runs in results/, or new sentences in data/findings/
"""

import re
import textwrap
from functools import partial
from pathlib import Path

import pandas as pd

from tres_book.chapters import (
    c05_comparison as crawlers,
    c09_refresh as refresh,
    c10_whittle as ephemeral,
    c11_foragers as foragers,
    c12_deep_web as deepweb,
    c14_prospector as prospector,
    c15_evolving as evolving,
    c15_one_crawler as one_crawler,
    c16_shards as shards,
    c17_real_sites as real_sites,
)
from tres_book.crawls import stored
from tres_book.refresh import ranking
from tres_book.study import PER_CENT, findings, ledger, mean_interval, results
from tres_book.study.chapters import Book, read_chapter
from tres_book.study.report import summary
from tres_book.study.results import all_studies
from tres_book.study.study import Study

ROOT = Path(__file__).parents[1]
MARKS = "<!-- {}: written by docs/results.py -->", "<!-- end of {} -->"


def figure(values: pd.Series, digits: int = 1, within: tuple[float, float] | None = None) -> str:
    """Return a mean with its 95 % interval and n; `within` as for `mean_interval`."""
    mean, low, high = mean_interval(values, within=within)
    if len(values) == 1:
        return f"{mean:.{digits}f}, n = 1"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}], n = {len(values)}"


def short(muted: float, policy: str) -> str:
    """Return the true harvest of 600 fetches, mean of three topics, by web."""
    table = prospector.crawls("prospector-second-short")
    chosen = table[(table["muted"] == muted) & (table["policy"] == policy)]
    return figure(chosen.groupby("web_seed")["by the truth"].mean(), within=PER_CENT)


def at_length(ends: pd.DataFrame, head: str) -> list[str]:
    """Return a table of the true harvest of crawls of the paper's length, the best first."""
    by = ends.groupby(["policy", "topic"], sort=False)["by the truth"]
    table = by.agg(figure, within=PER_CENT).unstack()[list(dict.fromkeys(ends["topic"]))]
    order = ends.groupby("policy")["by the truth"].mean().sort_values(ascending=False).index
    heads = [head, *table.columns]
    rows = [[policy, *cells] for policy, *cells in table.reindex(order).itertuples()]
    return as_table([heads, *rows])


def as_table(rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table, whose first row holds the heads."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]


def served(name: str, over: str) -> str:
    """Return what a policy of the one crawler serves over another, in per cent, by world."""
    runs = results.stored("one-crawler")
    return figure(100 * one_crawler.served_ratios(runs, name, over))


def watched(rival: str) -> str:
    """Return what the watch served over a rival on webs that change, in per cent."""
    margins = evolving.margins(results.stored(evolving.NAME))
    return figure(100 + 100 * margins[rival])


def rows_of(study: Study) -> pd.DataFrame:
    """Return the rows of a study that is stored, else ValueError: none is made here."""
    if not results.length_if_stored(study, "all"):
        raise ValueError(
            f"{study.name}: some runs are not stored; `python -m tres_book.study run` makes them"
        )
    return results.rows(study)


def slope(policy: str) -> str:
    """Return the exponent of a refresh policy's regret as a power of time, by world."""
    regret = rows_of(refresh.studies()["regret"])
    chosen = regret[regret["policy"] == policy]
    return figure(refresh.power_laws(chosen, "horizon", "regret", ["seed"])["slope"], 2)


def crawlers_rule(name: str) -> str:
    """Return a crawler's freshness over that of the optimum, in per cent, median of worlds."""
    runs = rows_of(refresh.studies()["benchmark"]).query(f"looks_a_day == {refresh.BANDWIDTH}")
    row = ranking(runs).loc[name]
    low, median, high = (100 * row[["low", "share", "high"]]).round(1)
    return f"{median} [{low}, {high}], n = {row['n']:.0f}"


def formula_cost(arrivals: int) -> str:
    """Return what ranking by Theorem 1 loses with one crawl an epoch, in per cent, by run."""
    table = rows_of(ephemeral.studies()["rewards"])
    table = table[(table["arrival_rate"] == arrivals) & (table["crawls"] == 1)]
    return figure(100 * (1 - table["formula"] / table["true index"]), 2)


def sent() -> str:
    """Return how many times as efficiently WL sends as RL, geometric mean over webs."""
    windows = rows_of(foragers.studies()["windows"])
    usual = windows.query("reading == 'default' and rewiring == 'none' and news_signal == 0")
    runs = foragers.whole_runs(usual[usual["days"] == usual["days"].max()])
    mean, low, high = foragers.ratio(runs, "sent_efficiency")
    return f"{mean:.2f} [{low:.2f}, {high:.2f}], n = {runs['web_seed'].nunique()}"


def queried(policy: str, site: str) -> str:
    """Return by how much a method leads the literature's best, mean over queries and at the end."""
    runs = deepweb.summary(rows_of(deepweb.studies()["policies"]))
    runs, others = runs[runs["site"] == site], deepweb.LITERATURE
    mean, end = (
        figure(deepweb.gains(runs, policy, others, value)["gain"])
        for value in ("coverage", "final")
    )
    return f"{mean}; {end}"


def sharded(claim: str) -> str:
    """Return by how many points crawls in shards harvest more than one without."""
    return figure(shards.measures()[claim])


def on_real_sites(claim: str) -> str:
    """Return by how many points a crawler leads on real sites, by topic and draw of seeds."""
    found = real_sites.CLAIMS[claim](real_sites.results())
    low, high = found.interval
    return f"{found.value:.1f} [{low:.1f}, {high:.1f}], n = {found.n}"


def one_by_one() -> list[tuple[str, str]]:
    """Return what was measured, and the figure, of each chapter from 09 on."""
    return [
        ("in stored runs", "result"),
        ("Prospector, 600 fetches, informative links: harvest, %", short(0.0, "prospector")),
        ("best-first, the same", short(0.0, "best-first")),
        ("Prospector, 600 fetches, muted links: harvest, %", short(1.0, "prospector")),
        ("linear, the same", short(1.0, "linear")),
        (
            "explore-commit, to 100,000 days: regret grows as time to the power",
            slope("explore-commit"),
        ),
        (
            "StormCrawler's rule, a fetch a page in five days: freshness, % of the optimum's",
            crawlers_rule("stormcrawler"),
        ),
        ("Nutch's adaptive rule, the same", crawlers_rule("nutch")),
        ("greedy by noisy signals, precision .8, recall .5, the same", crawlers_rule("ncis")),
        ("Whittle index, one random arrival an epoch: lost by the formula, %", formula_cost(1)),
        ("the same, 250 arrivals", formula_cost(250)),
        ("foragers: sent efficiency, selection over reinforcement", sent()),
        (
            "deep web, as printed, over the literature's best: points, mean; after the last query",
            queried("rl-printed", "fulltext, rank"),
        ),
        ("the same, repaired, on fields", queried("rl", "fields, rank")),
        ("one crawler, rates known: requests served, % of the bound", served("one index", "bound")),
        (
            "one crawler, rates known: requests served, % of each world's best fixed split",
            served("one index", "best split"),
        ),
        (
            "one crawler, rates learnt: % of what it serves with rates known",
            served("learnt", "one index"),
        ),
        (
            "the watch on webs that change, stored: requests served, % of each web's best split",
            watched("split"),
        ),
        ("the same, % of the split that is best for all webs", watched("common")),
        (
            "16 shards less one crawl, 5,000 fetches: true harvest, points",
            sharded("shards-harvest"),
        ),
        ("256 shards less one crawl", sharded("shards-many")),
        (
            "real sites, 400 fetches: Prospector less the best of linear, ACHE, SeedFinder: points",
            on_real_sites("real-prospector-400"),
        ),
        ("the same, 4,000 fetches", on_real_sites("real-prospector-4000")),
        (
            "real sites, 4,000 fetches: TRES less the best of its rivals: points",
            on_real_sites("real-tres"),
        ),
    ]


def numbers() -> str:
    """Return the tables of results, with the date of the last run."""
    runs = [results.stored(name) for name in all_studies()]
    last = max(table["date"].max() for table in runs if len(table))[:10]
    text = f"Stored runs, the last of {last}; n counts webs, worlds or seeds.\n"
    text += "On real sites it counts topics times draws of seeds.\n"
    text += "The bracket is a 95 % interval. Each chapter says which revision made its runs.\n"
    tables = [as_table([list(row) for row in one_by_one()])]
    free = crawlers.ends().query("limit == 'none'")
    tables.append(at_length(free, "true harvest in 20,000 fetches, %"))
    quiet = stored.ends("second-muted").query("muted == 1")
    tables.append(at_length(quiet, "muted links: true harvest, %"))
    return "\n".join([text, *(line for table in tables for line in (*table, ""))])


def counted() -> str:
    """Return the verdicts of the papers' claims and of ours, counted, and when rules came."""
    rows = [{"paper": r.paper, "verdict": r.verdict} for r in ledger.verdicts().itertuples()]
    came = ledger.in_words(ledger.entries(Book(ROOT, "default")))
    return wrapped(f"{summary(rows)} {came}")


def door() -> str:
    """Return what the README says of what we found, as the front page: a line or two a chapter."""
    said = {chapter: " ".join(findings.said(chapter, "front")) for chapter in findings.HEADS}
    items = [f"- **{head}** ({n}): {said[n]}" for n, head in findings.HEADS.items()]
    return wrapped("\n".join(items)) + "\n"


def answers() -> str:
    """Return what came out, chapter by chapter."""
    book, parts = Book(ROOT, "default"), [counted(), ""]
    for name in book.names():
        if said := findings.said(name[:2]):
            head = f"## {read_chapter(book, name).title} ({name[:2]})"
            parts += [head, "", wrapped("\n".join(f"- {text}" for text in said)), ""]
    return "\n".join(parts)


def wrapped(text: str) -> str:
    """Return lines of at most 150 characters; a list's items are indented."""
    fill = partial(textwrap.fill, width=150, break_long_words=False, break_on_hyphens=False)
    lines = text.splitlines()
    return "\n".join(fill(x, subsequent_indent="  " * x.startswith("- ")) for x in lines)


def pages() -> dict[Path, str]:
    """Return the two pages as they are to be."""
    parts = {
        ROOT / "README.md": {"findings": door},
        ROOT / "docs" / "results.md": {"findings": answers, "results": numbers},
    }
    written = {}
    for page, blocks in parts.items():
        text = page.read_text(encoding="utf-8")
        for name, made in blocks.items():
            begin, end = (mark.format(name) for mark in MARKS)
            block = f"{begin}\n{made()}\n{end}"
            text = re.sub(f"{begin}.*?{end}", lambda _: block, text, flags=re.DOTALL)  # noqa: B023
        written[page] = text
    return written


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
