"""The digest of a day: new relevant pages, and changed ones with what changed."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from lxml import etree, html
from lxml.builder import E, ElementMaker

from tres_lib.store import whole_file
from tres_lib.web.reader import printable

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
    "New pages": "relevant AND (arm = 'link' OR changed AND difference = '')",
    "Changed pages": "relevant AND changed AND difference != ''",
}
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # no script of a page's making would run

_atom = ElementMaker(namespace=ATOM, nsmap={None: ATOM})


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
    days = _days(store)
    latest = days[-DAYS:]
    made = []
    for day in days:
        path = folder / f"{day}.html"
        if day in latest or not path.exists():
            made.append(path)
            page = day_page(store, day)
            _write(path, html.tostring(page, encoding="utf-8", doctype="<!doctype html>"))
    made.append(folder / "feed.xml")
    feed = atom_feed(store, latest)
    _write(made[-1], etree.tostring(feed, xml_declaration=True, encoding="utf-8"))
    return made


def day_page(store: Store, day: date) -> etree._Element:
    """Return the digest of a day in UTC as a document of HTML."""
    body = E.body(E.h1(f"{_topic(store)}, {day}"))
    for name, entries in _entries(store, day).items():
        body.append(E.h2(f"{name}: {len(entries)}"))
        body.append(E.ul(*map(_item, entries)))
    return E.html(html_head(f"{_topic(store)}, {day}", STYLE), body)


def html_head(title: str, style: str) -> etree._Element:
    """Return the head of a page that holds no script, loads nothing and sends no referrer."""
    return E.head(
        E.meta(charset="utf-8"),
        E.meta({"http-equiv": "Content-Security-Policy", "content": POLICY}),
        E.meta(name="viewport", content="width=device-width, initial-scale=1"),
        E.meta(name="referrer", content="no-referrer"),
        E.title(printable(title)),
        E.style(style),
    )


def html_link(title: str, url: str) -> etree._Element:
    """Return a link to a page of the Web, which learns nothing of the one that has it."""
    text = printable(title or url)
    return E.a(text, href=printable(url), rel="noopener noreferrer nofollow")


def atom_feed(store: Store, days: Sequence[date]) -> etree._Element:
    """Return the Atom feed (RFC 4287) of some days, the latest first; an entry a page."""
    began = float(store.meta("began"))
    entries = [
        (name, entry)
        for day in reversed(days)
        for name, seen in _entries(store, day).items()
        for entry in seen
    ]
    latest = max((entry["time"] for _, entry in entries), default=began)
    feed = _atom.feed(
        _atom.title(f"Watch: {_topic(store)}"),
        _atom.id(f"tag:tres,{_utc(began):%Y-%m-%d}:{int(began)}"),
        _atom.updated(_utc(latest).isoformat()),
        _atom.author(_atom.name("tres watch")),
    )
    feed.extend(_atom_entry(name, entry) for name, entry in entries)
    return feed


def _item(entry: sqlite3.Row) -> etree._Element:
    item = E.li(html_link(entry["title"], entry["url"]))
    item.append(E.small(f" {_utc(entry['time']):%H:%M}, {_relevance(entry)}"))
    if entry["difference"]:
        item.append(E.pre(printable(entry["difference"])))
    return item


def _atom_entry(name: str, entry: sqlite3.Row) -> etree._Element:
    return _atom.entry(
        _atom.title(printable(f"{name[:-1]}: {entry['title'] or entry['url']}")),
        _atom.id(f"{printable(entry['url'])}#{int(entry['time'])}"),
        _atom.link(href=printable(entry["url"])),
        _atom.updated(_utc(entry["time"]).isoformat()),
        _atom.summary(printable(entry["difference"] or _relevance(entry))),
    )


def _relevance(entry: sqlite3.Row) -> str:
    return f"relevant with probability {entry['p']:.2f}"


def _entries(store: Store, day: date) -> dict[str, list[sqlite3.Row]]:
    """Return the rows of the log to show, the most valuable first."""
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    sql = "SELECT * FROM look WHERE {} AND time >= ? AND time < ? ORDER BY worth DESC, look LIMIT ?"
    return {
        name: store.rows(sql.format(where), begin, begin + 86_400, MOST)
        for name, where in KINDS.items()
    }


def _days(store: Store) -> list[date]:
    """Return the days that had a look."""
    days = store.rows("SELECT DISTINCT CAST(time / 86400 AS INTEGER) FROM look ORDER BY 1")
    return [_utc(86_400.0 * day).date() for (day,) in days]


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _topic(store: Store) -> str:
    return printable(str(store.meta("topic")))


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as draft:
        draft.write_bytes(content)
