"""A watch as its store has it, in tables, in words, and as the digest of each day."""

import difflib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from tres_webs.checks import one_of
from tres_webs.files import write_whole
from tres_webs.parsing import printable
from tres_webs.urls import domain

from ..topic.own import POLICY
from ..web.politeness import host_of
from .beliefs import freshness, rank
from .clock import DAY, WallClock
from .store import LOG, Store

BY = ("arm", "day", "host", "reason")
MOST_NAMED = 3  # domains
PLURAL = {"link": "new links", "page": "known pages", "hub": "hubs"}
TEMPLATES = Path(__file__).parent
DAYS = 14  # the latest ones, in the feed (Atom, RFC 4287)
MOST_LISTED = 200  # pages of a kind in a day's digest, the most valuable
LINES, WIDTH = 6, 200  # of a difference, and characters of a line
KINDS = {  # there is no difference to show where the page was not relevant before
    "New page": "relevant AND (arm = 'link' OR changed AND difference = '')",
    "Changed page": "relevant AND changed AND difference != ''",
}


class Report:
    """A watch as its store has it, for a ``with`` block at whose end the store is closed.

    ``tres_live.Report(tres_live.Store("watch.sqlite", read_only=True))`` reports on a watch that
    runs in another process.
    """

    def __init__(self, store: Store, clock: WallClock | None = None):
        self._store = store
        self._clock = clock or WallClock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, so that another process may write to it."""
        self._store.close()

    @property
    def price(self) -> float:
        """Requests a day that one more fetch a day would serve."""
        return float(self._store.common()["price"][0])

    def table(self) -> pd.DataFrame:
        """Return all known pages, a row each.

        Columns: ``url``, ``title``, ``p`` (that it is relevant), ``importance``, ``fresh`` (the
        probability that our copy still is), ``last_look`` and ``next_look`` (UTC; none if no look
        reaches the price), ``worth`` (requests that a look now would serve).
        """
        with self._store.reading():
            common = self._store.common()
            pages = self._store.pages(common).records
            now = self._clock.now() + self._store.meta("offset")
            day = (now - self._store.meta("began")) / DAY
            rows = self._store.rows("SELECT url, title, p FROM url ORDER BY row")
        roles = rank(pages, np.arange(len(pages)), common, day)
        return pd.DataFrame(rows, columns=["url", "title", "p"]).assign(
            importance=pages["importance"],
            fresh=freshness(pages, common, day),
            last_look=self._times(pages["look"]),
            next_look=self._times(np.where(pages["failures"] < 0, np.inf, pages["due"])),
            worth=np.maximum(roles.sum(axis=0), 0.0),
        )

    def log(self) -> pd.DataFrame:
        """Return the log, a row a look, with the columns of `store.Row`."""
        rows = self._store.rows(f"SELECT {', '.join(LOG)} FROM look ORDER BY look")
        flags = dict.fromkeys(("validated", "changed", "relevant"), bool)
        return pd.DataFrame(rows, columns=LOG).astype(flags)

    def spent(self, by: str = "arm") -> pd.Series:
        """Return how many fetches went where, by "arm", "day", "host" or "reason".

        Arms are "link", "page" and "hub": by which value of a known page was higher.
        """
        one_of("by", by, BY)
        log = self.log()
        if by == "day":
            keys = pd.to_datetime(log["time"], unit="s").dt.strftime("%Y-%m-%d")
        else:
            keys = log["url"].map(host_of) if by == "host" else log[by]
        return keys.value_counts().rename("fetches")

    def write_digests(self, folder: str | Path) -> list[Path]:
        """Write a page for each day (UTC), ``2026-01-31.html``, and the latest in ``feed.xml``.

        Pages of earlier days that are there already stay. Returns the files that were written.
        """
        from jinja2 import Environment, FileSystemLoader

        templates = Environment(autoescape=True, loader=FileSystemLoader(TEMPLATES))
        templates.finalize = lambda value: printable(str(value))
        store, folder, files = self._store, Path(folder), []
        folder.mkdir(parents=True, exist_ok=True)
        latest: list[dict[str, Any]] = []
        with store.reading():
            topic, began = store.meta("topic"), _utc(store.meta("began"))
            days = store.rows("SELECT DISTINCT CAST(time / 86400 AS INTEGER) FROM look ORDER BY 1")
            for n, (day,) in enumerate(days, DAYS - len(days)):
                path = folder / f"{_utc(DAY * day):%Y-%m-%d}.html"
                if n >= 0 or not path.exists():
                    entries = _entries(store, DAY * day)
                    about = {"title": f"{topic}, {path.stem}", "kinds": KINDS, "csp": POLICY}
                    page = templates.get_template("digest.html.j2")
                    write_whole(path, page.render(entries=entries, **about))
                    files.append(path)
                    latest[:0] = entries if n >= 0 else []
        feed = templates.get_template("feed.xml.j2")
        files.append(folder / "feed.xml")
        write_whole(files[-1], feed.render(entries=latest, topic=topic, began=began))
        return files

    def in_words(self) -> str:
        """Return how the watch stands, and the price of a fetch, in a few sentences."""
        with self._store.reading():
            log = self.log()
            if not len(log):
                return "Nothing was fetched yet."
            ((pages, relevant),) = self._store.rows("SELECT count(*), total(p >= 0.5) FROM url")
            ((links,),) = self._store.rows("SELECT count(*) FROM link WHERE open")
            price = float(f"{self.price:.2g}")
        days = (log["time"].max() - log["time"].min()) / DAY
        arms = percents(log["arm"].value_counts())
        spent = ", ".join(f"{part} % {PLURAL[arm]}" for arm, part in arms.items())
        sites = percents(log["url"].map(domain).value_counts()).head(MOST_NAMED)
        named = ", ".join(f"{site} {part} %" for site, part in sites.items())
        return (
            f"{len(log):,} fetch{'es' * (len(log) > 1)} in {days:.1f} days: {spent}. "
            f"Most: {named}. "
            f"{pages:,} pages are known, {relevant:,.0f} of them relevant; {links:,} links wait. "
            f"One more fetch a day would serve {price:,g} requests a day."
        )

    def _times(self, days: np.ndarray) -> pd.Series:
        seconds = self._store.meta("began") + np.where(np.isinf(days), np.nan, days) * DAY
        return pd.to_datetime(seconds, unit="s", utc=True)


def percents(counts: pd.Series) -> pd.Series:
    """Return whole percentages of counts that sum to 100, by largest remainders."""
    exact = 100 * counts / counts.sum()
    whole = exact.astype(int)
    up = (exact - whole).sort_values(ascending=False, kind="stable").index[: 100 - whole.sum()]
    return whole + whole.index.isin(up)


def difference(old: str, new: str) -> str:
    """Return the first lines that went ("- ...") and came ("+ ...")."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    changes = [line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]
    first = [printable(f"{line[0]} {line[1:]}")[:WIDTH] for line in changes[:LINES]]
    left = len(changes) - len(first)
    return "\n".join(first + ([f"{left} more lines"] if left else []))


def _entries(store: Store, begin: float) -> list[dict[str, Any]]:
    """Return what a day's log has to show, the most valuable first."""
    sql = "SELECT * FROM look WHERE {} AND time >= ? AND time < ? ORDER BY worth DESC, look LIMIT ?"
    return [
        {**row, "kind": kind, "time": _utc(row["time"])}
        for kind, where in KINDS.items()
        for row in store.rows(sql.format(where), begin, begin + DAY, MOST_LISTED)
    ]


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
