"""Which crawler is best: TRES against the best other, Fig. 3, and the order on another web.

Every function takes ``ends``, one row a crawl as `at_the_end` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .pareto import dominates
from .tres_tables import POINT

if TYPE_CHECKING:
    import pandas as pd

TOLD = ("oracle",)  # policies that are told the truth, and so are no competitors


def best_others(ends: pd.DataFrame, value: str, group: Sequence[str]) -> pd.DataFrame:
    """Runs of the crawler that competes best with TRES in each group.

    Parameters
    ----------
    ends : DataFrame
    value : str
        The column whose mean decides.
    group : sequence of str
        Columns, such as ``["topic", "limit"]``.

    Returns
    -------
    DataFrame
        Rows of ``ends``, group by group. The oracle is no competitor. The best is found on the
        runs on which it is then compared, which favours it, never TRES.
    """
    import pandas as pd

    others = ends[~ends["policy"].isin(["tres", *TOLD])]
    keys = [*group, "crawler"]
    means = others.groupby(keys, sort=False)[value].mean()
    best = means.groupby(list(group), sort=False).idxmax()
    return pd.DataFrame(best.tolist(), columns=keys).merge(others, on=keys)


def dominated(ends: pd.DataFrame) -> pd.DataFrame:
    """The mean point of each other crawler, and whether a point of TRES dominates it (Fig. 3).

    Returns
    -------
    DataFrame
        Columns ``topic``, ``policy``, ``limit``, ``crawler``, the two objectives and
        ``dominated``. The oracle is no competitor.
    """
    import pandas as pd

    keys = ["topic", "policy", "limit", "crawler"]
    points = ends[~ends["policy"].isin(TOLD)].groupby(keys, sort=False)[POINT].mean().reset_index()
    tables = []
    for _, group in points.groupby("topic", sort=False):
        tres, others = (group[(group["policy"] == "tres") == own] for own in (True, False))
        beaten = dominates(tres[POINT].to_numpy()[:, None], others[POINT].to_numpy())
        tables.append(others.assign(dominated=beaten.any(axis=0)))
    return pd.concat(tables, ignore_index=True)


def limit_steps(ends: pd.DataFrame, policy: str = "tres") -> pd.DataFrame:
    """What each fall of the limit changes, in the order in which the limits occur.

    Returns
    -------
    DataFrame
        Columns ``topic``, ``step``, the changes of the two objectives' means, and ``as claimed``
        (more domains and a lower harvest rate).
    """
    own = ends[ends["policy"] == policy]
    means = own.groupby(["topic", "limit"], sort=False)[POINT].mean()
    changes = means.groupby("topic", sort=False).diff().reset_index()
    before = changes.groupby("topic", sort=False)["limit"].shift()
    changes.insert(1, "step", before + " to " + changes.pop("limit"))
    claimed = (changes["domains"] > 0) & (changes["by the classifier"] < 0)
    return changes.assign(**{"as claimed": claimed}).dropna(ignore_index=True)


def orders(ends: Mapping[str, pd.DataFrame], value: str = "by the classifier") -> pd.DataFrame:
    """Mean of a value by topic and policy (rows), on each of several webs (columns).

    Parameters
    ----------
    ends : mapping of str to DataFrame
        By the web's name; of each only the crawls without a limit count.
    value : str
        A column.

    Returns
    -------
    DataFrame
        Indexed by ``topic`` and ``policy``, of those that crawled on all webs.
    """
    import pandas as pd

    means = {
        name: table[table["limit"] == "none"].groupby(["topic", "policy"], sort=False)[value].mean()
        for name, table in ends.items()
    }
    return pd.concat(means, axis=1, join="inner")


def agreement(means: pd.DataFrame) -> pd.DataFrame:
    """Kendall's tau-b between the orders of the policies on two webs, by topic.

    Parameters
    ----------
    means : DataFrame
        From `orders`, with two columns.

    Returns
    -------
    DataFrame
        Indexed by topic: ``tau`` (1: the same order, -1: the reverse), ``p`` (two-sided, of no
        association) and ``policies`` (how many).
    """
    import pandas as pd
    from scipy.stats import kendalltau

    rows = {}
    for topic, table in means.groupby("topic", sort=False):
        test = kendalltau(table.iloc[:, 0], table.iloc[:, 1])
        rows[topic] = {"tau": test.statistic, "p": test.pvalue, "policies": len(table)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("topic")
