"""A web for tests of a cluster, whose workers import it: it notes who asks for what."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

from fakes import CountingClassifier, orchard as planted, seed_of

from tres_webs import Failure, FetchError, Web

KEYWORDS = ("apple", "ripe fruit")
orchard = cache(planted)
SEEDS = seed_of(orchard())


class Noted(Web):
    """The orchard; with `redirects` a tenth of its pages lead to another site's.

    The file has a line a request: the thread's worker, when it began and ended, and the URL.
    """

    def __init__(self, notes: Path | None = None, delay: float = 0.0, redirects: bool = False):
        self.web, self.notes, self.delay, self.redirects = orchard(), notes, delay, redirects
        self.owns, self.worker = lambda url: True, f"{os.getpid()}-{id(self)}"

    def ask_only(self, owns):
        self.owns = owns

    def fetch(self, url):
        at = url
        while True:
            if not self.owns(at):
                raise FetchError(url, f"leads to {at}", None, Failure.NOT_OURS, at)
            begun = time.time()
            time.sleep(self.delay)
            if self.notes:
                with self.notes.open("a") as file:
                    file.write(f"{self.worker} {begun} {time.time()} {at}\n")
            if (to := self.leads(at)) == at:
                return replace(self.web.fetch(at), html=b"<p>" + at.encode())
            at = to

    def leads(self, url: str) -> str:
        site, _, page = url.removeprefix("http://site").partition(".example/page-")
        if not self.redirects or not page.isdigit() or (int(site) + int(page)) % 10 != 3:
            return url
        return f"http://site{(7 * int(site) + 1) % 40}.example/page-{(3 * int(page) + 1) % 25}"


class Pausing(Noted):
    """Asks for a pause once it was asked for a page."""

    since = None

    def fetch(self, url):
        self.since = time.monotonic()
        return super().fetch(url)

    def pause(self, url):
        return 0.0 if self.since is None else max(20.0 + self.since - time.monotonic(), 0.0)


def judge() -> CountingClassifier:
    """A classifier that workers can import."""
    return CountingClassifier()


def asked(notes: Path) -> list[tuple[str, float, float, str]]:
    """The requests, by their notes."""
    lines = (line.split() for line in notes.read_text().splitlines())
    return [(worker, float(begun), float(ended), url) for worker, begun, ended, url in lines]
