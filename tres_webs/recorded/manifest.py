"""Manifests of pinned webs: each site's archive by version and hash, and where its URLs lead."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from ..checks import one_of
from ..files import DATA
from ..urls import canonical_url

FOLDER = DATA / "webs"
LOCAL = "http://files.invalid"  # stands for the file system in links between archives
VERSION = re.compile(r"[a-z]{2}|stable|latest|main|master|dev|docs?|v?\d[\w.]*|")  # of a folder
SKIPPED = 3  # folders of a URL, such as en/stable or 3.11, that may differ from those recorded


@dataclass(frozen=True)
class Site:
    """A row of a manifest: a package of documentation, and the site that it records."""

    package: str
    version: str
    path: str  # of the archive, below a mirror's root
    bytes: int
    sha256: str
    address: str  # of the folder below, upstream
    root: str  # the folder of the archive that is the site
    pages: int
    pages_sha256: str  # of paths and hashes of the pages that are kept
    also: str  # other hosts of it, with blanks between

    def url(self, path: str) -> str | None:
        """Return the canonical URL of a file of the archive; index.html stands for its folder."""
        inside = path.removeprefix(self.root)
        if inside.rpartition("/")[2] in ("index.html", "index.htm"):
            inside = inside.rpartition("/")[0] + "/" if "/" in inside else ""
        return canonical_url(self.address + quote(inside, safe="/~"))


def read_manifest(name: str) -> list[Site]:
    """Return the sites of a pinned web, those first that a cut takes: by hash of the archive."""
    one_of("name", name, sorted(path.stem for path in FOLDER.glob("*.tsv")))
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file, delimiter="\t")]
    numbers = ("bytes", "pages")
    sites = (Site(**row | {key: int(row[key]) for key in numbers}) for row in rows)  # type: ignore
    return sorted(sites, key=lambda site: site.sha256)


class Addresses:
    """Which site a URL or a file belongs to, whatever version or host the URL names."""

    def __init__(self, sites: Iterable[Site]):
        self._roots = {site.root: site for site in sites}
        self._hosts: dict[str, list[Site]] = defaultdict(list)
        for site in self._roots.values():
            for host in {urlsplit(site.address).netloc, *site.also.split()}:
                self._hosts[host.removeprefix("www.")].append(site)
        for there in self._hosts.values():
            there.sort(key=lambda site: -len(site.address))

    def outward(self, url: str) -> str | None:
        """Return the URL of a link; None if it names a file that is of no site."""
        if not url.startswith(LOCAL + "/"):
            return url
        path = unquote(url.removeprefix(LOCAL))
        folder = path
        while folder := folder[:-1].rpartition("/")[0]:
            folder += "/"
            if site := self._roots.get(folder):
                return site.url(path)
        return None

    def site_of(self, url: str) -> Site | None:
        """Return the site whose address a URL begins with; None if there is none."""
        there = self._hosts.get(urlsplit(url).netloc.removeprefix("www."), ())
        return next((site for site in there if _bare(url).startswith(_bare(site.address))), None)

    def spellings(self, url: str) -> Iterator[str]:
        """Yield recorded URLs that one may stand for: of another scheme, host or version."""
        host, path = urlsplit(url)[1:3]
        there = self._hosts.get(host.removeprefix("www."), ())
        bare = (_bare(url), _bare(url) + "/")  # the second is a folder's
        ends = [(site, b.removeprefix(_bare(site.address))) for site in there for b in bare]
        if len(there) == 1:
            names = path.lstrip("/").split("/")
            tails = ("/".join(names[i:]) for i in range(min(SKIPPED + 1, len(names))))
            ends += [(there[0], tail) for tail in tails if tail not in ("", "index.html")]
            if _is_front(path) and _is_front(urlsplit(there[0].address).path):
                ends.append((there[0], ""))
        for site, end in ends:
            if end not in bare and (found := site.url(site.root + unquote(end))):
                yield found


def _bare(url: str) -> str:
    return url.partition("://")[2].removeprefix("www.")


def _is_front(path: str) -> bool:
    return all(map(VERSION.fullmatch, path.strip("/").split("/")))
