"""The ledger: what the papers claim, what was measured here, and the verdicts.

A verdict follows from a rule written beforehand, with a condition for "holds" and perhaps a weaker
one for "holds in part"; what meets neither does not hold. A condition compares ``value``, a bound
``low`` or ``high`` of its interval, or the number ``n`` of runs by ``< <= > >= ==`` or ``!=``::

    rule: {holds: "value >= 0.9 and low > 0.8", partly: "value >= 0.5"}

A figure with an interval is judged at three points: itself and both ends, as if each were all that
was measured. Where they differ, the verdict is undecided. Where readings of the paper's text that
data/claims.yaml names differ, it depends on the reading. A record in a second world is judged by
the same rule, beside the verdict.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from tres_webs.checks import one_of
from tres_webs.files import DATA

from ..code_hash import code_hash
from ..intervals import mean_interval
from . import findings, workspace
from .study import facts_hash

log = logging.getLogger(__name__)
_COLUMNS = (
    "id paper place claim kind value measure rule notebook known amended here low high n stored"
    " measured verdict readings elsewhere"
)
KINDS = ("number", "order", "shape", "identity")
_NO_BOUNDS = (math.nan, math.nan)
FORMER = "former measure"  # the world of what an amended claim measured before


class Verdict(StrEnum):
    """What became of a claim, as readers see it."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    FAILS = "does not hold"
    READING = "depends on the reading"
    UNMET = "assumptions not met"
    UNTESTED = "not tested at this scale"
    UNRECORDED = "not recorded"


DEGREES = (Verdict.HOLDS, Verdict.PARTLY, Verdict.FAILS)  # from best to worst
#: The verdict of a figure whose ends differ, by the best and the worst of them.
UNDECIDED = {pair: "undecided between {} and {}".format(*pair) for pair in combinations(DEGREES, 2)}


PLURAL: dict[str, str] = {
    Verdict.HOLDS: "hold",
    Verdict.PARTLY: "hold in part",
    Verdict.FAILS: "do not hold",
    **dict.fromkeys(UNDECIDED.values(), "undecided"),
    Verdict.READING: "depend on the reading",
    Verdict.UNMET: "rest on assumptions not met",
}


class Found(NamedTuple):
    """What was measured for a claim, as `Claims.record` takes it."""

    value: float
    interval: tuple[float, float] | None
    n: int
    stored: str
    among: Sequence[Sequence[float]] = ()  # value and interval of all whose worst this is

    @classmethod
    def mean(cls, values: pd.Series, stored: str) -> Found:
        """Return the mean of independent runs, with its interval."""
        value, low, high = mean_interval(values)
        return cls(value, (low, high), len(values), stored)

    @classmethod
    def least(cls, table: pd.DataFrame, stored: str) -> Found:
        """Return the smallest mean of `summarise`, on which a claim for all its rows rests."""
        return cls._one(table, table["mean"].idxmin(), stored)

    @classmethod
    def most(cls, table: pd.DataFrame, stored: str) -> Found:
        """Return the largest mean of `summarise`, on which a claim for all its rows rests."""
        return cls._one(table, table["mean"].idxmax(), stored)

    @classmethod
    def _one(cls, table: pd.DataFrame, index: int, stored: str) -> Found:
        row, several = table.loc[index], table[["mean", "low", "high"]].to_numpy().tolist()
        ends = row["low"], row["high"]
        return cls(row["mean"], ends, int(row["n"]), stored, several if len(table) > 1 else ())


@dataclass(frozen=True)
class Record:
    """What a notebook measured for one claim; the fields are arguments of `Claims.record`."""

    id: str
    value: float
    interval: tuple[float, float] | None
    n: int | None
    scale: str
    stored: str = ""
    world: str = ""
    assumed: bool = True
    reading: str = ""
    among: Sequence[Sequence[float]] = ()  # value, low, high of all whose worst this is

    def __str__(self) -> str:
        """Return e.g. "0.912 [0.88, 0.94], n = 3, stored: 300 days"."""
        interval = " [{}, {}]".format(*map(_short, self.interval)) if self.interval else ""
        runs = f", n = {self.n}" if self.n is not None else ""
        return f"{_short(self.value)}{interval}{runs}{self.stored and f', stored: {self.stored}'}"


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, an entry of data/claims.yaml."""

    id: str
    paper: str
    place: str  # where the paper makes it
    claim: str  # in one line
    kind: str  # one of KINDS
    value: str  # the paper's figure
    measure: str  # what the notebook records, with its unit
    rule: Mapping[str, str]  # conditions by which it ``holds``, or holds ``partly``
    notebook: str
    scale: str = "default"  # the smallest to apply the rule at
    known: str = ""  # of the runs when the rule was entered
    # What judged before, the latest first: rule, date and reason; `measure` if that was another,
    # `figure` if no chapter makes it any longer.
    amended: Sequence[Mapping[str, Any]] = ()
    readings: Sequence[str] = ()  # of the paper's text, each recorded; the first one's figure leads

    def __post_init__(self) -> None:
        one_of(f"kind of {self.id}", self.kind, KINDS)
        workspace.scale(self.scale)
        changes = [self.amended] if isinstance(self.amended, Mapping) else self.amended
        object.__setattr__(self, "amended", tuple(changes))
        for rule in (self.rule, *(change["rule"] for change in self.amended)):
            if "holds" not in rule or set(rule) - {"holds", "partly"}:
                raise ValueError(f"rule of {self.id}: {rule} needs 'holds', may have 'partly'")
            for condition in rule.values():
                meets(condition, Record(self.id, 0.0, None, 0, self.scale))

    def verdict(self, record: Record, rule: Mapping[str, str] | None = None) -> str:
        """Apply a rule, by default that of the claim, to a figure and the ends of its interval."""
        rule = rule or self.rule
        if not record.stored and not self.tested_at(record.scale):
            return Verdict.UNTESTED
        if not record.assumed:
            return Verdict.UNMET
        if record.interval is None:
            return _degree(rule, record)
        points = (record.value, *record.interval)
        found = {_degree(rule, replace(record, value=x, interval=(x, x))) for x in points}
        best, *worse = [degree for degree in DEGREES if degree in found]
        return UNDECIDED[best, worse[-1]] if worse else best

    def over(self, records: Sequence[Record], scale: str) -> str:
        """Return the verdict of this scale's records, one or one of each reading of the text.

        What is not tested at this scale, or lacks a reading, is said before readings are compared.
        """
        verdicts = {self.verdict(record) for record in records}
        if Verdict.UNTESTED in verdicts or not (records or self.tested_at(scale)):
            return Verdict.UNTESTED
        if not records or {record.reading for record in records} < set(self.readings):
            return Verdict.UNRECORDED
        return verdicts.pop() if len(verdicts) == 1 else Verdict.READING

    def in_a_line(self, record: Record) -> str:
        """Return a record in a line: of the worst of several, how many of them decide, too."""
        if not record.among:
            return str(record)
        each = (
            replace(record, value=value, interval=bounds(low, high), stored="-", assumed=True)
            for value, low, high in record.among
        )
        found = Counter(PLURAL[self.verdict(one)] for one in each)
        words = [f"{found[word]} {word}" for word in dict.fromkeys(PLURAL.values()) if found[word]]
        return f"{record}, worst of {len(record.among)}: {', '.join(words)}"

    def tested_at(self, scale: str) -> bool:
        """Tell whether the rule may be applied at `scale`."""
        return workspace.SCALES.index(scale) >= workspace.SCALES.index(self.scale)


def _short(value: float) -> str:
    """Return three digits, or all before the point."""
    return f"{value:.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def bounds(low: float, high: float) -> tuple[float, float] | None:
    """Return an interval, None if a bound is nan."""
    return None if math.isnan(low) or math.isnan(high) else (float(low), float(high))


def _degree(rule: Mapping[str, str], record: Record) -> Verdict:
    for degree, verdict in (("holds", Verdict.HOLDS), ("partly", Verdict.PARTLY)):
        if degree in rule and meets(rule[degree], record):
            return verdict
    return Verdict.FAILS


def meets(condition: str, record: Record) -> bool:
    """Tell whether a record meets every term of a condition; a bound that is missing meets none."""
    low, high = record.interval or _NO_BOUNDS
    n = math.nan if record.n is None else record.n
    values = {"value": record.value, "low": low, "high": high, "n": n}
    try:
        return all([findings.holds(term, values) for term in str(condition).split(" and ")])
    except (KeyError, ValueError) as error:
        raise ValueError(f"rule: {condition!r} is no condition: {error}") from error


class Claims:
    """The claims of data/claims.yaml, by id, with what was recorded for them at this scale.

    Examples
    --------
    >>> words = {"claim": "It is best.", "kind": "order", "value": "by 2", "measure": "points"}
    >>> place = {"paper": "TRES", "place": "Table 3", "notebook": "05-x"}
    >>> best = Claim("best", **words, **place, rule={"holds": "value > 1", "partly": "value > 0"})
    >>> claims = Claims({"best": best}, Path("build"), "default")
    >>> print(claims.record("best", 0.8, interval=(0.5, 0.9), n=3, scale="default"))
    holds in part
    >>> print(claims.record("best", 0.8, interval=(0.5, 1.1), n=3, scale="default"))
    undecided between holds and holds in part
    """

    chapter = ""  # such as "09", that of `table`

    def __init__(self, claims: Mapping[str, Claim], records: Path, scale: str) -> None:
        self.by_id, self.scale, self._records = claims, scale, records
        self._played: dict[Path, Record] = {}  # not stored, by the file that each would have

    @classmethod
    def load(cls, path: str | Path | None = None, *, scale: str | None = None) -> Claims:
        """Read a ledger in YAML, by default data/claims.yaml, with the records of a scale.

        ValueError if it is no YAML, or an entry is unknown.
        """
        path = Path(path or DATA / "claims.yaml")
        scale = workspace.scale(scale)
        if not path.is_file():
            raise ValueError(f"path: {path} is no file; name a ledger in YAML")
        try:
            entries = findings.read_yaml(path)
        except yaml.YAMLError as error:
            raise ValueError(f"path: {path} is not valid YAML: {error}") from error
        claims = {}
        for name, fields in entries.items():
            try:
                claims[name] = Claim(name, **fields)
            except TypeError as error:
                raise ValueError(f"claims: {name}: {error}") from error
        return cls(claims, workspace.build_dir() / scale / "claims", scale)

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
        reading: str = "",
        among: Iterable[Sequence[float]] = (),
    ) -> str:
        """Judge what was measured for a claim; ValueError without the claim.

        The runner's records are stored. In a notebook run by hand they last as long as this object.

        Parameters
        ----------
        value : float
            In the unit of the claim's `measure`, finite; True and False count as 1 and 0.
        interval, n : pair of float, int, optional
            95 % interval, rising (nan bounds count as none), and number of independent runs.
        stored : str
            If it rests on runs in results/, how long they are; it is then judged at any scale.
        world : str
            A second world or reading, whose verdict stands beside the claim's.
        assumed : bool
            False if the premises of the claim fail here, or no run can miss it.
        reading : str
            One of the claim's readings of the text; each of them must be recorded.
        among : iterable of triples of float
            Value, low and high of each estimate, if this is the worst of several.
        """
        if id not in self.by_id:
            raise ValueError(f"id: no claim {id!r}; see data/claims.yaml")
        claim = self.by_id[id]
        if not world and (reading or claim.readings):
            one_of(f"reading of {id}", reading, list(claim.readings))
        if not math.isfinite(value):
            raise ValueError(f"value: {value} is not finite; record a number, or nothing at all")
        low, high = map(float, interval or _NO_BOUNDS)
        if low > high:
            raise ValueError(f"interval: ({low}, {high}) is upside down; give (low, high)")
        figure = (id, float(value), bounds(low, high), n and int(n), workspace.scale(scale))
        several = [[float(x) for x in one] for one in among]
        record = Record(*figure, stored, world, bool(assumed), reading, several)
        name = re.sub(r"[^\w.@-]+", "-", "@".join(filter(None, (id, world, reading))))
        file = self._records / f"{name}.json"
        if os.environ.get("TRES_RECORD"):  # which the runner alone sets
            file.parent.mkdir(parents=True, exist_ok=True)
            facts = asdict(record)
            facts["hash"] = facts_hash(facts | _judge())
            file.write_text(json.dumps(facts, indent=1) + "\n")
        else:
            self._played[file] = record
        return claim.verdict(record)

    def verdicts(self, notebook: str | None = None) -> pd.DataFrame:
        """Return the ledger, or a part by notebook or number, by paper, chapter and place.

        Indexed by id, with the fields of `Claim` and here (nan: not recorded), low, high, n,
        stored, measured (all in a line), verdict, readings (their records) and elsewhere. Each
        of amended also has the figure and the verdict by the rule as it was.
        """
        every = self.by_id.values()
        chosen = [c for c in every if notebook in (None, c.notebook, c.notebook.split("-")[0])]
        # Numbers as numbers, so that Table 2 stands before Table 10.
        chosen.sort(key=lambda c: (c.paper, c.notebook, _numbered(c.place)))
        return pd.DataFrame(map(self._row, chosen), columns=_COLUMNS.split()).set_index("id")

    def table(self, notebook: str | None = None) -> pd.DataFrame:
        """Return the table with which a notebook ends: claim, paper, here, verdict, by place."""
        ledger = self.verdicts(notebook or self.chapter)
        played = ledger.index.isin([record.id for record in self._played.values()])
        ledger.loc[played, "verdict"] += f" ({Verdict.UNRECORDED})"
        table = ledger.assign(paper=ledger["value"], here=ledger["measured"]).set_index("place")
        last = ["elsewhere"] if ledger["elsewhere"].any() else []
        several = table["elsewhere"].str.split("; ")
        more = several.str.len().map(lambda n: f"; {n - 2} more in the ledger" if n > 2 else "")
        table["elsewhere"] = several.str[:2].str.join("; ") + more
        return table[["claim", "paper", "here", "verdict", *last]]

    def answer(self) -> Any:
        """Return what came out in this chapter, a list in Markdown; see `findings`.

        Before it stands what came out in this session, if that is not recorded.
        """
        from IPython.display import Markdown

        lines = [f"- {sentence}" for sentence in findings.said(self.chapter)]
        if self._played:
            table = self.table()
            own = table[table["verdict"].str.endswith(f"({Verdict.UNRECORDED})")]
            found = [f"- {row.claim} *{row.verdict}*: {row.here}" for row in own.itertuples()]
            lines = ["In this session:", "", *found, "", "In the study:", "", *lines]
        return Markdown("\n".join(lines))

    def records(self) -> list[Record]:
        """Return all records of this scale, in the order of data/claims.yaml."""
        return [record for claim in self.by_id.values() for record in self._read(claim.id)]

    def missing(self, notebook: str | None = None) -> list[str]:
        """Return the ids, of one notebook or of all, that lack a record though it exists."""
        return list(self.verdicts(notebook).query("verdict == @Verdict.UNRECORDED").index)

    def forget(self, notebook: str) -> None:
        """Delete the records of a notebook's claims, before it runs again."""
        for claim in self.by_id.values():
            if claim.notebook == notebook:
                for file in self._files(claim.id):
                    file.unlink()

    def _files(self, id: str) -> list[Path]:
        return [*self._records.glob(f"{id}.json"), *sorted(self._records.glob(f"{id}@*.json"))]

    def _read(self, id: str) -> list[Record]:
        """Return a claim's records, but those that were changed after they were written."""
        found = []
        for file in self._files(id):
            facts = json.loads(file.read_text(encoding="utf-8"))
            if facts.pop("hash", "") == facts_hash(facts | _judge()):
                found.append(Record(**facts))
            else:
                log.debug("%s is not as it was written, or by other code", file)
        return found

    def _row(self, claim: Claim) -> dict[str, Any]:
        played = [self._played[f] for f in sorted(self._played) if self._played[f].id == claim.id]
        every = played or self._read(claim.id)
        ours = [record for record in every if not record.world]
        ours.sort(key=lambda r: [*claim.readings, ""].index(r.reading))
        aside = {r.world: r for r in every if r.world}
        record = ours[0] if ours else None
        before = aside.pop(FORMER, record)
        texts = [claim.in_a_line(r) for r in ours]
        if claim.readings:
            each = zip(ours, texts, strict=True)
            texts = [f"{r.reading}: {text} ({claim.verdict(r)})" for r, text in each]
        amended = []
        for change in claim.amended:
            then = before if "measure" in change else record
            if "figure" in change:
                then = Record(claim.id, **change["figure"], scale="default")
            verdict = claim.verdict(then, change["rule"]) if then else ""
            amended.append({**change, "figure": str(then or ""), "verdict": verdict})
        figure = record or Record(claim.id, math.nan, None, None, "")
        low, high = figure.interval or _NO_BOUNDS
        return asdict(claim) | {
            "amended": amended,
            "here": figure.value,
            "low": low,
            "high": high,
            "n": figure.n,
            "stored": figure.stored,
            "measured": "; ".join(texts),
            "verdict": claim.over(ours, self.scale),
            "readings": ours if claim.readings else [],
            "elsewhere": "; ".join(f"{w}: {claim.verdict(r)} ({r})" for w, r in aside.items()),
        }


@cache
def _judge() -> dict[str, str]:
    """Return the code that records and judges."""
    return {"code": code_hash(__name__)}


def open(chapter: str) -> Claims:
    """Begin a chapter, by its number such as "09": set the style of figures; its claims."""
    from ..plots import use_style  # workers draw nothing

    use_style()
    claims = Claims.load()
    claims.chapter = chapter
    return claims


def _numbered(place: str) -> str:
    return re.sub(r"\d+", lambda m: m[0].zfill(4), place)
