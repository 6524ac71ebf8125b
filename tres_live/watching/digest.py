"""The digest of a day: new relevant pages, and changed ones with what changed."""

import difflib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tres_webs.files import write_whole
from tres_webs.reader import printable

from ..topic.own import POLICY
from .clock import DAY
from .store import Store

TEMPLATES = Path(__file__).parent
DAYS = 14  # the latest ones, in the feed (Atom, RFC 4287)
MOST = 200  # pages of a kind in a day's digest, the most valuable
SHOWN = 6  # lines of a difference
WIDTH = 200  # characters of such a line
KINDS = {  # there is no difference to show where the page was not relevant before
    "New page": "relevant AND (arm = 'link' OR changed AND difference = '')",
    "Changed page": "relevant AND changed AND difference != ''",
}


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
    from jinja2 import Environment, FileSystemLoader

    templates = Environment(autoescape=True, loader=FileSystemLoader(TEMPLATES))
    templates.finalize = lambda value: printable(str(value))
    folder.mkdir(parents=True, exist_ok=True)
    topic, began, files = store.meta("topic"), _utc(store.meta("began")), []
    latest: list[dict[str, Any]] = []
    days = store.rows("SELECT DISTINCT CAST(time / 86400 AS INTEGER) FROM look ORDER BY 1")
    for n, (day,) in enumerate(days, DAYS - len(days)):
        path = folder / f"{_utc(DAY * day):%Y-%m-%d}.html"
        if n >= 0 or not path.exists():
            entries = _entries(store, DAY * day)
            about = {"title": f"{topic}, {path.stem}", "kinds": KINDS, "csp": POLICY}
            page = templates.get_template("digest.html.j2").render(entries=entries, **about)
            write_whole(path, page)
            files.append(path)
            latest[:0] = entries if n >= 0 else []
    files.append(folder / "feed.xml")
    feed = templates.get_template("feed.xml.j2").render(entries=latest, topic=topic, began=began)
    write_whole(files[-1], feed)
    return files


def _entries(store: Store, begin: float) -> list[dict[str, Any]]:
    """Return what a day's log has to show, the most valuable first."""
    sql = "SELECT * FROM look WHERE {} AND time >= ? AND time < ? ORDER BY worth DESC, look LIMIT ?"
    return [
        {**row, "kind": kind, "time": _utc(row["time"])}
        for kind, where in KINDS.items()
        for row in store.rows(sql.format(where), begin, begin + DAY, MOST)
    ]


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
