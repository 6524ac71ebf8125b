"""The ledger as data: each claim with its words, rule, dates, verdicts and the authors' answer.

`write` puts ledger.json (its form: templates/ledger.schema.json), ledger.csv and ledger.trig, as
nanopublications that are not published, beside the report.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import jinja2
import jsonschema
import pandas as pd
import yaml

from . import ledger_dates, workspace
from .chapters import Book
from .claims import Claims
from .results import manifest

OURS = "Ours"  # the paper of our own claims
SCHEMA = "ledger.schema.json"


class Came(StrEnum):
    """When the rule of a claim was committed, as its git history and that of its runs tell."""

    BEFORE = "before the runs"
    AMENDED = "before the runs, amended since"
    AFTER = "when some runs were known"
    ANEW = "no stored runs to compare"


def entries(book: Book) -> list[dict[str, Any]]:
    """Return the rows of `Claims.verdicts` with what else is known of a claim, by field.

    These are permalink, quote, history (its rules, the one that judges last), runs, rule_came and
    dispute. ValueError for an answer of authors that lacks a field or its claim.
    """
    ledger = Claims.load(book.root / "data" / "claims.yaml", scale=book.scale).verdicts()
    files = (ledger_dates.FILE.name, "sources.yaml", "disputes.yaml")
    dated, sources, disputes = (_read(book.root / "data" / name) for name in files)
    for claim, answer in disputes.items():
        if claim not in ledger.index or {"by", "date", "says"} - answer.keys():
            raise ValueError(f"disputes.yaml: {claim}: give a claim's id, and by, date and says")
    made = manifest(book.root / "results")
    last = {n: {"last": made[n]["dates"][1]} for n in made if "dates" in made[n]}
    found = []
    for row in ledger.reset_index().to_dict("records"):
        source, rules = sources.get(row["id"], {}), dated.get("rules", {}).get(row["id"], [])
        ran = dated.get("runs", {})
        names = source.get("runs", [])
        runs = [{"study": n, **ran.get(n, {}), **last.get(n, {})} for n in names]
        row["permalink"] = f"{row['notebook']}.html#claim-{row['id']}"
        row["quote"] = {k: source[k] for k in ("words", "at")} if "words" in source else None
        row["history"] = [rule | _past(row, rule["rule"]) for rule in rules]
        row["n"] = None if pd.isna(row["n"]) else int(row["n"])
        row |= {"runs": runs, "rule_came": came(row, rules, runs)}
        row["changed"] = row["former"] not in ("", row["verdict"])  # by an amendment
        found.append(row | {"dispute": disputes.get(row["id"])})
    return found


def _past(row: Mapping[str, Any], rule: Mapping[str, str]) -> dict[str, str]:
    """Return the verdict of today's figure by a rule of a claim's, and why the rule is there."""
    former = rule != row["rule"]
    reason = "" if former else row["amended"].get("reason", "")
    return {"verdict": str(row["former" if former else "verdict"]), "reason": reason}


def came(
    row: Mapping[str, Any], rules: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]
) -> Came:
    """Tell whether a claim's rule was committed before the earliest of its stored runs was made.

    Examples
    --------
    >>> rules = [{"rule": {"holds": "n > 1"}, "date": "2026-01-01T00:00:00+00:00"}]
    >>> row = {"rule": {"holds": "n > 1"}, "known": ""}
    >>> print(came(row, rules, [{"study": "a", "run": "2026-01-01T00:01+00:00"}]))
    before the runs
    >>> print(came(row, rules, [{"study": "a", "run": "2025-12-31T23:59+00:00"}]))
    when some runs were known
    """
    if not runs:
        return Came.ANEW
    dated = [datetime.fromisoformat(run["run"]) for run in runs if "run" in run]
    earlier = [r["rule"] for r in rules if datetime.fromisoformat(r["date"]) < min(dated)]
    if len(dated) < len(runs) or not earlier or row["known"]:
        return Came.AFTER
    return Came.BEFORE if row["rule"] in earlier else Came.AMENDED


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rules came when, and of those before the runs, with their chapter's text."""
    found = dict.fromkeys(Came, 0) | Counter(row["rule_came"] for row in rows)
    early = [row for row in rows if row["rule_came"] == Came.BEFORE]
    together = sum(_judging(row)["with_chapter"] for row in early)
    return {**found, "before the runs, in one commit with the chapter": together}


def write(book: Book, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write `entries` into reports/ as JSON with its schema, CSV and nanopublications."""
    reports, templates = book.root / "reports", book.root / "templates"
    schema = (templates / SCHEMA).read_text(encoding="utf-8")
    fields = json.loads(schema)["$defs"]["claim"]["properties"]
    document = {
        "$schema": SCHEMA,
        "scale": book.scale,
        "revision": workspace.revision(),
        "rules": counts(rows),
        "claims": [{name: _plain(row[name]) for name in fields} for row in rows],
    }
    jsonschema.validate(document, json.loads(schema))
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), trim_blocks=True)
    environment.filters["aida"] = quote_plus
    papers = [claim for claim in document["claims"] if claim["paper"] != OURS]
    nanopublications = environment.get_template("ledger.trig.j2").render(claims=papers)
    files = {SCHEMA: schema, "ledger.json": text, "ledger.trig": nanopublications}
    files["ledger.csv"] = pd.DataFrame(map(_flat, document["claims"])).to_csv(index=False)
    for name, content in files.items():
        (reports / name).write_text(content, encoding="utf-8")


def _judging(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry in a claim's history of the rule by which it is judged; {} if undated."""
    return next((past for past in row["history"] if past["rule"] == row["rule"]), {})


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _flat(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim as a row of the CSV: of lists, the rule that judges and the earliest run."""
    judging, quote = _judging(claim), claim["quote"] or {}
    row = {name: value for name, value in claim.items() if name not in ("history", "dispute")}
    row |= {"quote": quote.get("words"), "at": quote.get("at")}
    row |= {"rule": claim["rule"]["holds"], "rule, in part": claim["rule"].get("partly")}
    row |= {"rule committed": judging.get("date"), "rule's commit": judging.get("commit")}
    row["runs"] = ", ".join(run["study"] for run in claim["runs"])
    row["first run"] = min((run["run"] for run in claim["runs"] if "run" in run), default=None)
    return row | {"disputed": bool(claim["dispute"])}


def _read(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return yaml.load(text, Loader=yaml.CSafeLoader) or {}
