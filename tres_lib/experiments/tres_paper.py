"""The tables that the TRES paper printed, to stand beside ours."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tres_tables import crawler

if TYPE_CHECKING:
    import pandas as pd

TABLES_FILE = Path(__file__).resolve().parents[2] / "data" / "tres_tables.yaml"


def paper_table(name: str) -> pd.DataFrame:
    """A table of the TRES paper, one row a topic, policy and limit.

    Parameters
    ----------
    name : {"table 3", "table 4"}

    Returns
    -------
    DataFrame
        Columns ``topic``, ``policy``, ``limit``, ``crawler`` (see `crawler`), ``harvest rate %``
        and ``domains``: means of ten crawls of 20,000 pages, nan where the paper has a blank.

    Raises
    ------
    ValueError
        If there is no table of that name.
    """
    import pandas as pd

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
    """Our cells with the paper's numbers to their left.

    Parameters
    ----------
    cells : DataFrame
        Indexed by crawler, with columns (topic, measure); the measures are ``harvest rate %`` and
        ``domains``.
    name : {"table 3", "table 4"}

    Returns
    -------
    DataFrame
        Columns (topic, measure, "paper" or "here"); "" where the paper has no number.
    """
    import pandas as pd

    long = paper_table(name).melt(["topic", "crawler"], ["harvest rate %", "domains"], "measure")
    printed = long.pivot(index="crawler", columns=["topic", "measure"], values="value")
    printed = printed.reindex(index=cells.index, columns=cells.columns)
    printed = printed.map(lambda number: "" if pd.isna(number) else f"{number:g}")
    both = pd.concat({"paper": printed, "here": cells}, axis=1)
    order = [(source, *column) for column in cells.columns for source in ("paper", "here")]
    return both[order].reorder_levels([1, 2, 0], axis=1)


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, Any]]:
    import yaml

    return yaml.safe_load(TABLES_FILE.read_text(encoding="utf-8"))
