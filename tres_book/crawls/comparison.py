"""What crawls by several policies found, a row a crawl, and Tables 3 and 4 of the TRES paper."""

from collections.abc import Sequence
from typing import Literal

import pandas as pd
import yaml

from tres_lib.focused.result import Stop
from tres_webs.files import DATA

from ..intervals import PER_CENT, interval_table, paired
from ..policies import policy_styles

RUN = ["topic", "policy", "limit", "web_seed"]
NAMED = ["topic", "limit", "web_seed"]  # of a run, whatever the policy
# Columns of `at_the_end`: harvest rates in per cent; relevant domains by either (Eq. 7); pages
# fetched; whether the crawl did not run out of URLs; and policy and limit in a word.
RATES = ("by the classifier", "by the truth")
FOUND = (*RATES, "domains", "true domains", "pages", "complete", "crawler")
JUDGE, TRUTH = RATES  # the first of the papers' claims


def crawler(policy: str, limit: str) -> str:
    """Return a policy with its limit as the paper writes it, such as TRES_5_2."""
    name = policy_styles().get(policy, {}).get("printed", policy)
    return name if limit == "none" else f"{name}_{limit}"


def ahead(
    ends: pd.DataFrame, value: str, on: Sequence[str] = NAMED, **reference: str
) -> pd.DataFrame:
    """Return the runs with how far a reference, by default TRES, is ahead of each; see `paired`.

    The ``lead`` is the difference, ``ratio`` how many times as much the reference counts.
    """
    pairs = paired(ends, value, on, reference or {"policy": "tres"})
    own, other = pairs["reference"], pairs[value]
    return pairs.assign(lead=own - other, ratio=own / other.clip(lower=1))


def at_the_end(
    logs: pd.DataFrame, budget: int | None = None, errors: Literal["count", "skip"] = "count"
) -> pd.DataFrame:
    """Return how much each crawl found, a row a crawl, see `FOUND`.

    Logs are the rows of many crawls' logs, with the columns ``topic``, ``policy``, ``limit`` and
    ``web_seed`` that name each crawl, and ``stopped``. With ``errors="skip"`` errors are no steps,
    however the crawl ran. With a `budget`, pages asked for, a crawl that ended early counts as
    having fetched the missing pages in vain; the paper leaves such crawls blank. Without, a rate is
    over the pages fetched (Eq. 6). What the ground truth decides is NaN where the web does not know
    it.
    """
    taken = logs["step"] > 0
    if errors == "skip":
        taken &= ~logs["error"]
    relevant = logs["relevant_true"].astype(float)
    steps = logs.assign(found=logs["reward"].where(taken), truth=relevant.where(taken))
    runs = steps.groupby(RUN, sort=False)
    pages = runs["found"].count()
    rates = 100 * runs[["found", "truth"]].mean()
    rates = rates.mul(pages / pages.clip(lower=budget or 0), axis=0)
    table = rates.where(pages > 0, 0.0).set_axis(list(RATES), axis=1).assign(pages=pages)
    for name, column in {"domains": "found", "true domains": "truth"}.items():
        domains = steps[steps[column] > 0].groupby(RUN, sort=False)["domain"].nunique()
        table[name] = domains.reindex(table.index, fill_value=0)
    of_truth = ["by the truth", "true domains"]
    table[of_truth] = table[of_truth].where(runs["relevant_true"].count() > 0)
    table["complete"] = runs["stopped"].first() == Stop.SPENT
    table = table.reset_index()
    names = [crawler(*pair) for pair in zip(table["policy"], table["limit"], strict=True)]
    return table.assign(crawler=names)


def paper_table(name: str) -> pd.DataFrame:
    """Return a table of the TRES paper, "table 3" or "table 4", a row a topic, policy and limit.

    Numbers are means of ten crawls of 20,000 pages, nan where the paper has a blank.
    """
    tables = yaml.safe_load((DATA / "tres_tables.yaml").read_text(encoding="utf-8"))
    rows = [
        (topic, policy, limit, crawler(policy, limit), *numbers)
        for policy, limits in tables[name].items()
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
