"""Files of a crawl, for people and for other programs: CSV, Parquet, JSON lines, an HTML table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tres_lib.focused.result import CrawlResult
from tres_lib.topics.keywords import KeywordMatcher
from tres_webs.checks import instance, one_of, texts
from tres_webs.files import whole_file, write_whole
from tres_webs.page import Page
from tres_webs.reader import printable

from ..topic.few import prose
from ..topic.report import POLICY, snippet, word_weights

# Where a spreadsheet begins a cell, also one that parts them at semicolons, and makes it a formula.
FORMULA = re.compile(r'(^|[;\t\r\n])(?=[\s"]{0,99}[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])')
TEMPLATE = Path(__file__).with_name("relevant.html.j2")
MARKUP = re.compile(r"[\\`*_{}\[\]<>#|!~&]")
BLOCK = re.compile(r"^(\s{0,99}\d{0,9})([-+=.)])", re.M)  # of a list or a heading
WORDS = 3  # of a page that are named
WITH_WORDS = 500  # pages at most, since a page costs some ten milliseconds
TABLES = ("csv", "parquet", "jsonl")
FILES = {kind: f"log.{kind}" for kind in TABLES} | {"html": "relevant.html"}


def export(
    result: CrawlResult,
    folder: str | Path,
    kinds: Sequence[str] = ("csv", "parquet", "html"),
    pages: pd.DataFrame | None = None,
) -> dict[str, Path]:
    """Write a crawl's log as CSV and Parquet, and its relevant pages as an HTML table.

    Whatever stems from a page is text there: escaped in HTML; in CSV with an apostrophe before
    what a spreadsheet would compute. The folder is made if need be; the files come back by kind.

    Parameters
    ----------
    kinds : sequence of str
        Of "csv", "parquet", "html" and "jsonl" (the log, a row a line, null for NaN).
    pages : DataFrame, optional
        The relevant pages, with what `with_snippets` adds for the HTML table.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import tres_live
    >>> import tres_webs as web
    >>> from tres_lib import focused
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
    names = {kind: FILES[one_of("kinds", kind, list(FILES))] for kind in texts("kinds", kinds)}
    files = {kind: Path(folder) / name for kind, name in names.items()}
    Path(folder).mkdir(parents=True, exist_ok=True)
    for kind, file in files.items():
        if kind == "html":
            write_whole(file, as_html(result, pages))
        elif kind == "parquet":
            result.to_parquet(file)
        else:
            write_table(result.log, file)
    return files


def write_table(table: pd.DataFrame, file: Path) -> Path:
    """Write a table as the file's name ends: csv, parquet, jsonl, or of texts md; return it."""
    with whole_file(file) as draft:
        match file.suffix:
            case ".csv":
                harmless(table).to_csv(draft, index=False)
            case ".parquet":
                table.to_parquet(draft, index=False)
            case ".md":
                draft.write_text(as_markdown(table), encoding="utf-8")
            case _:
                lines = {"orient": "records", "lines": True, "date_format": "iso"}
                table.to_json(draft, double_precision=15, **lines)
    return file


def relevant_pages(result: CrawlResult) -> pd.DataFrame:
    """Return the pages that were taken for relevant, seeds included, the surest first.

    Columns: p (the classifier's probability), title, url and step (0: a seed).
    """
    instance("result", result, CrawlResult)
    taken = result.log[result.log["reward"] > 0]
    return taken.sort_values("p", ascending=False, kind="stable")[["p", "title", "url", "step"]]


def with_snippets(
    pages: pd.DataFrame, read: Mapping[str, Page], keywords: Iterable[str], classifier: Any
) -> pd.DataFrame:
    """Return relevant pages with a ``snippet`` of each, and the ``words`` that speak for it most.

    `read` has the pages by the table's ``url``. The words are those of title and snippet, and of
    the first 500 pages alone; there are none without a classifier.
    """
    matcher = KeywordMatcher(keywords)
    texts = [read[url].text if url in read else "" for url in pages["url"]]
    snippets = [snippet(prose(f"\n{text}").strip() or text, matcher) for text in texts]
    words = [""] * len(pages)
    some = zip(pages["title"][: WITH_WORDS * (classifier is not None)], snippets, strict=False)
    for i, (title, text) in enumerate(some):
        table = word_weights(classifier, f"{title}\n{text}", WORDS)
        words[i] = ", ".join(table.loc[table["weight"] > 0, "word"])
    return pages.assign(snippet=snippets, words=words)


def as_html(result: CrawlResult, pages: pd.DataFrame | None = None) -> str:
    """Return a page that lists the relevant pages; it holds no script and loads nothing.

    `pages`: with the columns of `with_snippets`; default `relevant_pages` alone.
    """
    from jinja2 import Environment

    about, pages = result.summary(), relevant_pages(result) if pages is None else pages
    made = Environment(autoescape=True)
    made.filters["shown"] = lambda text: printable(str(text))
    template = made.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(**about, pages=pages.to_dict("records"), csp=POLICY)


def harmless(table: pd.DataFrame) -> pd.DataFrame:
    """Return a copy in which no text is a formula to a spreadsheet, or steers a terminal."""
    table = table.copy()
    for name in table.select_dtypes(["object", "str"]):
        texts = table[name].astype(str)
        table[name] = [FORMULA.sub(r"\1'", printable(text)) for text in texts]
    return table


def escaped(text: str) -> str:
    r"""Return a text that Markdown shows as it is: no link, image, heading, list or HTML.

    Examples
    --------
    >>> print(escaped("# <b>\n1. ![x](y)"))
    \# \<b\>
    1\. \!\[x\](y)
    """
    return BLOCK.sub(r"\1\\\2", MARKUP.sub(r"\\\g<0>", text))


def as_markdown(pages: pd.DataFrame) -> str:
    """Return the pages one below the other: title, facts and text, in which markup is escaped."""
    parts = []
    for row in pages.to_dict("records"):
        title = " ".join(row["title"].split()) or row["url"]
        facts = filter(None, (f"<{row['url']}>", row["language"], row["date"], f"p {row['p']:.2f}"))
        text = escaped(row["text"].strip())
        parts.append(f"# {escaped(title)}\n\n{' · '.join(facts)}\n\n{text}\n")
    return printable("\n".join(parts))
