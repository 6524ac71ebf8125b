"""What came out: the sentences of data/findings/, with figures that are stored.

A file a chapter: its ``answer``, a list of sentences, and other `PARTS`. A figure
stands in braces: a record of results/ledger.json by its claim's id, with ``_`` for ``-``, or one of
the chapter's own `figures`. The conditions of ``while`` hold what else a sentence says::

    - says: "Prospector finds {real_prospector_400:.1f|ci} points more than *linear*."
      while: [real_prospector_400.low > 0, lead_of.food > lead_of.sports]

A test fails where a condition does, so that a comparative stays true or is written anew.
"""

from __future__ import annotations

import json
import math
import pkgutil
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import yaml

from tres_webs.files import DATA, RESULTS

LEDGER = "ledger.json"  # in results/: all records of a run at default scale
OURS = "Ours"  # the paper of our own claims
HISTORY = "Ours, history"  # of those on code that has left, which stored runs alone judge
HEADS = {  # the chapters whose findings stand on the front page and in the README
    "05": "TRES",
    "09": "Learning to Crawl",
    "10": "Whittle index",
    "11": "Foragers",
    "12": "Deep web",
    "14": "Prospector, ours",
    "15": "One crawler, ours",
    "17": "Real sites, ours",
}
# Of a chapter's file: its answer and that on the front page; what the front page says, chapter by
# chapter, of the laboratory, of the distance to the optimum, and of the crawler to take.
PARTS = ("answer", "front", "laboratory", "optimum", "take")
_SIGNS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
_CONDITION = re.compile(r"(\S+) (<=|>=|==|!=|<|>) (\S+)")


class Figure(NamedTuple):
    """A number of a text, with the interval and the number of runs it may have.

    Formats are a float's, then ``|ci`` for the interval, ``|abs`` without a sign, ``|%`` times 100.

    Examples
    --------
    >>> "{:.0f|abs|ci} points, {:.0f|%} %".format(Figure(-3.2, -4.1, -2.2), Figure(0.25))
    '3 [2, 4] points, 25 %'
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int | None = None

    def __format__(self, spec: str) -> str:
        form, *how = spec.split("|")
        times = 100 if "%" in how else 1
        numbers = [times * number for number in self[:3]]
        if "abs" in how and numbers[0] < 0:
            numbers = [-numbers[0], -numbers[2], -numbers[1]]
        value, low, high = (f"{number:{form}}" for number in numbers)
        return f"{value} [{low}, {high}]" if "ci" in how and not math.isnan(self.low) else value


def of_table(table: Any, by: str, value: str = "mean") -> SimpleNamespace:
    """Return the rows of `summarise` as figures under the names in a column, "5_2" as ``_5_2``."""
    rows = table.to_dict("records")
    named = {name_of(r[by]): Figure(r[value], r["low"], r["high"], int(r["n"])) for r in rows}
    return SimpleNamespace(**named)


def name_of(text: Any) -> str:
    """Return a text as a name for a sentence's braces."""
    name = re.sub(r"\W", "_", str(text))
    return name if name[:1].isalpha() else f"_{name}"


@cache
def recorded() -> dict[str, Figure]:
    """Return the stored records by name: the claim's id, then its world or reading, if any."""
    found = {}
    for entry in entries():
        parts = filter(None, (entry["id"], entry["world"], entry["reading"]))
        low, high = entry["interval"] or (math.nan, math.nan)
        found[name_of("__".join(parts))] = Figure(entry["value"], low, high, entry["n"])
    return found


@cache
def figures(chapter: str) -> dict[str, Any]:
    """Return all that a chapter's sentences may name: the records, and `figures` of its modules."""
    from .. import chapters

    found: dict[str, Any] = dict(recorded())
    for part in pkgutil.iter_modules(chapters.__path__, f"{chapters.__name__}."):
        if part.name.rpartition(".")[2].startswith(f"c{chapter}_"):
            own = getattr(pkgutil.resolve_name(part.name), "figures", dict)
            found |= own()
    return found


@cache
def sentences(chapter: str) -> dict[str, list[dict[str, Any]]]:
    """Return the entries of a chapter's file, each of `PARTS` a list."""
    parts = read_yaml(DATA / "findings" / f"{chapter}.yaml")
    return {name: _listed(parts.get(name, [])) for name in PARTS}


def is_of(claim: Mapping[str, Any], chapter: str, head: str) -> bool:
    """Tell whether a claim counts for one of `HEADS`: a paper's, or ours of that chapter."""
    ours, here = claim["paper"] == OURS, claim["notebook"][:2] == chapter
    return ours == head.endswith("ours") and (here or claim["paper"] == head)


def _listed(entries: Any) -> list[dict[str, Any]]:
    entries = entries if isinstance(entries, list) else [entries]
    return [{"says": e} if isinstance(e, str) else e for e in entries]


def said(chapter: str, part: str = "answer") -> list[str]:
    """Return a chapter's sentences with their figures; ValueError names one that is not there."""
    found = figures(chapter)
    try:
        return [" ".join(e["says"].split()).format_map(found) for e in sentences(chapter)[part]]
    except (KeyError, AttributeError) as error:
        text = f"data/findings/{chapter}.yaml: no figure {error}; of a new record "
        raise ValueError(text + "`python -m tres_book.study ledger` keeps it") from error


def holds(condition: str, figures: Mapping[str, Any]) -> bool:
    """Tell whether figures meet a condition such as "lead.food.low > 0" or "a < b".

    A name without ``.low`` or ``.high`` stands for the value. What is nan meets none. ValueError
    for what is no condition.
    """
    if not (match := _CONDITION.fullmatch(condition.strip())):
        raise ValueError(f"{condition!r} is no condition; write one such as 'lead.low > 0'")
    left, right = (_number(text, figures) for text in match.group(1, 3))
    return not (math.isnan(left) or math.isnan(right)) and bool(_SIGNS[match[2]](left, right))


def _number(text: str, figures: Mapping[str, Any]) -> float:
    with suppress(ValueError):
        return float(text)
    name, *parts = text.split(".")
    found = figures[name]
    for part in parts:
        found = getattr(found, part)
    return found.value if isinstance(found, Figure) else found


def read_yaml(file: Path) -> dict[str, Any]:
    """Return what a file in YAML or JSON holds; nothing if there is no file."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return yaml.load(text, Loader=yaml.CSafeLoader) or {}  # some seven times as fast as Python's


def entries(folder: str | Path = RESULTS) -> list[dict[str, Any]]:
    """Return the records of results/ledger.json, which `ledger.keep` writes."""
    file = Path(folder) / LEDGER
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
