"""The digest of a day: new relevant pages, and changed ones with what changed."""

import difflib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from lxml import etree, html
from lxml.builder import E, ElementMaker

from tres_lib.store import whole_file
from tres_lib.web.reader import printable

from ..topic.report import html_head, html_link
from .clock import DAY
from .store import Store

ATOM = "http://www.w3.org/2005/Atom"
DAYS = 14  # the latest ones, in the feed
MOST = 200  # pages of a kind in a day's digest, the most valuable
SHOWN = 6  # lines of a difference
WIDTH = 200  # characters of such a line
STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "pre{white-space:pre-wrap;background:#f4f4f4;padding:.5em}"
)
KINDS = {  # there is no difference to show where the page was not relevant before
    "New page": "relevant AND (arm = 'link' OR changed AND difference = '')",
    "Changed page": "relevant AND changed AND difference != ''",
}

_atom = ElementMaker(namespace=ATOM, nsmap={None: ATOM})


class Entry(NamedTuple):
    """A page to show, in texts that XML can hold."""

    kind: str
    title: str
    url: str
    time: datetime
    relevance: str
    difference: str


def difference(old: str, new: str) -> str:
    r"""Return the first lines that went ("- ...") and came ("+ ...").

    Examples
    --------
    >>> difference("The king sleeps.\nAll is well.", "The king wakes.\nAll is well.")
    '- The king sleeps.\n+ The king wakes.'
    """
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    changes = [line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]
    shown = [printable(f"{line[0]} {line[1:]}")[:WIDTH] for line in changes[:SHOWN]]
    left = len(changes) - len(shown)
    return "\n".join(shown + ([f"{left} more lines"] if left else []))


def write_digests(store: Store, folder: Path) -> list[Path]:
    """Write the digests of all days and their feed; see `Report.write_digests`."""
    folder.mkdir(parents=True, exist_ok=True)
    topic, began = printable(str(store.meta("topic"))), float(store.meta("began"))
    days = store.rows("SELECT DISTINCT CAST(time / 86400 AS INTEGER) FROM look ORDER BY 1")
    latest, made = [], []
    for n, (day,) in enumerate(days, DAYS - len(days)):
        path = folder / f"{_utc(DAY * day):%Y-%m-%d}.html"
        if n >= 0 or not path.exists():
            entries = _entries(store, DAY * day)
            page = _day_page(f"{topic}, {path.stem}", entries)
            _write(path, html.tostring(page, encoding="utf-8", doctype="<!doctype html>"))
            made.append(path)
            latest += [entries] if n >= 0 else []
    made.append(folder / "feed.xml")
    feed = _atom_feed(f"Watch: {topic}", began, [e for of in reversed(latest) for e in of])
    _write(made[-1], etree.tostring(feed, xml_declaration=True, encoding="utf-8"))
    return made


def _entries(store: Store, begin: float) -> list[Entry]:
    """Return what a day's log has to show, the most valuable first."""
    sql = "SELECT * FROM look WHERE {} AND time >= ? AND time < ? ORDER BY worth DESC, look LIMIT ?"
    return [
        Entry(
            kind=kind,
            title=printable(row["title"] or row["url"]),
            url=printable(row["url"]),
            time=_utc(row["time"]),
            relevance=f"relevant with probability {row['p']:.2f}",
            difference=printable(row["difference"]),
        )
        for kind, where in KINDS.items()
        for row in store.rows(sql.format(where), begin, begin + DAY, MOST)
    ]


def _day_page(title: str, entries: Sequence[Entry]) -> etree._Element:
    """Return the digest of a day in UTC as a document of HTML."""
    body = E.body(E.h1(title))
    for kind in KINDS:
        items = [_item(entry) for entry in entries if entry.kind == kind]
        body.extend([E.h2(f"{kind}s: {len(items)}"), E.ul(*items)])
    return E.html(html_head(title, STYLE), body)


def _item(entry: Entry) -> etree._Element:
    about = E.small(f" {entry.time:%H:%M}, {entry.relevance}")
    changes = [E.pre(entry.difference)] if entry.difference else []
    return E.li(html_link(entry.title, entry.url), about, *changes)


def _atom_feed(title: str, began: float, entries: Sequence[Entry]) -> etree._Element:
    """Return an Atom feed (RFC 4287), an entry a page."""
    latest = max((entry.time for entry in entries), default=_utc(began))
    return _atom.feed(
        _atom.title(title),
        _atom.id(f"tag:tres,{_utc(began):%Y-%m-%d}:{int(began)}"),
        _atom.updated(latest.isoformat()),
        _atom.author(_atom.name("tres watch")),
        *map(_atom_entry, entries),
    )


def _atom_entry(entry: Entry) -> etree._Element:
    return _atom.entry(
        _atom.title(f"{entry.kind}: {entry.title}"),
        _atom.id(f"{entry.url}#{entry.time.timestamp():.0f}"),
        _atom.link(href=entry.url),
        _atom.updated(entry.time.isoformat()),
        _atom.summary(entry.difference or entry.relevance),
    )


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as draft:
        draft.write_bytes(content)
