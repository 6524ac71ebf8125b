"""The ledger as data: each claim with its words, rule, dates and verdicts.

`write` puts ledger.json (its form: templates/ledger.schema.json) and ledger.csv beside the report.
When rules and runs were committed is read from data/ledger_dates.json, for a clone may be shallow;
docs/ledger_dates.py writes it.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import jsonschema
import pandas as pd

from tres_webs.files import RESULTS, write_whole

from . import workspace
from .chapters import Book
from .claims import UNDECIDED, Claims, Record
from .findings import LEDGER, entries as recorded, read_yaml
from .results import manifest
from .study import facts_hash

SCHEMA = "ledger.schema.json"


class Came(StrEnum):
    """When the rule of a claim was committed, beside the earliest of its stored runs."""

    BEFORE = "before the runs"
    AMENDED = "before the runs, amended since"
    AFTER = "not before the first run"
    ANEW = "no stored runs to compare"


def entries(book: Book) -> list[dict[str, Any]]:
    """Return the rows of `Claims.verdicts` by field, with what else the schema has of a claim."""
    claims = Claims.load(book.root / "data" / "claims.yaml", scale=book.scale)
    ledger = claims.verdicts()
    dated, sources = (
        read_yaml(book.root / "data" / n) for n in ("ledger_dates.json", "sources.yaml")
    )
    made, ran = manifest(book.root / "results"), dated.get("runs", {})
    last = {name: {"last": made[name]["dates"][1]} for name in made if "dates" in made[name]}
    rows = ledger.reset_index().to_dict("records")
    for row in rows:
        source, rules = sources.get(row["id"], {}), dated.get("rules", {}).get(row["id"], [])
        names = source.get("runs", [])
        runs = [{"study": n, **ran.get(n, {}), **last.get(n, {})} for n in names]
        judging: dict[str, Any] = next((rule for rule in rules if rule["rule"] == row["rule"]), {})
        row |= {name: None for name in ("here", "low", "high", "n") if pd.isna(row[name])}
        row |= {
            "n": row["n"] and int(row["n"]),
            "permalink": f"{row['notebook']}.html#claim-{row['id']}",
            "quote": {k: source[k] for k in ("words", "at")} if "words" in source else None,
            "rule_came": came(row, rules, runs),
            "rule_commit": judging.get("commit"),
            "rule_date": judging.get("date"),
            "with_chapter": judging.get("with_chapter"),
            "changed": any(was["verdict"] != row["verdict"] for was in row["amended"]),
            "readings": [_reading(record, claims) for record in row["readings"]],
            "history": [rule | _past(row, rule["rule"]) for rule in rules],
            "runs": runs,
        }
    return rows


def _reading(record: Record, claims: Claims) -> dict[str, Any]:
    low, high = record.interval or (None, None)
    figure = {"here": record.value, "low": low, "high": high, "n": record.n}
    verdict = claims.by_id[record.id].verdict(record)
    return {"reading": record.reading, **figure, "verdict": verdict}


def _past(row: Mapping[str, Any], rule: Mapping[str, str]) -> dict[str, str]:
    """Return the verdict by a rule of a claim's, and why the rule is there."""
    verdicts = [row["verdict"], *(change["verdict"] for change in row["amended"])]
    rules = [row["rule"], *(change["rule"] for change in row["amended"])]  # the latest first
    reasons = [*(change["reason"] for change in row["amended"]), ""]  # for which each came
    past = zip(rules, verdicts, reasons, strict=True)
    found = ({"verdict": v, "reason": why} for one, v, why in past if one == rule)
    return next(found, {"verdict": "", "reason": ""})


def came(
    row: Mapping[str, Any], rules: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]
) -> Came:
    """Tell when a claim's rule came, by the dates of its `rules` and of the earliest `runs`."""
    if not runs:
        return Came.ANEW
    if row["known"] or not all("run" in run for run in runs):
        return Came.AFTER
    first = min(datetime.fromisoformat(run["run"]) for run in runs)
    earlier = [rule["rule"] for rule in rules if datetime.fromisoformat(rule["date"]) < first]
    if not earlier:
        return Came.AFTER
    return Came.BEFORE if row["rule"] in earlier else Came.AMENDED


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rules came when, and how many of the first together with their chapter."""
    together = sum(row["rule_came"] == Came.BEFORE and row["with_chapter"] for row in rows)
    found = {came: 0 for came in Came} | Counter(row["rule_came"] for row in rows)
    return {**found, "before the runs, in one commit with the chapter": together}


def in_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return `counts` in a sentence."""
    found = counts(rows)
    *_, together = found.values()
    return (
        f"Git shows that {found[Came.BEFORE] - together} of {len(rows)} rules are older than their "
        f"stored runs. Another {together} were committed with their chapter and may be older. "
        f"{found[Came.AMENDED]} were older and were amended later. {found[Came.AFTER]} are not "
        f"shown to be older; {found[Came.ANEW]} have no stored runs."
    )


def write(book: Book, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write `entries` beside the pages as JSON with its schema, and as CSV."""
    schema = (book.root / "templates" / SCHEMA).read_text(encoding="utf-8")
    fields = json.loads(schema)["$defs"]["claim"]["properties"]
    claims = [{name: row[name] for name in fields} for row in rows]
    by_paper: dict[str, Counter[str]] = {}
    for row in rows:
        kind = "undecided" if row["verdict"] in UNDECIDED.values() else row["verdict"]
        by_paper.setdefault(row["paper"], Counter())[kind] += 1
    document = {
        "$schema": SCHEMA,
        "scale": book.scale,
        "revision": workspace.revision(),
        "rules": counts(rows),
        "verdicts": by_paper,
        "claims": claims,
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n"
    jsonschema.validate(json.loads(text), json.loads(schema))
    table = pd.json_normalize(claims).drop(
        columns=["history", "amended", "runs", "quote", "readings"], errors="ignore"
    )
    files = {SCHEMA: schema, "ledger.json": text, "ledger.csv": table.to_csv(index=False)}
    for name, content in files.items():
        (book.reports / name).write_text(content, encoding="utf-8")


def verdicts() -> pd.DataFrame:
    """Return the verdict of each claim by results/ledger.json, with its paper, by id."""
    there = [(one["id"], one) for one in recorded() if not one["world"]]
    rows = {}
    for claim in Claims.load(scale="default").by_id.values():
        ours = [_record(entry) for id, entry in there if id == claim.id]
        verdict = claim.over(ours, "default") if ours else ""
        rows[claim.id] = {"paper": claim.paper, "verdict": verdict}
    return pd.DataFrame.from_dict(rows, orient="index")


def _record(entry: Mapping[str, Any]) -> Record:
    facts = {name: value for name, value in entry.items() if name != "hash"}
    return Record(**facts, scale="default", stored="-")


def differences(claims: Claims) -> list[str]:
    """Return the ids of records that are not those of results/ledger.json."""
    now, there = _snapshot(claims), recorded()
    return sorted({one["id"] for one in now + there if one not in now or one not in there})


def keep(claims: Claims) -> None:
    """Write the records into results/ledger.json, a line each; ValueError if one is missing."""
    if missing := claims.missing():
        problem = f"{len(missing)} claims have no record of today's code, such as {missing[0]}"
        raise ValueError(f"{problem}: run make reproduce first")
    lines = ",\n".join(json.dumps(record) for record in _snapshot(claims))
    write_whole(RESULTS / LEDGER, f"[\n{lines}\n]\n")


def _snapshot(claims: Claims) -> list[dict[str, Any]]:
    found = []
    for record in claims.records():
        ends = record.interval and [_rounded(x) for x in record.interval]
        names = {"id": record.id, "world": record.world, "reading": record.reading}
        figure = {"value": _rounded(record.value), "interval": ends, "n": record.n}
        facts = names | figure | {"assumed": record.assumed}
        found.append(facts | {"hash": facts_hash(facts)})
    return found


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")  # so that machines agree
