"""The result of a comparison: tables with intervals over webs, and figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from ...checks import one_of
from ...extras import extra
from ...intervals import PER_CENT, interval_table, paired
from .tables import RUN, at_the_end, over_time

if TYPE_CHECKING:
    import seaborn as sns

RATES = ("by the classifier", "by the truth")  # columns of `Comparison.ends`, in per cent
MEASURES = (*RATES, "domains", "true domains")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Crawls by several policies, as `compare` returns them.

    Attributes
    ----------
    logs : DataFrame
        The rows of all `CrawlResult.log`, with the columns ``topic``, ``policy``, ``limit``,
        ``web_seed`` and ``stopped``.
    budget : int
        Fetches that each crawl might make.
    """

    logs: pd.DataFrame
    budget: int

    @cached_property
    def ends(self) -> pd.DataFrame:
        """What each crawl found, a row a crawl.

        ``by the classifier`` and ``by the truth`` are harvest rates in per cent of the budget,
        ``domains`` and ``true domains`` the registered domains with a relevant page by either,
        seeds aside.
        What the ground truth decides is NaN where the web does not know it.
        """
        ends = at_the_end(self.logs, budget=self.budget)
        known = self.logs.groupby(RUN, sort=False)["relevant_true"].count().to_numpy() > 0
        truth = ["by the truth", "true domains"]
        return ends.assign(**{name: ends[name].where(known) for name in truth})

    @property
    def measures(self) -> list[str]:
        """The columns of `ends` that are known of each crawl."""
        return [name for name in MEASURES if self.ends[name].notna().all()]

    def table(self) -> pd.DataFrame:
        """Return the mean of each measure over webs, with its 95 % interval, a row a crawler."""
        keys = ["topic", "crawler", "web_seed"]
        long = self.ends.melt(keys, self.measures, "measure")
        within = dict.fromkeys(RATES, PER_CENT)
        return interval_table(long, "crawler", ["topic", "measure"], "value", within=within)

    def differences(self, reference: str, measure: str | None = None) -> pd.DataFrame:
        """Return how much more each policy found than the reference, paired by web.

        Parameters
        ----------
        reference : str
            One of the policies compared.
        measure : str, optional
            A column of `ends`; by default the harvest rate by the truth, or where that is not
            known by the classifier, in percentage points.

        Returns
        -------
        DataFrame
            "mean [low, high]" of the 95 % interval over webs, a row a policy.
        """
        one_of("reference", reference, list(self.ends["policy"].unique()))
        measure = one_of("measure", measure or self._rate, self.measures)
        pairs = paired(self.ends, measure, ["topic", "limit", "web_seed"], {"policy": reference})
        if pairs.empty:
            raise ValueError(f"reference={reference!r} was the only policy; compare two or more")
        pairs["more"] = pairs[measure] - pairs["reference"]
        return interval_table(pairs, "policy", ["topic", "limit"], "more")

    def over_time(self, points: int = 40) -> pd.DataFrame:
        """Return the harvest so far at some steps of each crawl.

        Parameters
        ----------
        points : int
            About how many steps.

        Returns
        -------
        DataFrame
            Columns ``harvest rate`` (by the classifier) and ``true harvest rate``, from 0 to 1.
        """
        return over_time(self.logs, points)

    def plot_over_time(self, measure: str | None = None) -> sns.FacetGrid:
        """Draw the harvest rate over time, a panel a topic and limit, bands of 95 % over webs.

        Parameters
        ----------
        measure : {"harvest rate", "true harvest rate"}, optional
            By the classifier or by the truth; the default is as of `differences`.
        """
        with extra("book"):
            import seaborn as sns

        from ...plots import colours, share

        rates = ["harvest rate", "true harvest rate"]
        measure = one_of("measure", measure or rates[self._rate == RATES[1]], rates)
        policies = list(self.ends["policy"].unique())
        look = {"kind": "line", "errorbar": share, "err_kws": {"lw": 0}, "height": 2.8}
        by = {"hue": "policy", "hue_order": policies, "row": "limit", "col": "topic"}
        curves = self.over_time()
        grid = sns.relplot(curves, x="step", y=measure, palette=colours(policies), **by, **look)
        return grid.set(ylim=(0, 1)).set_titles("{col_name}, limit {row_name}")

    def plot_pareto(self, front: str | None = None) -> sns.FacetGrid:
        """Draw the harvest rate by the classifier against domains, a panel a topic.

        Parameters
        ----------
        front : str, optional
            The policy for which a staircase bounds what it dominates; by default the first.
        """
        with extra("book"):
            import seaborn as sns

        from ...plots import pareto

        policies = list(self.ends["policy"].unique())
        front = one_of("front", front or policies[0], policies)
        look = {"height": 3.6, "aspect": 1.5, "sharex": False, "sharey": False}
        grid = sns.FacetGrid(self.ends, row="topic", **look)
        for (row, _, _), part in grid.facet_data():
            pareto(part, "by the classifier", "domains", ax=grid.axes[row, 0], front=front)
        return grid.set_titles("{row_name}")

    @property
    def _rate(self) -> str:
        return RATES[RATES[1] in self.measures]
