"""The result of a crawl: its log, its figures, and its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tres_webs.files import whole_file

from .policy import Policy, as_policy

if TYPE_CHECKING:
    import pandas as pd

    from .frontier import Frontier

WARN_AFTER = 200  # fetches in a row without a relevant page, from which on a crawl warns
SPOKEN = 2  # reasons on each side that the sentence of an explanation names
METADATA = b"tres_lib.crawl"
# `final_url`: where a redirect led, else `url`; "" of a failed fetch. `domain`: registered, of
# `url`. `depth`: links from the seed. `failure`: a value of `web.Failure`, or "". `seconds`: from
# the start to the page's arrival. `leaves`: 0 without a tree.
COLUMNS = (  # name and type
    "step:int64 url:str final_url:str title:str parent:str domain:str reward:float64 "
    "relevant_true:boolean depth:int64 q:float64 leaves:int64 nonempty_leaves:int64 "
    "evaluations:int64 frontier:int64 inserted:int64 seconds:float64 p:float64 status:Int64 "
    "failure:str reason:str error:bool"
)
DTYPES: dict[str, Any] = dict(column.split(":") for column in COLUMNS.split())


class Stop(StrEnum):
    """The ways in which a crawl ends, each with its words for people."""

    SPENT = "budget spent"
    EMPTY = "frontier empty"
    NO_SEED = "no seed could be fetched"
    AT_LIMIT = "all domains with links left are at their limit ({number} pages)"
    DECLINED = "nothing left that the policy would take ({number:,} links left)"
    DRY = "ran dry: the policy takes only a domain's first links ({number:,} links left)"
    ERRORS = "{number:,} errors were skipped, more than the crawl may take steps"
    FAILING = "{number} fetches in a row failed, the last one: {cause}"
    UNWRITTEN = "{cause}"  # a journal or an archive
    INTERRUPTED = "stopped by a signal"
    ERROR = "error: {cause}"


@dataclass(frozen=True)
class Ending:
    """Why a crawl ended; as a string, in words.

    Examples
    --------
    >>> str(Ending(Stop.FAILING, 4, "HTTP 500"))
    '4 fetches in a row failed, the last one: HTTP 500'
    """

    stop: Stop
    number: int = 0  # of pages at the limit, links left, errors or failures
    cause: str = ""  # the last failure or the error

    def __str__(self) -> str:
        return self.stop.value.format(number=self.number, cause=self.cause)

    def as_json(self) -> list[str | int]:
        """Return what `from_json` reads."""
        return [self.stop.name, self.number, self.cause]

    @classmethod
    def from_json(cls, data: list) -> Ending:
        """Return the ending that `as_json` wrote."""
        name, number, cause = data
        return cls(Stop[name], int(number), str(cause))


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a page was fetched."""

    text: str  # a sentence or two
    table: pd.DataFrame  # all reasons, the weightiest first: feature, evidence (in words), effect

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.text)}</p>{self.table.head(10).round(2).to_html(index=False)}"


@dataclass(frozen=True, eq=False)
class CrawlResult:
    """A finished crawl; `crawl` has an example.

    The log has a row a fetch, seeds first. ``relevant_true`` is by the web's ground truth, missing
    where it has none; ``p`` the classifier's probability; ``parent`` the ``url`` of the earlier row
    with the link, "" for seeds and what a policy suggested. As of the choice are ``q`` (the
    policy's value of it), ``leaves``, ``evaluations``, ``frontier`` (live actions) and ``inserted``
    (all so far). For ``error`` see `CrawlSettings`; of a skipped one ``step`` is the step for which
    it was fetched.
    """

    log: pd.DataFrame
    settings: dict[str, Any]  # the crawl's arguments, in JSON's types
    ending: Ending | None  # why the crawl ended, if it has; `stopped` says it in words
    policy: Policy | None = None  # as the crawl left it; not saved, nor is what follows
    frontier: Frontier | None = None

    @property
    def stopped(self) -> str:
        """Why the crawl ended, in words: "budget spent", "frontier empty", or a sentence."""
        return str(self.ending or "not ended")

    @property
    def harvest_rate(self) -> float:
        """Share of relevant pages by the classifier among the steps; NaN without any."""
        return _mean(self.steps["reward"])

    @property
    def true_harvest_rate(self) -> float:
        """Share of relevant pages by the web's ground truth; NaN where it has none."""
        return _mean(self.steps["relevant_true"])

    @property
    def domains(self) -> int:
        """Number of registered domains with a relevant page by the classifier, seeds' included."""
        return int(self.log.loc[self.log["reward"] > 0, "domain"].nunique())

    def summary(self) -> dict[str, Any]:
        """Return the crawl in one row: settings, and figures as of the last choice."""
        last = self.log[["frontier", "leaves", "seconds"]].tail(1).sum()  # 0 of an empty log
        return {
            "topic": self.settings["topic"],
            "policy": self.settings["policy"],
            "fetched": len(self._fetched),
            "harvest_rate": self.harvest_rate,
            "true_harvest_rate": self.true_harvest_rate,
            "domains": self.domains,
            "failed": int((self._fetched["reason"] != "").sum()),
            "frontier": int(last["frontier"]),
            "leaves": int(last["leaves"]),
            "seconds": float(last["seconds"]),
            "stopped": self.stopped,
        }

    def explain(self, url: str) -> Explanation:
        """Return why a page was fetched, by "prospector" or "best-first", else ValueError."""
        rows = self.log[(self.log["url"] == url) | (self.log["final_url"] == url)]
        if rows.empty:
            raise ValueError(f"url={url!r}: this crawl did not fetch it; log.url lists what it did")
        row = rows.iloc[0]
        if row["step"] == 0:
            raise ValueError(f"url={url!r}: a seed, which no policy chose")
        table = None if self.policy is None else as_policy(self.policy).explain(row)
        if table is None:
            name = self.settings["policy"]
            raise ValueError(
                f"url={url!r}: policy {name!r} gives no reasons, or the crawl was read from a "
                "file; crawl with 'prospector' or 'best-first' and ask the result itself"
            )
        links = f"{row['frontier']:,} links in the frontier"
        sentences = [f"Step {row['step']}: the best of {links}, estimated at {row['q']:.2f}."]
        for word, side in (("For", table["effect"] > 0), ("Against", table["effect"] < 0)):
            said = table.loc[side, "evidence"].head(SPOKEN)
            if len(said):
                sentences.append(f"{word} it: {'; '.join(said)}.")
        return Explanation(" ".join(sentences), table)

    def to_parquet(self, path: str | Path) -> None:
        """Write the log to a Parquet file, whole or not at all, with `settings` and `ending`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(self.log, preserve_index=False)
        about = {"settings": self.settings, "ending": self.ending and self.ending.as_json()}
        metadata = {**table.schema.metadata, METADATA: json.dumps(about).encode()}
        with whole_file(Path(path)) as draft:
            pq.write_table(table.replace_schema_metadata(metadata), draft)

    @classmethod
    def from_parquet(cls, path: str | Path) -> CrawlResult:
        """Read a crawl that `to_parquet` wrote; ValueError for no file or one of another kind."""
        import pyarrow.parquet as pq

        if not Path(path).is_file():
            raise ValueError(f"path={str(path)!r}: there is no such file")
        table = pq.read_table(path)
        about = (table.schema.metadata or {}).get(METADATA)
        if about is None:
            raise ValueError(f"path={str(path)!r}: not a crawl written by CrawlResult.to_parquet")
        log = table.to_pandas()
        typed = log.astype({name: kind for name, kind in DTYPES.items() if name in log})
        facts = json.loads(about)
        ending = facts["ending"] and Ending.from_json(facts["ending"])
        return CrawlResult(typed, facts["settings"], ending)

    @property
    def _fetched(self) -> pd.DataFrame:
        return self.log[self.log["step"] > 0]

    @property
    def steps(self) -> pd.DataFrame:
        """The log's rows of steps: no seeds, and no errors where they are skipped."""
        fetched = self._fetched
        return fetched[~fetched["error"]] if self.settings.get("errors") == "skip" else fetched


def _mean(values: pd.Series) -> float:
    return float(values.dropna().astype(float).mean())


def make_log(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the log of a crawl from its rows."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES)


def rejected_seeds(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a warning if the classifier turns down seeds, among the rows of a log; else ""."""
    seeds = [row for row in rows if row["step"] == 0 and row["p"] == row["p"]]  # NaN: no page
    rejected = [row["url"] for row in seeds if row["p"] < 0.5]
    if not rejected:
        return ""
    remedy = "give other seeds, more examples, or labels"
    some = f"{len(rejected)} of {len(seeds)} seeds, such as {rejected[0]}"
    return f"the classifier turns down {some}: {remedy}"
