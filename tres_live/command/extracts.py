"""The relevant pages with their texts, for other programs: CSV, Parquet, JSON lines, Markdown."""

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from html import escape
from pathlib import Path

import pandas as pd

from tres_lib.extras import extra
from tres_lib.store import whole_file
from tres_lib.web import Page, ReplayWeb
from tres_lib.web.page import FetchError
from tres_lib.web.reader import printable

from .exports import write_table

FILES = {
    "csv": "relevant.csv",
    "parquet": "relevant.parquet",
    "jsonl": "relevant.jsonl",
    "markdown": "relevant.md",
}

logger = logging.getLogger(__name__)


def write_texts(pages: pd.DataFrame, folder: Path, kinds: Iterable[str]) -> list[Path]:
    """Write a table of `with_texts` in each of the formats; return the files."""
    files = [folder / FILES[kind] for kind in kinds]
    for file in files:
        if file.suffix != ".md":
            write_table(pages, file)
            continue
        with whole_file(file) as draft:
            draft.write_text(as_markdown(pages), encoding="utf-8")
    return files


def with_texts(
    pages: pd.DataFrame, read: Mapping[str, Page], archives: Iterable[Path]
) -> pd.DataFrame:
    """Return a table of pages with ``language`` (ISO 639-1), ``date`` and ``text``.

    `read` has the pages by the table's ``url``, the WARC files their documents. The date, as
    YYYY-MM-DD, is that of the first publication as the document claims it; "" if it claims none.
    Without the extra ``text`` both columns are "", and a warning says so.
    """
    texts = [read[url].text if url in read else "" for url in pages["url"]]
    found = pages.assign(language="", date="", text=texts)
    try:
        with extra("text"):
            import htmldate
            import py3langid
    except ImportError as missing:
        logger.warning("no language and no date of pages: %s", missing)
        return found
    web = ReplayWeb.from_warc(archives)

    def publication(url: str) -> str:
        with suppress(FetchError):
            if html := web.fetch(url).html:
                return htmldate.find_date(html, extensive_search=False, original_date=True) or ""
        return ""

    spoken = [str(py3langid.classify(text)[0]) if text.strip() else "" for text in texts]
    return found.assign(language=spoken, date=list(map(publication, pages["url"])))


def as_markdown(pages: pd.DataFrame) -> str:
    """Return the pages one below the other: title, facts and text, in which markup is escaped."""
    parts = []
    for row in pages.to_dict("records"):
        title = " ".join(row["title"].split()) or row["url"]
        facts = filter(None, (f"<{row['url']}>", row["language"], row["date"], f"p {row['p']:.2f}"))
        body = escape(row["text"].strip(), quote=False)
        parts.append(f"# {escape(title, quote=False)}\n\n{' · '.join(facts)}\n\n{body}\n")
    return printable("\n".join(parts))
