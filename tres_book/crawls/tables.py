"""Crawls side by side: Tables 3 and 4 here and in the TRES paper.

`at_the_end` makes ``ends``, a row a crawl, of the ``logs`` of `trial`; columns ``topic``,
``policy``, ``limit`` and ``web_seed`` name each crawl.
"""

from functools import lru_cache
from typing import Any

import pandas as pd
import yaml

from tres_lib.focused.comparison import (
    POINT,
    at_the_end as at_the_end,
    crawler,
    over_time as over_time,
)
from tres_lib.store import DATA


def table_form(ends: pd.DataFrame, truth: bool = False) -> pd.DataFrame:
    """Return the two columns of Table 3, ``harvest rate %`` and ``domains``, as rows.

    They are by the web's ground truth with ``truth``, else by the classifier. Columns: ``topic``,
    ``crawler``, ``web_seed``, ``measure`` and ``value``.
    """
    chosen = ["by the truth", "true domains"] if truth else POINT
    names = dict(zip(chosen, ["harvest rate %", "domains"], strict=True))
    keys = ["topic", "crawler", "web_seed"]
    return ends[[*keys, *chosen]].rename(columns=names).melt(keys, var_name="measure")


def paper_table(name: str) -> pd.DataFrame:
    """Return a table of the TRES paper, "table 3" or "table 4", one row a topic, policy and limit.

    Columns ``topic``, ``policy``, ``limit``, ``crawler`` (see `crawler`), ``harvest rate %`` and
    ``domains``: means of ten crawls of 20,000 pages, nan where the paper has a blank.
    """
    tables = _tables()
    if name not in tables:
        raise ValueError(f"name={name!r}: use one of {', '.join(tables)}")
    rows = [
        (topic, policy, limit, crawler(policy, limit), *numbers)
        for policy, limits in tables[name].items()
        for limit, topics in limits.items()
        for topic, numbers in topics.items()
    ]
    columns = ["topic", "policy", "limit", "crawler", "harvest rate %", "domains"]
    return pd.DataFrame(rows, columns=columns).astype({"harvest rate %": float, "domains": float})


def beside_paper(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Put the numbers of `paper_table` to the left of our cells; "" where it has none.

    The cells are indexed by crawler, with columns (topic, measure); the measures are
    ``harvest rate %`` and ``domains``. Columns now: (topic, measure, "paper" or "here").
    """
    long = paper_table(name).melt(["topic", "crawler"], ["harvest rate %", "domains"], "measure")
    printed = long.pivot(index="crawler", columns=["topic", "measure"], values="value")
    printed = printed.reindex(index=cells.index, columns=cells.columns)
    printed = printed.map(lambda number: "" if pd.isna(number) else f"{number:g}")
    both = pd.concat({"paper": printed, "here": cells}, axis=1)
    order = [(source, *column) for column in cells.columns for source in ("paper", "here")]
    return both[order].reorder_levels([1, 2, 0], axis=1)


def effort() -> pd.DataFrame:
    """Return the effort per crawler, a row a policy.

    Columns: what was ``tuned``, on which ``webs``, by how many ``runs``, what the crawler ``starts
    from``, and the source of these ``facts``.
    """
    text = (DATA / "effort.yaml").read_text(encoding="utf-8")
    return pd.DataFrame.from_dict(yaml.safe_load(text), orient="index").rename_axis("policy")


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, Any]]:
    return yaml.safe_load((DATA / "tres_tables.yaml").read_text(encoding="utf-8"))
