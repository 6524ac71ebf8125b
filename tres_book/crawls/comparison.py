"""What crawls by several policies found: tables with intervals over webs, and figures.

Functions take ``logs``, the rows of many crawls' logs with the columns ``topic``, ``policy``,
``limit`` and ``web_seed`` that name each crawl, and ``stopped``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import pandas as pd

from tres_lib.focused.result import Stop
from tres_webs.checks import one_of
from tres_webs.extras import optional

from ..intervals import PER_CENT, interval_table, paired
from ..policies import policy_styles

if TYPE_CHECKING:
    import seaborn as sns

RUN = ["topic", "policy", "limit", "web_seed"]
NAMED = ["topic", "limit", "web_seed"]  # of a run, whatever the policy
RATES = ("by the classifier", "by the truth")  # columns of `Comparison.ends`, in per cent
JUDGE = RATES[0]  # of the papers' claims
MEASURES = (*RATES, "domains", "true domains")
POINT = [RATES[0], "domains"]  # the two objectives of Fig. 3


@dataclass(frozen=True, eq=False)
class Comparison:
    """Crawls by several policies, as `compare` returns them.

    `logs` has the rows of all `CrawlResult.log`, with the columns ``topic``, ``policy``, ``limit``,
    ``web_seed`` and ``stopped``; `budget` is the fetches that each crawl might make.
    """

    logs: pd.DataFrame
    budget: int

    @cached_property
    def ends(self) -> pd.DataFrame:
        """What each crawl found, a row a crawl.

        ``by the classifier`` and ``by the truth`` are harvest rates in per cent of the budget,
        ``domains`` and ``true domains`` the registered domains with a relevant page by either,
        seeds aside. What the ground truth decides is NaN where the web does not know it.
        """
        ends = at_the_end(self.logs, budget=self.budget)
        has_truth = self.logs.groupby(RUN, sort=False)["relevant_true"].count().to_numpy() > 0
        truth = ["by the truth", "true domains"]
        return ends.assign(**{name: ends[name].where(has_truth) for name in truth})

    @property
    def measures(self) -> list[str]:
        """The columns of `ends` that have a value for each crawl."""
        return [name for name in MEASURES if self.ends[name].notna().all()]

    def table(self) -> pd.DataFrame:
        """Return the mean of each measure over webs, with its 95 % interval, a row a crawler."""
        keys = ["topic", "crawler", "web_seed"]
        long = self.ends.melt(keys, self.measures, "measure")
        within = dict.fromkeys(RATES, PER_CENT)
        return interval_table(long, "crawler", ["topic", "measure"], "value", within=within)

    def differences(self, reference: str, measure: str | None = None) -> pd.DataFrame:
        """Return how much more each policy found than the one called `reference`, paired by web.

        Cells are "mean [low, high]" of the 95 % interval over webs, a row a policy. `measure` is a
        column of `ends`. The default is the harvest rate in percentage points: by the truth where
        that is known, else by the classifier.
        """
        one_of("reference", reference, self._policies)
        measure = one_of("measure", measure or self._rate, self.measures)
        pairs = paired(self.ends, measure, ["topic", "limit", "web_seed"], {"policy": reference})
        if pairs.empty:
            raise ValueError(f"reference={reference!r} was the only policy; compare two or more")
        pairs["more"] = pairs[measure] - pairs["reference"]
        return interval_table(pairs, "policy", ["topic", "limit"], "more")

    def over_time(self, points: int = 40) -> pd.DataFrame:
        """Return `over_time` of the logs."""
        return over_time(self.logs, points)

    def plot_over_time(self, measure: str | None = None) -> sns.FacetGrid:
        """Draw the harvest rate over time, a panel a topic and limit, bands of 95 % over webs.

        `measure` is "harvest rate" (by the classifier) or "true harvest rate"; the default is as of
        `differences`.
        """
        with optional("book"):
            import seaborn as sns

        from ..plots import colours, share

        rates = ["harvest rate", "true harvest rate"]
        grid = sns.relplot(
            self.over_time(),
            kind="line",
            x="step",
            y=one_of("measure", measure or rates[self._rate == RATES[1]], rates),
            hue="policy",
            hue_order=self._policies,
            palette=colours(self._policies),
            row="limit",
            col="topic",
            height=2.8,
            errorbar=share,
            err_kws={"lw": 0},
        )
        return grid.set(ylim=(0, 1)).set_titles("{col_name}, limit {row_name}")

    def plot_pareto(self, front: str | None = None) -> sns.FacetGrid:
        """Draw the harvest rate by the classifier against domains, a panel a topic.

        A staircase bounds what the policy `front`, by default the first, dominates.
        """
        with optional("book"):
            import seaborn as sns

        from ..plots import pareto

        front = one_of("front", front or self._policies[0], self._policies)
        options = {"height": 3.6, "aspect": 1.5, "sharex": False, "sharey": False}
        grid = sns.FacetGrid(self.ends, row="topic", **options)
        for (row, _, _), part in grid.facet_data():
            pareto(part, POINT[0], POINT[1], ax=grid.axes[row, 0], front=front)
        return grid.set_titles("{row_name}")

    @property
    def _policies(self) -> list[str]:
        return list(self.ends["policy"].unique())

    @property
    def _rate(self) -> str:
        return RATES[RATES[1] in self.measures]


def crawler(policy: str, limit: str) -> str:
    """Return a policy with its limit as the paper writes it, such as TRES_5_2."""
    name = policy_styles().get(policy, {}).get("printed", policy)
    return name if limit == "none" else f"{name}_{limit}"


def over_time(logs: pd.DataFrame, points: int = 40) -> pd.DataFrame:
    """Return the harvest so far at about ``points`` steps of each crawl.

    The rows are those of the logs, with the columns ``harvest rate`` (by the classifier),
    ``true harvest rate`` (by the ground truth) and ``relevant found`` (number, by the truth).
    """
    steps = logs[logs["step"] > 0].copy()
    found = steps.astype({"relevant_true": float}).groupby(RUN, sort=False)
    steps["harvest rate"] = found["reward"].cumsum() / steps["step"]
    steps["relevant found"] = found["relevant_true"].cumsum()
    steps["true harvest rate"] = steps["relevant found"] / steps["step"]
    some = steps[steps["step"] % max(int(steps["step"].max()) // points, 1) == 0]
    return some.drop_duplicates([*RUN, "step"], keep="last")  # without errors that were skipped


def at_the_end(
    logs: pd.DataFrame,
    exploration: int = 0,
    budget: int | None = None,
    errors: Literal["count", "skip"] = "count",
) -> pd.DataFrame:
    """Return how much each crawl found, one row a crawl.

    With ``errors="skip"`` errors are no steps, however the crawl ran. TRES explores in the first
    `exploration` steps. With a `budget`, pages asked for, a crawl that ended early counts as having
    fetched the missing pages in vain; the paper leaves such crawls blank. Without, a rate is over
    the pages fetched (Eq. 6).

    Columns: those of the run; ``crawler`` (policy and limit); harvest rates in per cent
    ``by the classifier``, ``by the truth`` and ``after exploring`` (by the classifier, without the
    first steps); ``domains`` and ``true domains``, relevant ones by either (Eq. 7); ``pages``
    fetched; ``complete``, whether the crawl did not run out of URLs.
    """
    taken = logs["step"] > 0
    if errors == "skip":
        taken &= ~logs["error"]
    relevant = logs["relevant_true"].astype(float)
    steps = logs.assign(found=logs["reward"].where(taken), truth=relevant.where(taken))
    steps["later"] = steps["found"].where(steps["step"] > exploration)
    runs = steps.groupby(RUN, sort=False)
    pages = runs["found"].count()
    means = 100 * runs[["found", "truth", "later"]].mean()
    rates = means[["found", "truth"]].mul(pages / pages.clip(lower=budget or 0), axis=0)
    table = rates.where(pages > 0, 0.0).set_axis(list(RATES), axis=1)
    table = table.assign(**{"after exploring": means["later"], "pages": pages})
    for name, column in {"domains": "found", "true domains": "truth"}.items():
        domains = steps[steps[column] > 0].groupby(RUN, sort=False)["domain"].nunique()
        table[name] = domains.reindex(table.index, fill_value=0)
    table["complete"] = runs["stopped"].first() == Stop.SPENT
    table = table.reset_index()
    names = [crawler(*pair) for pair in zip(table["policy"], table["limit"], strict=True)]
    return table.assign(crawler=names)
