"""Crawls side by side: Tables 3 and 4 here and in the TRES paper.

Arguments called ``ends`` have a row a crawl, as `at_the_end` makes of the logs of `trial`.
"""

import pandas as pd
import yaml

from tres_webs.checks import one_of
from tres_webs.files import DATA

from ..intervals import PER_CENT, interval_table
from .comparison import POINT, at_the_end as at_the_end, crawler, over_time as over_time

DELAY = 5.0  # seconds between requests to a domain


def paper_table(name: str) -> pd.DataFrame:
    """Return a table of the TRES paper, "table 3" or "table 4", one row a topic, policy and limit.

    Numbers are means of ten crawls of 20,000 pages, nan where the paper has a blank.
    """
    tables = yaml.safe_load((DATA / "tres_tables.yaml").read_text(encoding="utf-8"))
    rows = [
        (topic, policy, limit, crawler(policy, limit), *numbers)
        for policy, limits in tables[one_of("name", name, list(tables))].items()
        for limit, topics in limits.items()
        for topic, numbers in topics.items()
    ]
    columns = ["topic", "policy", "limit", "crawler", "harvest rate %", "domains"]
    return pd.DataFrame(rows, columns=columns).astype({"harvest rate %": float, "domains": float})


def beside_paper(ends: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return `paper_table` beside our crawls, with 95 % intervals, and our harvest by the truth."""
    heads, rate, truth = ["topic", "measure"], "harvest rate %", "by the truth"
    within = {rate: PER_CENT, truth: PER_CENT, "domains": (0, ends["budget"].max())}
    ours = ends.rename(columns={POINT[0]: rate}).melt(["topic", "crawler"], list(within), "measure")
    cells = interval_table(ours, "crawler", heads, "value", within=within)
    long = paper_table(name).melt(["topic", "crawler"], [rate, "domains"], "measure")
    printed = long.pivot(index="crawler", columns=heads, values="value")
    table = beside(printed, cells.drop(columns=truth, level="measure"), "paper")
    for topic in ends["topic"].unique():
        table[topic, rate, truth] = cells[topic, truth]
    return table


def beside(printed: pd.DataFrame, cells: pd.DataFrame, source: str) -> pd.DataFrame:
    """Put each printed number to the left of our cell; "" where there is none."""
    printed = printed.reindex(index=cells.index, columns=cells.columns)
    printed = printed.map(lambda number: "" if pd.isna(number) else f"{number:g}")
    both = pd.concat({source: printed, "here": cells}, axis=1)
    both = both.reorder_levels([*range(1, both.columns.nlevels), 0], axis=1)
    return both.iloc[:, [i + side * len(cells.T) for i in range(len(cells.T)) for side in (0, 1)]]


def prices(ends: pd.DataFrame) -> pd.DataFrame:
    """Return what a relevant page costs by the truth, a row a crawl where each fetch counts.

    ``polite seconds`` are the least, as the busiest domain is asked every `DELAY` seconds;
    ``pages an article`` are relevant ones that have the same article behind them.
    """
    relevant = ends["strictly by the truth"] * ends["budget"] / 100
    columns = {
        "requests": ends["budget"] / relevant,
        "polite seconds": DELAY * ends["busiest"] / relevant,
        "pages an article": relevant / ends["articles"],
    }
    return ends[["topic", "policy", "web_seed"]].assign(**columns)
