"""The relevant pages with their texts, for other programs: CSV, Parquet, JSON lines, Markdown."""

from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from tres_lib.store import whole_file
from tres_lib.web import Page, ReplayWeb
from tres_lib.web.page import FetchError
from tres_lib.web.reader import printable

from .exports import harmless

FILES = {
    "csv": "relevant.csv",
    "parquet": "relevant.parquet",
    "jsonl": "relevant.jsonl",
    "markdown": "relevant.md",
}


def write_texts(pages: pd.DataFrame, folder: Path, kinds: Iterable[str]) -> list[Path]:
    """Write a table of `with_texts` in each of the formats; return the files."""
    write: dict[str, Callable[[Path], Any]] = {
        "csv": lambda file: harmless(pages).to_csv(file, index=False),
        "parquet": lambda file: pages.to_parquet(file, index=False),
        "jsonl": lambda file: pages.to_json(file, orient="records", lines=True),
        "markdown": lambda file: file.write_text(as_markdown(pages), encoding="utf-8"),
    }
    files = {kind: folder / FILES[kind] for kind in kinds}
    for kind, file in files.items():
        with whole_file(file) as draft:
            write[kind](draft)
    return list(files.values())


def with_texts(
    pages: pd.DataFrame, read: Mapping[str, Page], archives: Iterable[Path]
) -> pd.DataFrame:
    """Return a table of pages with ``language`` (ISO 639-1), ``date`` and ``text``.

    `read` has the pages by the table's ``url``, the WARC files their documents. The date, as
    YYYY-MM-DD, is that of the first publication as the document claims it; "" if it claims none.
    """
    web = ReplayWeb.from_warc(archives)
    texts = [read[url].text if url in read else "" for url in pages["url"]]
    dates = [publication(web, url) for url in pages["url"]]
    return pages.assign(language=list(map(language, texts)), date=dates, text=texts)


def publication(web: ReplayWeb, url: str) -> str:
    """Return the date of a recorded page, YYYY-MM-DD, or "" if none is found."""
    from htmldate import find_date

    try:
        html = web.fetch(url).html
    except FetchError:
        return ""
    found = find_date(html, extensive_search=False, original_date=True) if html else None
    return found or ""


def language(text: str) -> str:
    """Return the code of a text's likeliest language, "" for an empty text."""
    import py3langid

    return str(py3langid.classify(text)[0]) if text.strip() else ""


def as_markdown(pages: pd.DataFrame) -> str:
    """Return the pages one below the other: title, facts and text, in which markup is escaped."""
    parts = []
    for row in pages.to_dict("records"):
        title = " ".join(row["title"].split()) or row["url"]
        facts = filter(None, (f"<{row['url']}>", row["language"], row["date"], f"p {row['p']:.2f}"))
        body = escape(row["text"].strip(), quote=False)
        parts.append(f"# {escape(title, quote=False)}\n\n{' · '.join(facts)}\n\n{body}\n")
    return printable("\n".join(parts))
