"""What a crawl found: its log, its figures, and its file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from .frontier import Frontier
    from .policy import Policy

METADATA = b"tres_lib.crawl"
DTYPES = {
    "step": "int64",
    "url": "str",
    "title": "str",
    "parent": "str",
    "domain": "str",
    "reward": "float64",
    "relevant_true": "boolean",
    "depth": "int64",
    "q": "float64",
    "leaves": "int64",
    "nonempty_leaves": "int64",
    "evaluations": "int64",
    "frontier": "int64",
    "inserted": "int64",
    "seconds": "float64",
    "p": "float64",
    "status": "Int64",
    "reason": "str",
}


@dataclass(frozen=True, eq=False)
class CrawlResult:
    """A finished crawl.

    Parameters
    ----------
    log : DataFrame
        One row a fetch, seeds first. ``step`` (0 for seeds), ``url`` as requested,
        ``title`` ("" if the page could not be had), ``parent`` ("" for seeds), ``domain``
        (registered, of ``url``), ``reward`` (1 if the classifier's probability ``p`` is at least
        0.5; 1 for a seed that could be had, 0 for a page that could not), ``relevant_true`` (by
        the web's truth; missing where it knows none), ``depth`` (links from the seed), ``q``
        (the policy's value of the choice), ``leaves`` and ``nonempty_leaves`` (0 without a
        tree), ``evaluations`` (values computed so far in order to choose), ``frontier`` (number
        of actions) and ``inserted`` (actions found so far, gone ones included) when the choice
        was made, ``seconds`` since the start when the page was there, ``status`` (HTTP) and
        ``reason`` ("" if all went well).
    settings : dict
        The crawl's arguments, in JSON's types.
    stopped : str
        "budget spent", "frontier empty", "no seed could be fetched", or why it could not go on:
        the journal could not be written, or too many fetches in a row failed.
    policy, frontier : optional
        The policy and the frontier as the crawl left them. They are not saved.
    """

    log: pd.DataFrame
    settings: dict[str, Any]
    stopped: str
    policy: Policy | None = None
    frontier: Frontier | None = None

    @property
    def harvest_rate(self) -> float:
        """Relevant pages by the classifier over pages fetched, seeds aside; NaN without any."""
        return float(self._steps["reward"].mean())

    @property
    def true_harvest_rate(self) -> float:
        """The same by the web's truth; NaN where it knows none."""
        known = self._steps["relevant_true"].dropna()
        return float(known.astype(float).mean())

    @property
    def domains(self) -> int:
        """Number of registered domains with a relevant page by the classifier, seeds' included."""
        return int(self.log.loc[self.log["reward"] > 0, "domain"].nunique())

    def summary(self) -> dict[str, Any]:
        """The crawl in one row: what it was, its figures, its failures, its time."""
        steps = self._steps
        return {
            "topic": self.settings["topic"],
            "policy": self.settings["policy"],
            "fetched": len(steps),
            "harvest_rate": self.harvest_rate,
            "true_harvest_rate": self.true_harvest_rate,
            "domains": self.domains,
            "failed": int((steps["reason"] != "").sum()),
            "frontier": int(self.log["frontier"].iloc[-1]),
            "leaves": int(self.log["leaves"].iloc[-1]),
            "seconds": float(self.log["seconds"].iloc[-1]),
            "stopped": self.stopped,
        }

    def to_parquet(self, path: str | Path) -> None:
        """Write the log, with settings and reason of the end in the file's metadata."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(self.log, preserve_index=False)
        about = json.dumps({"settings": self.settings, "stopped": self.stopped}).encode()
        pq.write_table(
            table.replace_schema_metadata({**table.schema.metadata, METADATA: about}), path
        )

    @classmethod
    def from_parquet(cls, path: str | Path) -> CrawlResult:
        """Read what `to_parquet` wrote; ValueError if the file is of another kind."""
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        about = (table.schema.metadata or {}).get(METADATA)
        if about is None:
            raise ValueError(f"path={str(path)!r}: not a crawl written by CrawlResult.to_parquet")
        return cls(table.to_pandas().astype(DTYPES), **json.loads(about))

    @property
    def _steps(self) -> pd.DataFrame:
        return self.log[self.log["step"] > 0]


def make_log(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The log of a crawl from its rows."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES)
