"""A claim of a paper, its rule, and the verdict on what was measured.

A verdict follows from a rule written beforehand, with a condition for "holds" and perhaps a weaker
one for "holds in part"; what meets neither does not hold. A condition compares ``value``, a bound
``low`` or ``high`` of its interval, or the number ``n`` of runs by ``< <= > >= ==`` or ``!=``::

    rule: {holds: "value >= 0.9 and low > 0.8", partly: "value >= 0.5"}
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

from . import workspace

KINDS = ("number", "order", "shape", "identity")
_OPERATORS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
_AMENDED = {"rule", "date", "reason"}
NO_BOUNDS = (math.nan, math.nan)
_CONDITION = re.compile(r"(value|low|high|n)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)")


class Verdict(StrEnum):
    """What became of a claim, as readers see it."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    FAILS = "does not hold"
    UNMET = "assumptions not met"
    UNTESTED = "not tested at this scale"
    UNRECORDED = "not recorded"


class Found(NamedTuple):
    """What was measured for a claim, as `Claims.record` takes it."""

    value: float
    interval: tuple[float, float] | None
    n: int
    stored: str


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

    def __str__(self) -> str:
        """Return e.g. "0.912 [0.88, 0.94], n = 3, stored: 300 days"."""
        interval = " [{:.3g}, {:.3g}]".format(*self.interval) if self.interval else ""
        runs = f", n = {self.n}" if self.n is not None else ""
        return f"{self.value:.3g}{interval}{runs}{self.stored and f', stored: {self.stored}'}"


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, an entry of data/claims.yaml.

    Attributes
    ----------
    place, claim : str
        Where the paper makes it, and the claim in one line.
    value, measure : str
        The paper's figure; what the notebook records, with its unit.
    rule : mapping
        Conditions by which it ``holds`` and, optionally, holds ``partly``.
    scale : str
        The smallest at which the rule is applied.
    known : str
        What was known of the runs when the rule was entered; default nothing.
    amended : mapping
        Of a rule that was changed: the former ``rule``, the ``date`` and the ``reason``.
    """

    id: str
    paper: str
    place: str
    claim: str
    kind: str
    value: str
    measure: str
    rule: Mapping[str, str]
    notebook: str
    scale: str = "default"
    known: str = ""
    amended: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind of {self.id}: {self.kind!r} is none of {', '.join(KINDS)}")
        workspace.scale(self.scale)
        if self.amended and set(self.amended) != _AMENDED:
            raise ValueError(f"amended of {self.id}: needs rule, date and reason, and no more")
        for rule in (self.rule, self.amended.get("rule", self.rule)):
            if "holds" not in rule or set(rule) - {"holds", "partly"}:
                raise ValueError(f"rule of {self.id}: {rule} needs 'holds', may have 'partly'")
            for condition in rule.values():
                _terms(condition)

    def verdict(self, record: Record, rule: Mapping[str, str] | None = None) -> Verdict:
        """Apply a rule, by default that of the claim, to what was recorded."""
        rule = rule or self.rule
        if not record.stored and not self.tested_at(record.scale):
            return Verdict.UNTESTED
        if not record.assumed:
            return Verdict.UNMET
        for degree, verdict in (("holds", Verdict.HOLDS), ("partly", Verdict.PARTLY)):
            if degree in rule and meets(rule[degree], record):
                return verdict
        return Verdict.FAILS

    def tested_at(self, scale: str) -> bool:
        """Tell whether the rule may be applied at `scale`."""
        return workspace.SCALES.index(scale) >= workspace.SCALES.index(self.scale)


def meets(condition: str, record: Record) -> bool:
    """Tell whether a record meets every term of a condition; a bound that is missing meets none."""
    low, high = record.interval or NO_BOUNDS
    n = math.nan if record.n is None else record.n
    values = {"value": record.value, "low": low, "high": high, "n": n}
    return all(
        not math.isnan(values[subject]) and _OPERATORS[sign](values[subject], number)
        for subject, sign, number in _terms(condition)
    )


def _terms(condition: str) -> list[tuple[str, str, float]]:
    terms = []
    for text in str(condition).split(" and "):
        match = _CONDITION.fullmatch(text.strip())
        if not match:
            raise ValueError(f"rule: {text!r} is no condition; write one such as 'value >= 0.9'")
        terms.append((match[1], match[2], float(match[3])))
    return terms
