"""The ledger: the claims of data/claims.yaml, and what was recorded for them.

A record in a second world is judged by the same rule, beside the verdict and without a say in it.
"""

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

from tres_lib.store import DATA

from . import workspace
from .rules import NO_BOUNDS, Claim, Record, Verdict

_COLUMNS = (
    "id paper place claim kind value measure rule notebook known amended here low high n stored"
    " measured verdict elsewhere former"
)


class Claims:
    """The claims of data/claims.yaml, by id, with what was recorded for them at this scale.

    Examples
    --------
    >>> import tempfile
    >>> words = {"claim": "It is best.", "kind": "order", "value": "by 2", "measure": "points"}
    >>> place = {"paper": "TRES", "place": "Table 3", "notebook": "05-x"}
    >>> best = Claim("best", **words, **place, rule={"holds": "value > 1", "partly": "value > 0"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claims = Claims({"best": best}, Path(folder), Path(folder))
    ...     print(claims.record("best", 0.8, interval=(0.5, 1.1), n=3, scale="default"))
    holds in part
    """

    def __init__(self, claims: Mapping[str, Claim], records: Path, notebooks: Path) -> None:
        self._claims = dict(claims)
        self._records = records
        self._notebooks = notebooks

    @classmethod
    def load(cls, path: str | Path | None = None, *, scale: str | None = None) -> Claims:
        """Read a ledger in YAML, by default data/claims.yaml, with the records of a scale.

        The notebooks are in a folder beside that of the ledger. ValueError if it is no YAML, or
        an entry has an unknown field, kind, scale or rule.
        """
        path = Path(path or DATA / "claims.yaml")
        scale = workspace.scale(scale)
        if not path.is_file():
            raise ValueError(f"path: {path} is no file; name a ledger in YAML")
        try:
            entries = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except yaml.YAMLError as error:
            raise ValueError(f"path: {path} is not valid YAML: {error}") from error
        claims = {}
        for name, fields in entries.items():
            try:
                claims[name] = Claim(id=name, **fields)
            except TypeError as error:
                raise ValueError(f"claims: {name}: {error}") from error
        notebooks = path.resolve().parents[1] / "notebooks"
        return cls(claims, workspace.build_dir() / scale / "claims", notebooks)

    def record(
        self,
        id: str,
        value: float,
        interval: tuple[float, float] | None = None,
        n: int | None = None,
        scale: str | None = None,
        stored: str = "",
        world: str = "",
        assumed: bool = True,
    ) -> Verdict:
        """Store what was measured for a claim and return the verdict.

        Parameters
        ----------
        id : str
            That of a claim, else ValueError.
        value : float
            In the unit of the claim's `measure`, finite; True and False count as 1 and 0.
        interval : pair of float, optional
            95 % confidence interval, rising; nan bounds (a single run) count as none.
        n : int, optional
            Number of independent runs.
        scale : str, optional
            Default that of this run.
        stored : str
            If the figure rests on runs in results/, how long they are, such as "20,000 fetches";
            it is then judged at any scale. Default: it rests on what was run now.
        world : str
            A second world, such as "first law", whose verdict stands beside that of the claim.
            Default: the world on which the claim is judged.
        assumed : bool
            False if the premises of the claim fail here, or no run can miss it.
        """
        if id not in self._claims:
            close = difflib.get_close_matches(id, self._claims, n=3, cutoff=0.4)
            hint = f"did you mean {', '.join(close)}?" if close else "see data/claims.yaml"
            raise ValueError(f"id: no claim {id!r}; {hint}")
        if not math.isfinite(value):
            raise ValueError(f"value: {value} is not finite; record a number, or nothing at all")
        low, high = map(float, interval or NO_BOUNDS)
        if low > high:
            raise ValueError(f"interval: ({low}, {high}) is upside down; give (low, high)")
        bounds = None if math.isnan(low) or math.isnan(high) else (low, high)
        figure = (id, float(value), bounds, n and int(n), workspace.scale(scale))
        record = Record(*figure, stored, world, bool(assumed))
        self._records.mkdir(parents=True, exist_ok=True)
        name = f"{id}@{world.replace(' ', '-')}" if world else id
        (self._records / f"{name}.json").write_text(json.dumps(asdict(record), indent=1) + "\n")
        return self._claims[id].verdict(record)

    def verdicts(self, notebook: str | None = None) -> pd.DataFrame:
        """Return the ledger, or a notebook's part, sorted by paper, chapter and place.

        A row is a claim. Indexed by id, with columns paper, place, claim, kind, value (the
        paper's), measure, rule, notebook, known, amended, here, low, high, n, stored, measured (all
        these in a line), verdict, elsewhere (verdicts in other worlds), former (that by the rule
        before it was amended). `here` is nan where nothing was recorded.
        """
        chosen = [c for c in self._claims.values() if notebook in (None, c.notebook)]
        # Numbers as numbers, so that Table 2 stands before Table 10.
        chosen.sort(key=lambda c: (c.paper, c.notebook, _numbered(c.place)))
        return pd.DataFrame(map(self._row, chosen), columns=_COLUMNS.split()).set_index("id")

    def table(self, notebook: str) -> pd.DataFrame:
        """Return the table with which a notebook ends: claim, paper, here, verdict, by place.

        `notebook` is its name, such as "05-crawler-comparison". In the table `paper` is the paper's
        value, `here` is `measured`, and `elsewhere` is there if a claim has a second world.
        """
        ledger = self.verdicts(notebook)
        table = ledger.assign(paper=ledger["value"], here=ledger["measured"]).set_index("place")
        last = ["elsewhere"] if ledger["elsewhere"].any() else []
        return table[["claim", "paper", "here", "verdict", *last]]

    def missing(self, notebook: str | None = None) -> list[str]:
        """Return the ids, of one notebook or of all, that lack a record though it exists."""
        ledger = self.verdicts(notebook)
        return list(ledger.index[ledger["verdict"] == Verdict.UNRECORDED])

    def forget(self, notebook: str) -> None:
        """Delete the records of a notebook's claims, before it runs again."""
        for claim in self._claims.values():
            if claim.notebook == notebook:
                for file in self._files(claim.id):
                    file.unlink()

    def _files(self, id: str) -> list[Path]:
        return [*self._records.glob(f"{id}.json"), *sorted(self._records.glob(f"{id}@*.json"))]

    def _row(self, claim: Claim) -> dict[str, Any]:
        read = (Record(**json.loads(file.read_text())) for file in self._files(claim.id))
        records = {record.world: record for record in read}
        record = records.pop("", None)
        elsewhere = [f"{w}: {claim.verdict(r)} ({r})" for w, r in records.items()]
        former = record and claim.amended and claim.verdict(record, claim.amended["rule"])
        low, high = (record and record.interval) or NO_BOUNDS
        here = {"here": record.value if record else math.nan, "low": low, "high": high}
        rests = {"n": record and record.n, "stored": record.stored if record else ""}
        rests |= {"measured": str(record or ""), "elsewhere": "; ".join(elsewhere)}
        verdicts = {"verdict": self._verdict(claim, record), "former": former or ""}
        return asdict(claim) | here | rests | verdicts

    def _verdict(self, claim: Claim, record: Record | None) -> str:
        if record:
            return claim.verdict(record)
        if not (self._notebooks / f"{claim.notebook}.ipynb").exists():
            return f"not yet tested: chapter {claim.notebook[:2]} to come"
        tested = claim.tested_at(self._records.parent.name)
        return Verdict.UNRECORDED if tested else Verdict.UNTESTED


def _numbered(place: str) -> str:
    return re.sub(r"\d+", lambda m: m[0].zfill(4), place)
