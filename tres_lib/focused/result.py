"""The result of a crawl: its log, its figures, and its file."""

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
    "final_url": "str",
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

    Attributes
    ----------
    log : DataFrame
        One row a fetch, seeds first: ``step`` (0 for seeds), ``url`` as requested,
        ``final_url`` (where a redirect led, else ``url``; "" if the fetch failed), ``title``
        ("" without a page), ``parent`` (the ``url`` of the earlier row on whose page the link
        was found; "" for seeds and for what a policy suggested), ``domain`` (registered, of
        ``url``), ``reward`` (1 if the classifier's probability ``p`` is at least 0.5, and for
        a seed that could be fetched; else 0), ``relevant_true`` (by the web's ground truth;
        missing where it has none), ``depth`` (links from the seed), ``status`` (HTTP),
        ``reason`` ("" if all went well) and ``seconds`` from the start to the page's arrival.
        When the choice was made: ``q`` (the policy's value of it), ``leaves`` and
        ``nonempty_leaves`` (0 without a tree), ``evaluations`` (values computed so far in
        order to choose), ``frontier`` (live actions) and ``inserted`` (all actions so far).
    settings : dict
        The crawl's arguments, in JSON's types.
    stopped : str
        "budget spent", "frontier empty", "no seed could be fetched", or why it could not go on:
        the journal could not be written, or too many fetches in a row failed.
    policy : Policy or None
        As the crawl left it. Not saved.
    frontier : Frontier or None
        As the crawl left it. Not saved.

    Examples
    --------
    >>> import tempfile
    >>> from tres_lib.focused.crawl import crawl
    >>> from tres_lib.web import ReplayWeb, Topic
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return [0.9 if "jazz" in text else 0.1 for text in texts]
    >>> start = "http://a.example/"
    >>> small = ReplayWeb.from_pages({start: "<a href=b>", start + "b": "jazz"})
    >>> how = {"policy": "bfs", "classifier": SaysJazz(), "progress": False}
    >>> result = crawl(small, [start], Topic("jazz", ["jazz"]), **how)
    >>> result.harvest_rate, result.domains, result.summary()["stopped"]
    (1.0, 1, 'frontier empty')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.to_parquet(f"{folder}/crawl.parquet")
    ...     again = CrawlResult.from_parquet(f"{folder}/crawl.parquet")
    >>> again.log["parent"].tolist()
    ['', 'http://a.example/']
    """

    log: pd.DataFrame
    settings: dict[str, Any]
    stopped: str
    policy: Policy | None = None
    frontier: Frontier | None = None

    @property
    def harvest_rate(self) -> float:
        """Share of relevant pages by the classifier among those fetched, seeds aside; or NaN."""
        return float(self._steps["reward"].mean())

    @property
    def true_harvest_rate(self) -> float:
        """Share of relevant pages by the web's ground truth; NaN where it has none."""
        known = self._steps["relevant_true"].dropna()
        return float(known.astype(float).mean())

    @property
    def domains(self) -> int:
        """Number of registered domains with a relevant page by the classifier, seeds' included."""
        return int(self.log.loc[self.log["reward"] > 0, "domain"].nunique())

    def summary(self) -> dict[str, Any]:
        """Return the crawl in one row.

        Returns
        -------
        dict
            ``topic``, ``policy``, ``fetched`` (pages, seeds aside), ``harvest_rate``,
            ``true_harvest_rate``, ``domains``, ``failed`` (fetches), ``frontier`` and ``leaves``
            (at the last choice), ``seconds`` and ``stopped``.
        """
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
        """Write the log to a Parquet file, with `settings` and `stopped` in its metadata."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(self.log, preserve_index=False)
        about = json.dumps({"settings": self.settings, "stopped": self.stopped}).encode()
        pq.write_table(
            table.replace_schema_metadata({**table.schema.metadata, METADATA: about}), path
        )

    @classmethod
    def from_parquet(cls, path: str | Path) -> CrawlResult:
        """Read a crawl that `to_parquet` wrote, without `policy` and `frontier`.

        Raises
        ------
        ValueError
            If the file is of another kind.
        """
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        about = (table.schema.metadata or {}).get(METADATA)
        if about is None:
            raise ValueError(f"path={str(path)!r}: not a crawl written by CrawlResult.to_parquet")
        log = table.to_pandas()
        return cls(log.astype({n: t for n, t in DTYPES.items() if n in log}), **json.loads(about))

    @property
    def _steps(self) -> pd.DataFrame:
        return self.log[self.log["step"] > 0]


def make_log(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the log of a crawl from its rows."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES)
