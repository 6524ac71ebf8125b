"""The files of a crawl: its log as it grows, tables, relevant pages, WARC, links left."""

import json
import logging
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd
from lxml.etree import ParserError
from lxml.html import HTMLParser, document_fromstring, tostring

from tres_lib.focused.fetching import Visit
from tres_lib.focused.result import CrawlResult
from tres_lib.store import Journal
from tres_lib.topics import KeywordMatcher, topic_keywords
from tres_webs import FetchError, Page, ReplayWeb
from tres_webs.checks import instance, one_of, texts
from tres_webs.extras import optional
from tres_webs.files import open_file, whole_file, write_whole
from tres_webs.parsing import printable

from ..reporting import Crawled
from ..topic.few import prose_of
from ..topic.labels import snippet
from ..topic.own import POLICY, word_weights
from .options import MARKS, lines, open_folder

NOTED = 500  # fetches between two lines of the log file
# Where a spreadsheet begins a cell, also one that parts them at semicolons, and makes it a formula.
FORMULA = re.compile(r'(^|[;\t\r\n])(?=[\s"]{0,99}[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])')
TEMPLATE = Path(__file__).with_name("relevant.html.j2")
MARKUP = re.compile(r"[\\`*_{}\[\]<>#|!~&]")
BLOCK = re.compile(r"^(\s{0,99}\d{0,9})([-+=.)])", re.M)  # of a list or a heading
WORDS = 3  # of a page that are named
WITH_WORDS = 500  # pages at most, since a page costs some ten milliseconds
TABLES = ("csv", "parquet", "jsonl")
FILES = {kind: f"log.{kind}" for kind in TABLES} | {"html": "relevant.html"}
TEXTS = {kind: f"relevant.{kind}" for kind in TABLES} | {"markdown": "relevant.md"}
FORMATS = (*FILES, "markdown", "warc", "urls")

OnRow = Callable[[dict[str, Any]], None]  # is given each row of the log
logger = logging.getLogger(__name__)


@contextmanager
def growing_log(file: Path) -> Iterator[OnRow]:
    """Give a function that adds a row to the log, unless it is there from an earlier run."""
    with Journal(file, {}) as log:
        earlier = iter(log.read, None)

        def add(row: dict[str, Any]) -> None:
            place = log.tell()
            if before := next(earlier, None):
                if _same(before) == _same(row):
                    return
                log.cut(place)  # a failure that was tried again, or another classifier
            log.append(_plain(row))
            if row["step"] and row["step"] % NOTED == 0:
                logger.info("%d fetches, the last of %s", row["step"], row["url"])

        yield add


def write_rows(file: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a log anew, whole."""
    with whole_file(file) as draft, draft.open("w", encoding="utf-8") as whole:
        whole.write(json.dumps({"journal": 1}) + "\n")
        whole.writelines(f"{json.dumps(_plain(row))}\n" for row in rows)


def pages(journal: Path, urls: Collection[str]) -> dict[str, Page]:
    """Return the pages of these URLs, as they were asked for."""
    visits = (Visit.from_json(visit) for visit in lines(journal) if visit.get("url") in urls)
    return {visit.url: visit.page for visit in visits if visit.page is not None}


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in JSON's types."""
    return {k: v.item() if hasattr(v, "item") else v for k, v in row.items()}


def _same(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["url"], row["reason"], str(row.get("p"))  # NaN, which is no page, equals nothing


def write_crawl(crawled: Crawled, to: Path, formats: Sequence[str] = ()) -> list[Path]:
    """Write a crawl as it stands into a folder, in all formats or some; return the files."""
    formats = [one_of("format", name, FORMATS) for name in formats] or FORMATS
    export_folder(to, crawled.folder)
    pages, read = listed(crawled)
    files = [*export(crawled.result, to, [n for n in formats if n in FILES], pages).values()]
    warc = crawled.folder / "pages.warc.gz"
    archives = [warc] if warc.exists() else []
    if kinds := [name for name in formats if name in TEXTS]:
        whole = with_texts(pages, read, archives)
        files += [write_table(whole, to / TEXTS[kind]) for kind in kinds]
    for archive in archives if "warc" in formats else ():
        files.append(to / archive.name)
        if files[-1].resolve() != archive.resolve():
            with (
                open_file(archive) as file,
                whole_file(files[-1]) as draft,
                open(draft, "wb") as new,
            ):
                shutil.copyfileobj(file, new)
    if "urls" in formats:
        files.append(to / "frontier.txt")
        write_whole(files[-1], "".join(f"{url}\n" for url in crawled.waiting()))
    return files


def export_folder(path: Path, home: Path) -> None:
    """Make a folder for exports, and mark it, unless it is that of the crawl or watch itself."""
    if path.resolve() != home.resolve():
        write_whole(open_folder(path, "export", "to") / MARKS["export"], "")


def listed(crawled: Crawled) -> tuple[pd.DataFrame, Mapping[str, Page]]:
    """Return the relevant pages with their snippets, and these pages by the URL asked for."""
    table = relevant_pages(crawled.result)
    if read := crawled.pages(set(table["url"])):
        keywords = topic_keywords(crawled.options.base_topic()).keywords
        table = with_snippets(table, read, keywords, crawled.judge())
    return table, read


def export(
    result: CrawlResult,
    folder: str | Path,
    kinds: Sequence[str] = ("csv", "parquet", "html"),
    pages: pd.DataFrame | None = None,
) -> dict[str, Path]:
    """Write a crawl's log and the table of its relevant pages; return the files by kind.

    Kinds are "csv", "parquet", "html" (the table) and "jsonl" (a row a line, null for NaN).
    Whatever stems from a page is text there: escaped in HTML; in CSV with an apostrophe before what
    a spreadsheet would compute. `pages` are the relevant ones, with snippets for the table.
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
    """Return relevant pages with a ``snippet`` of each, and the ``words`` that speak for it."""
    matcher = KeywordMatcher(keywords)
    texts = [read[url].text if url in read else "" for url in pages["url"]]
    snippets = [snippet(prose_of(text), matcher) for text in texts]
    words = [""] * len(pages)
    some = zip(pages["title"][: WITH_WORDS * (classifier is not None)], snippets, strict=False)
    for i, (title, text) in enumerate(some):
        table = word_weights(classifier, f"{title}\n{text}", WORDS)
        words[i] = ", ".join(table.loc[table["weight"] > 0, "word"])
    return pages.assign(snippet=snippets, words=words)


def as_html(result: CrawlResult, pages: pd.DataFrame | None = None) -> str:
    """Return a page that lists the relevant pages; it holds no script and loads nothing."""
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
    """Return a text that Markdown shows as it is: no link, image, heading, list or HTML."""
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


def with_texts(
    pages: pd.DataFrame, read: Mapping[str, Page], archives: Iterable[Path]
) -> pd.DataFrame:
    """Return a table of pages with ``language`` (ISO 639-1), ``date`` of publication and ``text``.

    Without the extra ``text`` the first two are empty, and the last has menus.
    """
    texts = [read[url].text if url in read else "" for url in pages["url"]]
    found = pages.assign(language="", date="", text=texts)
    try:
        with optional("text"):
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
