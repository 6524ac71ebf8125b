"""Files of a crawl, for people and for other programs: CSV, Parquet and an HTML table."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tres_lib.checks import instance, one_of, texts
from tres_lib.focused.result import CrawlResult
from tres_lib.store import whole_file
from tres_lib.web.reader import printable

# Where a spreadsheet begins a cell, also one that parts them at semicolons, and makes it a formula.
FORMULA = re.compile(r'(^|[;\t\r\n])(?=[\s"]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])')
# Autoescaped, and under a policy by which a browser would run no script of a page's making.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{{ topic }}: pages found</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
td, th { padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top }
td { border-top: 1px solid #ddd; overflow-wrap: anywhere }
small { color: #555 }
</style>
</head>
<body>
<h1>{{ topic }}: {{ pages | length }} relevant pages</h1>
<p>{{ fetched }} pages fetched by {{ policy }}; harvest rate
{{ "%.1f" | format(100 * harvest_rate) }} %;
the crawl ended because: {{ stopped }}. The surest come first.</p>
<table>
<tr><th>p</th><th>Page</th><th>Step</th></tr>
{%- for row in pages %}
<tr><td>{{ "%.2f" | format(row.p) }}</td>
<td><a href="{{ row.url }}" rel="noopener noreferrer nofollow">{{ row.title or row.url }}</a><br>
<small>{{ row.url }}</small></td><td>{{ row.step }}</td></tr>
{%- endfor %}
</table>
</body>
</html>
"""


FILES = {"csv": "log.csv", "parquet": "log.parquet", "html": "relevant.html"}


def export(
    result: CrawlResult, folder: str | Path, kinds: Sequence[str] = tuple(FILES)
) -> dict[str, Path]:
    """Write a crawl's log as CSV and Parquet, and its relevant pages as an HTML table.

    Whatever stems from a page is text there: escaped in HTML; in CSV with an apostrophe before
    what a spreadsheet would compute.

    Parameters
    ----------
    result : CrawlResult
    folder : path
        Made if need be.
    kinds : sequence of str
        Of "csv", "parquet" and "html". Default: all.

    Returns
    -------
    dict of str to Path
        The files by kind.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import tres_live
    >>> from tres_lib import focused, web
    >>> small = web.ReplayWeb.from_pages({"http://a.example/": "jazz"})
    >>> options = {"policy": "bfs", "classifier": lambda texts: [1.0] * len(texts)}
    >>> jazz = web.Topic("jazz", ["jazz"])
    >>> result = focused.crawl(small, list(small), jazz, progress=False, **options)
    >>> with TemporaryDirectory() as folder:
    ...     files = tres_live.export(result, folder)
    ...     {kind: file.name for kind, file in files.items()}
    {'csv': 'log.csv', 'parquet': 'log.parquet', 'html': 'relevant.html'}
    """
    instance("result", result, CrawlResult)
    folder = Path(folder)
    chosen = [one_of("kinds", kind, tuple(FILES)) for kind in texts("kinds", kinds)]
    folder.mkdir(parents=True, exist_ok=True)
    files = {kind: folder / FILES[kind] for kind in chosen}
    if "csv" in files:
        with whole_file(files["csv"]) as draft:
            harmless(result.log).to_csv(draft, index=False)
    if "parquet" in files:
        result.to_parquet(files["parquet"])
    if "html" in files:
        with whole_file(files["html"]) as draft:
            draft.write_text(as_html(result), encoding="utf-8")
    return files


def relevant_pages(result: CrawlResult) -> pd.DataFrame:
    """Return the pages that were taken for relevant, the surest first.

    Columns: p (the classifier's probability), title, url and step.
    """
    instance("result", result, CrawlResult)
    found = result.log[(result.log["step"] > 0) & (result.log["reward"] > 0)]
    return found.sort_values("p", ascending=False, kind="stable")[["p", "title", "url", "step"]]


def as_html(result: CrawlResult) -> str:
    """Return a page that lists the relevant pages; it holds no script and loads nothing."""
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(PAGE)
    pages = list(relevant_pages(result).itertuples())
    return printable(template.render(result.summary(), pages=pages))


def harmless(table: pd.DataFrame) -> pd.DataFrame:
    """Return a copy in which no text is a formula to a spreadsheet, or steers a terminal."""
    table = table.copy()
    for name in table.select_dtypes(["object", "str"]):
        texts = table[name].astype(str)
        table[name] = [FORMULA.sub(r"\1'", printable(text)) for text in texts]
    return table


def as_json(row: dict[str, Any]) -> str:
    """Return a row of the log as JSON, null for NaN."""
    return json.dumps({name: None if value != value else value for name, value in row.items()})


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """Write lines into a file, and return its path."""
    with whole_file(path) as draft:
        draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def copied(sources: Iterable[Path], to: Path) -> list[Path]:
    """Copy the files that exist into a folder, and return the copies' paths."""
    targets = {to / source.name: source for source in sources if source.exists()}
    for target, source in targets.items():
        if target.resolve() != source.resolve():
            with whole_file(target) as draft:
                draft.write_bytes(source.read_bytes())
    return list(targets)
