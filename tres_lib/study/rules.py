"""One claim, one measurement, and the verdict by a rule written beforehand.

A rule has a condition for "holds" and may have a weaker one for "holds in part" (key ``partly``);
what meets neither does not hold. A condition compares the recorded value, a bound of its interval
or the number of runs with a number, and conditions are joined by "and"::

    rule: {holds: "value >= 0.9 and low > 0.8", partly: "value >= 0.5"}

The subjects are ``value`` ``low`` ``high`` ``n``, the operators ``< <= > >= == !=``.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tres_lib.study import workspace

KINDS = ("number", "order", "shape", "identity")
HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"
UNTESTED, UNRECORDED = "not tested at this scale", "not recorded"
_OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_CONDITION = re.compile(r"(value|low|high|n)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)")


@dataclass(frozen=True)
class Record:
    """What a notebook measured for one claim: see `Claims.record`."""

    id: str
    value: float
    interval: tuple[float, float] | None
    n: int | None
    scale: str


@dataclass(frozen=True)
class Claim:
    """One claim of a paper: the head of data/claims.yaml explains the fields."""

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

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind of {self.id}: {self.kind!r} is none of {', '.join(KINDS)}")
        workspace.check_scale(self.scale)
        if "holds" not in self.rule or set(self.rule) - {"holds", "partly"}:
            raise ValueError(
                f"rule of {self.id}: {dict(self.rule)} needs 'holds' and may have 'partly'"
            )
        for condition in self.rule.values():
            _terms(condition)

    def verdict(self, record: Record) -> str:
        """Apply the rule to what was recorded."""
        if not self.tested_at(record.scale):
            return UNTESTED
        if meets(self.rule["holds"], record):
            return HOLDS
        return PARTLY if "partly" in self.rule and meets(self.rule["partly"], record) else FAILS

    def tested_at(self, scale: str) -> bool:
        """Tell whether the rule may be applied at `scale`."""
        return workspace.SCALES.index(scale) >= workspace.SCALES.index(self.scale)


def meets(condition: str, record: Record) -> bool:
    """Tell whether a record meets every term of a condition; a bound that is missing meets none."""
    low, high = record.interval or (math.nan, math.nan)
    n = math.nan if record.n is None else record.n
    subjects = {"value": record.value, "low": low, "high": high, "n": n}
    return all(
        not math.isnan(subjects[subject]) and _OPERATORS[sign](subjects[subject], number)
        for subject, sign, number in _terms(condition)
    )


def _terms(condition: str) -> list[tuple[str, str, float]]:
    """Parse "value >= 0.9 and low > 0" into triples."""
    terms = []
    for text in str(condition).split(" and "):
        match = _CONDITION.fullmatch(text.strip())
        if not match:
            raise ValueError(
                f"rule: {text!r} is no condition; write one such as 'value >= 0.9' or 'low > 0'"
            )
        terms.append((match[1], match[2], float(match[3])))
    return terms
