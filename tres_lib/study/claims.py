"""The ledger: what the papers claim, what was measured here, and the verdicts."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from tres_lib.study import workspace
from tres_lib.study.rules import UNRECORDED, UNTESTED, Claim, Record


class Claims:
    """The claims of data/claims.yaml with what was recorded for them at this scale.

    Use `Claims.load()` in a notebook, `record` what was measured, and show `table`.

    Examples
    --------
    >>> import tempfile
    >>> words = {"claim": "It is best.", "kind": "order", "value": "by 2", "measure": "points"}
    >>> place = {"paper": "TRES", "place": "Table 3", "notebook": "05-x"}
    >>> best = Claim("best", **words, **place, rule={"holds": "value > 1", "partly": "value > 0"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claims = Claims({"best": best}, Path(folder), Path(folder))
    ...     claims.record("best", 0.8, interval=(0.5, 1.1), n=3, scale="default")
    ...     claims.verdicts()[["value", "here", "verdict"]]
    'holds in part'
         value  here        verdict
    id
    best  by 2   0.8  holds in part
    """

    def __init__(self, claims: Mapping[str, Claim], records: Path, notebooks: Path) -> None:
        self._claims = dict(claims)
        self._records = records
        self._notebooks = notebooks

    @classmethod
    def load(cls, path: str | Path | None = None, *, scale: str | None = None) -> Claims:
        """Read the ledger.

        Parameters
        ----------
        path : path, optional
            A ledger in YAML; default data/claims.yaml. Its notebooks are beside that folder.
        scale : str, optional
            The scale whose records are meant; default that of this run (TRES_SCALE).

        Raises
        ------
        ValueError
            If the file is no YAML, or an entry has an unknown field, kind, scale or rule.
        """
        path = Path(path or workspace.root() / "data" / "claims.yaml")
        scale = workspace.check_scale(scale) if scale else workspace.scale()
        try:
            entries = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except yaml.YAMLError as error:
            raise ValueError(f"path: {path} is not valid YAML: {error}") from error
        claims = {name: _claim(name, fields) for name, fields in entries.items()}
        notebooks = path.resolve().parents[1] / "notebooks"
        return cls(claims, workspace.build_dir() / scale / "claims", notebooks)

    def __getitem__(self, claim_id: str) -> Claim:
        if claim_id not in self._claims:
            close = difflib.get_close_matches(claim_id, self._claims, n=3, cutoff=0.4)
            hint = f"did you mean {', '.join(close)}?" if close else "see data/claims.yaml"
            raise ValueError(f"id: no claim {claim_id!r}; {hint}")
        return self._claims[claim_id]

    def record(
        self,
        id: str,
        value: float,
        interval: tuple[float, float] | None = None,
        n: int | None = None,
        scale: str | None = None,
    ) -> str:
        """Store what was measured for a claim and return the verdict.

        Parameters
        ----------
        id : str
            The claim's id.
        value : float
            In the unit of the claim's `measure`; True and False count as 1 and 0.
        interval : pair of float, optional
            95 % confidence interval; nan bounds (a single run) count as none.
        n : int, optional
            Number of independent runs.
        scale : str, optional
            Default: the scale of this run.

        Raises
        ------
        ValueError
            If there is no such claim (close ids are listed), the value is not finite, or the
            interval is upside down.
        """
        claim = self[id]
        record = Record(
            claim.id, _finite(value), _bounds(interval), n and int(n), scale or workspace.scale()
        )
        workspace.check_scale(record.scale)
        self._records.mkdir(parents=True, exist_ok=True)
        (self._records / f"{id}.json").write_text(json.dumps(asdict(record), indent=1) + "\n")
        return claim.verdict(record)

    def verdicts(self, notebook: str | None = None) -> pd.DataFrame:
        """Return the ledger, one row a claim, sorted by paper and place.

        Parameters
        ----------
        notebook : str, optional
            Only the claims that this notebook tests.

        Returns
        -------
        DataFrame
            Indexed by id, with columns paper, place, claim, kind, value (the paper's), measure,
            rule, notebook, here, low, high, n, verdict. `here` is nan where nothing was recorded.
        """
        chosen = [c for c in self._claims.values() if notebook in (None, c.notebook)]
        chosen.sort(key=lambda c: (c.paper, _natural(c.place)))
        rows = [self._row(claim) for claim in chosen]
        return pd.DataFrame(rows, columns=_COLUMNS).set_index("id")

    def table(self, notebook: str) -> pd.DataFrame:
        """Return the table with which a notebook ends: claim, paper, here, verdict, by place."""
        ledger = self.verdicts(notebook)
        return pd.DataFrame(
            {
                "place": ledger["place"],
                "claim": ledger["claim"],
                "paper": ledger["value"],
                "here": [measured(row) for row in ledger.itertuples()],
                "verdict": ledger["verdict"],
            }
        ).set_index("place")

    def missing(self, notebook: str | None = None) -> list[str]:
        """Return the ids that lack a record at this scale although their notebook exists."""
        ledger = self.verdicts(notebook)
        return list(ledger.index[ledger["verdict"] == UNRECORDED])

    def forget(self, notebook: str) -> None:
        """Delete the records of a notebook's claims, before it runs again."""
        for claim in self._claims.values():
            if claim.notebook == notebook:
                (self._records / f"{claim.id}.json").unlink(missing_ok=True)

    def _row(self, claim: Claim) -> dict[str, Any]:
        record = self._read(claim.id)
        low, high = (record and record.interval) or (math.nan, math.nan)
        here = {"here": record.value if record else math.nan, "low": low, "high": high}
        verdict = claim.verdict(record) if record else self._without_record(claim)
        return asdict(claim) | here | {"n": record and record.n, "verdict": verdict}

    def _read(self, claim_id: str) -> Record | None:
        file = self._records / f"{claim_id}.json"
        if not file.exists():
            return None
        fields = json.loads(file.read_text())
        return Record(**fields | {"interval": _bounds(fields["interval"])})

    def _without_record(self, claim: Claim) -> str:
        if not (self._notebooks / f"{claim.notebook}.ipynb").exists():
            return f"not yet tested: chapter {claim.notebook[:2]} to come"
        return UNRECORDED if claim.tested_at(self._records.parent.name) else UNTESTED


_COLUMNS = [
    *("id", "paper", "place", "claim", "kind", "value", "measure", "rule", "notebook"),
    *("here", "low", "high", "n", "verdict"),
]


def measured(row: Any) -> str:
    """Format a row's measurement, e.g. "0.912 [0.88, 0.94], n = 3"; empty without one."""
    if math.isnan(row.here):
        return ""
    interval = "" if math.isnan(row.low) else f" [{row.low:.3g}, {row.high:.3g}]"
    runs = "" if row.n is None or math.isnan(row.n) else f", n = {int(row.n)}"
    return f"{row.here:.3g}{interval}{runs}"


def _claim(name: str, fields: Mapping[str, Any]) -> Claim:
    try:
        return Claim(id=name, **fields)
    except TypeError as error:
        raise ValueError(f"claims: {name}: {error}") from error


def _finite(value: float) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"value: {number} is not finite; record a number, or nothing at all")
    return number


def _bounds(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    if interval is None or any(math.isnan(bound) for bound in interval):
        return None
    low, high = map(float, interval)
    if low > high:
        raise ValueError(f"interval: ({low}, {high}) is upside down; give (low, high)")
    return low, high


def _natural(place: str) -> list[Any]:
    """Return a sort key that puts Table 2 before Table 10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", place)]
