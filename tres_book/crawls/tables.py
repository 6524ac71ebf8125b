"""Crawls side by side: Tables 3 and 4 here and in the TRES paper.

Arguments called ``ends`` have a row a crawl, as `at_the_end` makes of the logs of `trial`.
"""

import pandas as pd
import yaml

from tres_webs.checks import one_of
from tres_webs.files import DATA

from ..intervals import PER_CENT, interval_table
from .comparison import JUDGE, crawler


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
    ours = ends.rename(columns={JUDGE: rate}).melt(["topic", "crawler"], list(within), "measure")
    cells = interval_table(ours, "crawler", heads, "value", within=within)
    long = paper_table(name).melt(["topic", "crawler"], [rate, "domains"], "measure")
    printed = long.pivot(index="crawler", columns=heads, values="value").reindex(cells.index)
    columns = {}
    for topic in ends["topic"].unique():
        for measure in (rate, "domains"):
            numbers = printed[topic, measure]
            columns[topic, measure, "paper"] = numbers.map("{:g}".format).where(numbers.notna(), "")
            columns[topic, measure, "here"] = cells[topic, measure]
        columns[topic, rate, truth] = cells[topic, truth]
    return pd.DataFrame(columns)
