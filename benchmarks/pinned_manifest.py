"""Write the manifest of a pinned web from a folder of Debian's documentation packages.

The archives come by ``apt-get download``; apt's index gives version, path, size and hash. A row of
ADDRESSES is a package, its upstream address and other hosts of it. For other packages the address
is that in the pages (``rel=canonical``), or else the homepage, by `hosted` where code is hosted.
Run: ``python benchmarks/pinned_manifest.py ARCHIVES ADDRESSES``, ``tres fetch-web`` into a fresh
folder, and this again with ``--pages FOLDER``, which fills in pages and their hashes.
"""

import argparse
import csv
import re
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from dataclasses import asdict, fields, replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from tres_webs.recorded.debian import html_files
from tres_webs.recorded.manifest import FOLDER, Site
from tres_webs.recorded.pinned import web_file
from tres_webs.urls import canonical_url

LEAST = 10  # pages of a site
CANONICAL = re.compile(rb"""<link[^>]*rel=["']?canonical["']?[^>]*href=["']([^"']+)""", re.I)
INDEXED = re.compile(r"^([A-Z][\w-]*): (.*)$", re.M)
SHARED = {f"/usr/share/{name}" for name in ("", "doc/", "gtk-doc/", "gtk-doc/html/", "qt5/doc/")}
HOSTS = {
    r"https?://git(hub|lab)\.com/([^/]+)/([^/#]+).*": r"https://\2.git\1.io/\3/",
    r"https?://(?:www\.)?(?:sourceforge|sf)\.net/(?:projects|p)/([^/]+).*": r"https://\1.sourceforge.io/",
    r"https?://(?:pypi\.org/project|pypi\.python\.org/pypi)/([^/]+).*": r"https://\1.readthedocs.io/",
    r"https?://hackage\.haskell\.org/package/(.*)": r"https://hackage.haskell.org/package/\1/docs/",
    r"https?://(?:opendev\.org/openstack|git\.openstack\.org/cgit/openstack|wiki\.openstack\.org"
    r"|openstack\.github\.io|www\.openstack\.org/software)/([^/]+).*":
        r"https://docs.openstack.org/\1/latest/",
    r"https?://gitlab\.gnome\.org/(?:GNOME|World)/([^/]+).*": r"https://gnome.pages.gitlab.gnome.org/\1/",
}  # fmt: skip


def index() -> dict[str, dict[str, str]]:
    """Return apt's facts of each archive that it knows, by hash."""
    text = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True).stdout
    blocks = (dict(INDEXED.findall(block)) for block in text.split("\n\n"))
    return {block["SHA256"]: block for block in blocks if "SHA256" in block}


def hosted(homepage: str) -> str:
    """Return where a project's pages are, by its homepage; a code host gives its pages' host."""
    for pattern, address in HOSTS.items():
        homepage = re.sub(f"^{pattern}$", address, homepage)
    parts = urlsplit(homepage)
    path = re.sub(r"[^/]*\.(x?html?|php|git)$", "", parts.path).rstrip("/") + "/"
    return canonical_url(f"{parts.scheme}://{parts.netloc.lower()}{path}") or ""


def root_of(paths: list[str]) -> str:
    """Return the deepest folder with nine tenths of the paths, or the largest one in SHARED."""
    root = "/"
    while True:
        below = Counter(p[len(root) :].partition("/")[0] for p in paths if p.startswith(root))
        name, n = below.most_common(1)[0]
        if (n < 0.9 * len(paths) and root not in SHARED) or not any(
            p.startswith(f"{root}{name}/") for p in paths
        ):
            return root
        root += name + "/"


def canonical(root: str, found: dict[str, str]) -> str:
    """Return the address that the pages name as theirs, if most agree."""
    bases = Counter(
        url.removesuffix(tail)
        for path, url in found.items()
        for tail in (path.removeprefix(root), path.removeprefix(root).removesuffix("index.html"))
        if tail and url.endswith("/" + tail) and url.startswith("http")
    )
    base, n = bases.most_common(1)[0] if bases else ("", 0)
    return canonical_url(base) or "" if n > len(found) / 2 else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archives", type=Path)
    parser.add_argument("addresses", type=Path)
    parser.add_argument("--name", default="debian-docs")
    parser.add_argument("--pages", type=Path, help="folder of the fetched pages, to add the counts")
    arguments = parser.parse_args()
    rows = [line.split("\t") for line in arguments.addresses.read_text().splitlines()]
    known, facts, sites = {row[0]: row[1:] for row in rows}, index(), {}
    for archive in sorted(arguments.archives.glob("*.deb")):
        block = facts.get(sha256(archive.read_bytes()).hexdigest())
        paths, found = [], {}
        for path, html in html_files(archive, "/usr/share/") if block else ():
            paths.append(path)
            if match := CANONICAL.search(html[:10_000]):
                found[path] = match[1].decode("utf-8", "replace")
        if not paths:
            continue
        root = root_of(paths)
        address, also = [*known.get(block["Package"], ["", ""]), "", ""][:2]
        home = hosted(block.get("Homepage", ""))
        address = address or canonical(root, found) or home
        if not address:
            continue
        if not address.endswith("/"):
            address += "/"
        if address in sites:
            address = urljoin(address, re.sub(r"(-|^)docs?\b(-html)?", "", block["Package"]) + "/")
        sites.setdefault(address, Site(
            block["Package"], block["Version"], block["Filename"], int(block["Size"]),
            block["SHA256"], address, root, 0, "", also,
        ))  # fmt: skip
    if arguments.pages:
        with closing(sqlite3.connect(web_file(arguments.name, arguments.pages))) as base:
            counts = {p: of for p, *of in base.execute("SELECT package, pages, digest FROM site")}
        sites = {
            a: replace(site, pages=counts[site.package][0], pages_sha256=counts[site.package][1])
            for a, site in sites.items()
            if counts[site.package][0] >= LEAST
        }
    with (FOLDER / f"{arguments.name}.tsv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(field.name for field in fields(Site))
        writer.writerows(asdict(site).values() for site in sites.values())
    print(len(sites), "sites")


if __name__ == "__main__":
    main()
