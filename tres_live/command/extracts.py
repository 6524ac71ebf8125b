"""What leaves a crawl's folder: tables, relevant pages with texts, WARC, links not fetched."""

import logging
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd
from lxml.etree import ParserError
from lxml.html import HTMLParser, document_fromstring, tostring

from tres_webs import FetchError, Page, ReplayWeb
from tres_webs.checks import one_of
from tres_webs.extras import extra
from tres_webs.files import open_file, whole_file, write_whole

from . import exports
from .crawling import CrawlFolder
from .exports import TABLES, write_table
from .files import export_folder
from .status import open_links

FILES = {kind: f"relevant.{kind}" for kind in TABLES} | {"markdown": "relevant.md"}
FORMATS = (*exports.FILES, "markdown", "warc", "urls")

logger = logging.getLogger(__name__)


def write_crawl(folder: CrawlFolder, to: Path, formats: Sequence[str] = ()) -> list[Path]:
    """Write a crawl as it stands into a folder, in all formats or some; return the files.

    Formats are those of `tres_live.export` for the log and the list of relevant pages, those of
    tables and "markdown" for the texts of these, "warc" (the pages) and "urls" (links not yet
    fetched, a URL a line).
    """
    formats = [one_of("format", name, FORMATS) for name in formats] or FORMATS
    export_folder(to, folder.path)
    result = folder.result()
    pages, read = folder.relevant(result)
    tables = [name for name in formats if name in exports.FILES]
    files = list(exports.export(result, to, tables, pages).values())
    archives = [folder.warc] if folder.warc.exists() else []
    if kinds := [name for name in formats if name in FILES]:
        whole = with_texts(pages, read, archives)
        files += [write_table(whole, to / FILES[kind]) for kind in kinds]
    if "warc" in formats:
        for archive in archives:
            files.append(to / archive.name)
            if files[-1].resolve() != archive.resolve():
                with (
                    open_file(archive) as file,
                    whole_file(files[-1]) as draft,
                    draft.open("wb") as copy,
                ):
                    shutil.copyfileobj(file, copy)
    if "urls" in formats:
        files.append(to / "frontier.txt")
        write_whole(files[-1], "".join(f"{url}\n" for url in open_links(folder, result)))
    return files


def with_texts(
    pages: pd.DataFrame, read: Mapping[str, Page], archives: Iterable[Path]
) -> pd.DataFrame:
    """Return a table of pages with ``language`` (ISO 639-1), ``date`` and ``text``.

    `read` has the pages by the table's ``url``, the WARC files their documents. The date, as
    YYYY-MM-DD, is that of the first publication as the document claims it; "" if it claims none.
    The text is without menus, if any is left. Without the extra ``text`` it is all of the page, the
    two others are "", and a warning says so.
    """
    texts = [read[url].text if url in read else "" for url in pages["url"]]
    found = pages.assign(language="", date="", text=texts)
    try:
        with extra("text"):
            import htmldate
            import py3langid
            from resiliparse.extract.html2text import extract_plain_text
    except ImportError as missing:
        logger.warning("no language, date and main text of pages: %s", missing)
        return found
    web, rows = ReplayWeb.from_warc(archives), []
    for url, text in zip(pages["url"], texts, strict=True):
        date = ""
        with suppress(FetchError, ParserError):
            tree = document_fromstring(web.fetch(url).html or b"", HTMLParser(encoding="utf-8"))
            html = tostring(tree, encoding="unicode")  # no deeper than lxml reads
            date = htmldate.find_date(html, extensive_search=False, original_date=True) or ""
            lines = map(str.split, extract_plain_text(html, main_content=True).split("\n"))
            text = "\n".join(" ".join(words) for words in lines if words) or text
        rows.append((str(py3langid.classify(text)[0]) if text.strip() else "", date, text))
    return found.assign(**pd.DataFrame(rows, pages.index, ["language", "date", "text"], dtype=str))
