"""PinnedWeb: real sites by a manifest of archives, each with its version and hash."""

import json
import logging
import lzma
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from shlex import quote

from ..checks import count
from ..files import data_places
from ..page import Page, link_rows, links_of
from ..topic import Topic
from .label_rules import read_rules, rules_version
from .manifest import Addresses, Site, read_manifest
from .recording import Recording
from .replay import ReplayWeb

BLOCKS = 64  # of pages that are kept unpacked
FORMAT = 2  # of the database: links have paths

logger = logging.getLogger(__name__)


class PinnedWeb(ReplayWeb):
    """Real sites of documentation, each an archive that can be had again by version and hash.

    The name is that of a manifest of ``data/webs``; ``tres fetch-web NAME`` obtains it once. A page
    has the URL of its upstream site; links that name another version or host of it lead there.
    Labels are by rule, of what `topics` holds.

    The folder, which has NAME.sqlite, is by default ``pinned`` in that of TRES_DATA, TRES_DATA
    itself, or the user's cache: the first that has it. A cut takes so many sites, in the order of
    their archives' hashes.
    """

    def __init__(
        self,
        name: str = "debian-docs",
        folder: str | os.PathLike | None = None,
        cut: int | None = None,
    ):
        sites = read_manifest(name)
        wanted = sites if cut is None else sites[: count("cut", cut, 1, len(sites))]
        file = web_file(name, folder)
        command = f"tres fetch-web {name}" + f" --cut {cut}" * bool(cut)
        command += f" --folder {quote(os.fspath(folder))}" if folder else ""
        command += "" if shutil.which("apt-get") else " --mirror URL"
        if not file.is_file():
            raise ValueError(f"name={name!r}: {file} is missing; get it by: {command}")
        try:
            self._pinned = PinnedRecording(file, sites, wanted)
        except sqlite3.Error as error:
            problem = f"{file} cannot be read ({error})"
            raise ValueError(f"{problem}; remove it, then get it anew by: {command}") from error
        if self._pinned.format != FORMAT:
            raise ValueError(f"{file} is of an older format; get it anew by: {command}")
        if self._pinned.rules != rules_version(name):
            raise ValueError(f"{file} has labels of other rules; get new ones by: {command}")
        if missing := len(wanted) - len(self._pinned.sites):
            text = "%d of %d sites are missing: %s"
            logger.warning(text, missing, len(wanted), command)
        labels = {url: of.split() for url, (*_, of) in self._pinned.data.items()}
        super().__init__(self._pinned, labels)
        self.topics: dict[str, Topic] = {of.topic.name: of.topic for of in read_rules(name)}
        self._names |= self.topics.keys()

    @property
    def sites(self) -> list[str]:
        """Return the packages that are there, each a site."""
        return [site.package for site in self._pinned.sites]

    def site(self, url: str) -> str:
        """Return the package that a page is of; empty if it is not recorded."""
        recorded = self._recorded(url)
        return self._pinned.data[recorded][0] if recorded else ""

    def kind(self, url: str) -> str:
        """Return "index" or "listing" for what generators made of other pages, else "article"."""
        recorded = self._recorded(url)
        return self._pinned.data[recorded][3] if recorded else "article"


class PinnedRecording(Recording):
    """Pages in blocks of a database; only their URLs, kinds and topics are read at once."""

    def __init__(self, file: Path, sites: Sequence[Site], wanted: Sequence[Site]):
        uri = f"{file.resolve().as_uri()}?mode=ro"
        self._base = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._addresses = Addresses(sites)
        self.rules = self._base.execute("PRAGMA user_version").fetchone()[0]
        self.format = self._base.execute("PRAGMA application_id").fetchone()[0]
        there = set(self._base.execute("SELECT package, sha256 FROM site"))
        self.sites = [site for site in wanted if (site.package, site.sha256) in there]
        names = {site.package for site in self.sites}
        rows = self._base.execute("SELECT url, site, block, line, kind, topics FROM page")
        super().__init__({url: tuple(rest) for url, *rest in rows if rest[0] in names})
        self._lines = lru_cache(BLOCKS)(self._read)

    def _read(self, block: int) -> list[bytes]:
        query = "SELECT pages FROM block WHERE id = ?"
        return lzma.decompress(self._base.execute(query, (block,)).fetchone()[0]).split(b"\n")

    def __getitem__(self, url: str) -> Page:
        _, block, line, *_ = self.data[url]
        return unpacked(self._lines(block)[line])

    def target(self, url: str) -> str | None:
        """Return the recorded page that another spelling of its URL stands for."""
        return next((to for to in self._addresses.spellings(url) if to in self.data), None)


def packed(page: Page) -> bytes:
    """Return a page as a line of JSON."""
    line = (page.url, page.title, page.text, *link_rows(page.links), page.truncated)
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")


def unpacked(line: bytes) -> Page:
    """Return the page that `packed` wrote."""
    url, title, text, rows, paths, is_cut = json.loads(line)
    return Page(url, 200, title, text, links_of(rows, paths), truncated=is_cut)


def web_file(name: str, folder: str | os.PathLike | None = None) -> Path:
    """Return where a web's pages are, or else the first place that may be written to."""
    files = [place / f"{name}.sqlite" for place in data_places("pinned", folder)]
    places = chain(filter(Path.is_file, files), (f for f in files if _is_writable(f.parent)))
    return next(places, files[-1])


def _is_writable(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    # Root may write anywhere, but what somebody protected is to stay as it is.
    return os.access(there, os.W_OK) and bool(there.stat().st_mode & 0o222)


def sites_here(name: str, folder: str | os.PathLike | None = None) -> int:
    """Return how many sites of a pinned web are on this machine; `tres fetch-web` obtains them."""
    uri = f"{web_file(name, folder).resolve().as_uri()}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True)) as base:
        return int(base.execute("SELECT count(*) FROM site").fetchone()[0])
    return 0  # no file, or none of ours
