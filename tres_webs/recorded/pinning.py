"""Obtaining a pinned web: archives by version and hash, their pages into one database."""

import json
import lzma
import re
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import quote

from ..checks import count
from ..page import Page
from ..parsing import distinct_links, parse_page
from . import label_rules
from .debian import html_files
from .manifest import LOCAL, Addresses, Site, read_manifest
from .pinned import FORMAT, packed, unpacked, web_file

AT_ONCE = 25  # archives that one start of apt-get downloads
BLOCK = 32  # pages that are packed together
MAX_TEXT = {"article": 50_000, "index": 2_000, "listing": 2_000}  # characters that are kept
SAMPLE = 20_000  # characters by which a page's language is told
ENOUGH = 10  # small words of a language that tell it
SMALL_WORDS = {
    "English": "the of to and is in for that this with be are by from it as not can",
    "German": "der die und das ist nicht mit den von ein eine auf werden wird zu im",
    "French": "le les des est une dans pour que qui sur pas par avec sont du et",
    "Spanish": "el los las una para por con se del como es que su este al en",
    "Portuguese": "os uma para com por que do da em na um as mais ser como o",
    "Italian": "il che di una per con della sono del gli nel le si non alla",
    "Dutch": "het een van de niet met voor zijn wordt dat op aan te",
    "Polish": "jest nie na do z w oraz przez dla lub jako od ten",
}
EMPTY = f"""
DROP TABLE IF EXISTS site; DROP TABLE IF EXISTS block; DROP TABLE IF EXISTS page; VACUUM;
PRAGMA application_id = {FORMAT};
"""
SCHEMA = """
CREATE TABLE IF NOT EXISTS site (package TEXT PRIMARY KEY, sha256, pages, digest, facts);
CREATE TABLE IF NOT EXISTS block (id INTEGER PRIMARY KEY, pages BLOB);
CREATE TABLE IF NOT EXISTS page
    (url TEXT PRIMARY KEY, site, block, line, kind, topics) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_site ON page (site);
"""
INDEX = re.compile(
    r"/(?:genindex[\w-]*|search|(?:py-)?modindex|http-routingtable|annotated|classes|hierarchy"
    r"|inherits|files|namespaces|modules|topics|(?:functions|globals|namespacemembers)(?:_\w+)?"
    r"|dir_[0-9a-f]{8,}|.*-members|index-all|index-\d+|allclasses[\w-]*|allpackages-index"
    r"|overview-\w+|package-(?:tree|use|frame|summary)|constant-values|serialized-form"
    r"|deprecated-list|api-index\w*|ix\d+)\.x?html?$|/(?:class-use|index-files)/",
    re.I,
)
INDEX_TITLE = re.compile(
    r"(?:^|: )(?:Member List|List of All Members|(?:Class|Data Structure|Namespace|File|Module)s?"
    r" (?:Index|List|Hierarchy|Members)|Graph Legend|.* Directory Reference)\b"
    r"|^(?:[\w-]+ ){0,3}Index(?: \(|$)"
)
LISTING = re.compile(r"(?:_source|\.src)\.html?$|/(?:_modules|_sources|src-html)/", re.I)


def fetch_web(
    name: str,
    folder: Path | None = None,
    cut: int | None = None,
    mirrors: Sequence[str] = (),
    archives: Path | None = None,
) -> list[str]:
    """Obtain the sites of a manifest that are not yet there; return what went wrong, by site.

    Archives are kept in the folder `archives`, if given. A file of an older format is made anew.
    """
    from tqdm.auto import tqdm

    sites = read_manifest(name)
    wanted = sites if cut is None else sites[: count("cut", cut, 1, len(sites))]
    addresses, file, faults = Addresses(sites), web_file(name, folder), []
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as base, TemporaryDirectory() as temporary:
        try:
            tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
            if tables and "site" not in tables:
                raise ValueError(f"folder: {str(file)!r} is another data base; name another")
            if base.execute("PRAGMA application_id").fetchone()[0] != FORMAT:
                base.executescript(EMPTY)  # a file of an older format holds nothing of use
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{file} cannot be read ({error}); remove it") from error
        base.executescript(SCHEMA)
        relabel(base, name)
        there = dict(base.execute("SELECT package, sha256 FROM site"))
        rules = label_rules.read_rules(name)
        folder_of_archives = archives or Path(temporary)
        folder_of_archives.mkdir(parents=True, exist_ok=True)
        todo = [site for site in wanted if there.get(site.package) != site.sha256]
        bar = tqdm(todo, unit="site", desc=name)
        for i, site in enumerate(bar):
            try:
                if i % AT_ONCE == 0:
                    _download(todo[i : i + AT_ONCE], folder_of_archives)
                archive = obtain(site, folder_of_archives, mirrors)
                fault = store(base, site, read_site(site, archive, addresses), rules)
                faults += [fault] if fault else []
                if not archives:
                    archive.unlink()
            except ValueError as error:
                faults.append(f"{site.package}: {error}")
    return faults


def obtain(site: Site, folder: Path, mirrors: Iterable[str] = ()) -> Path:
    """Return the archive: in the folder, by apt-get or from a mirror; ValueError without any."""
    import requests

    if file := _found(site, folder):
        return file
    problem = "there is no apt-get; name a --mirror"
    if shutil.which("apt-get"):
        gone = _download([site], folder)
        if file := _found(site, folder):
            return file
        problem = "apt-get has it no more" if gone else "apt-get has another file"
    for mirror in mirrors:
        try:
            url = f"{mirror.rstrip('/')}/{site.path}"
            with requests.get(url, stream=True, timeout=60) as reply:
                reply.raise_for_status()
                data = reply.raw.read(site.bytes + 1)
        except (requests.RequestException, OSError) as error:
            problem = f"{mirror}: {error}"
            continue
        if _hash(data) == site.sha256:
            file = folder / f"{site.package}_.deb"
            file.write_bytes(data)
            return file
        problem = f"{mirror} has another file"
    raise ValueError(f"version {site.version} is not to be had: {problem}")


def _found(site: Site, folder: Path) -> Path | None:
    found = folder.glob(f"{site.package}_*.deb")
    return next((file for file in found if _hash(file.read_bytes()) == site.sha256), None)


def _download(sites: Iterable[Site], folder: Path) -> int:
    """Have apt-get download what the folder lacks, or none if one has gone; return its code."""
    missing = [f"{site.package}={site.version}" for site in sites if not _found(site, folder)]
    if not missing or not (command := shutil.which("apt-get")):
        return 0
    run = subprocess.run([command, "download", *missing], cwd=folder, capture_output=True)
    return run.returncode


def store(
    base: sqlite3.Connection, site: Site, read: "Reading", rules: Sequence[label_rules.Rule]
) -> str:
    """Write a site's pages in one transaction; return how they differ from the manifest's."""
    repeated = label_rules.repeated_lines([page for page, _ in read.pages])
    with base:
        for start in range(0, len(read.pages), BLOCK):
            block = read.pages[start : start + BLOCK]
            data = lzma.compress(b"\n".join(packed(page) for page, _ in block), preset=3)
            number = base.execute("INSERT INTO block (pages) VALUES (?)", (data,)).lastrowid
            for line, (page, sort) in enumerate(block):
                topics = label_rules.page_topics(page, rules, repeated) if sort == "article" else []
                row = (page.url, site.package, number, line, sort, " ".join(topics))
                base.execute("INSERT OR IGNORE INTO page VALUES (?, ?, ?, ?, ?, ?)", row)
        facts = json.dumps({"templates": read.templates, "languages": read.languages})
        known = (site.package, site.sha256, len(read.pages), read.digest, facts)
        base.execute("REPLACE INTO site VALUES (?, ?, ?, ?, ?)", known)
    differs = site.pages_sha256 and read.digest != site.pages_sha256
    return f"{site.package}: other pages were kept than the manifest says" if differs else ""


class Reading(NamedTuple):
    """What was read of a site: its English pages with their kinds, and what was left out."""

    pages: list[tuple[Page, str]]
    digest: str  # of the pages' paths and hashes
    languages: dict[str, int]  # pages in others
    templates: int  # links that most pages repeat


def read_site(site: Site, archive: Path, addresses: Addresses) -> Reading:
    """Read a site's pages out of its archive."""
    read: dict[str, tuple[Page, str]] = {}
    languages: Counter[str] = Counter()
    digest, seen = sha256(), set()
    for path, html in html_files(archive, site.root):
        url, content = site.url(path), _hash(html)
        if url is None or url in read or content in seen:
            continue
        seen.add(content)
        page = parse_page(LOCAL + quote(path), html.replace(b"file:///", b"/"))
        if (spoken := language(page.text)) != "English":
            languages[spoken] += 1
            continue
        links = ((addresses.outward(k.url), (k.anchor, k.path)) for k in page.links)
        sort = kind(path, page.title)
        text, is_long = page.text[: MAX_TEXT[sort]], len(page.text) > MAX_TEXT[sort]
        page = Page(url, 200, page.title, text, distinct_links(links, url), truncated=is_long)
        read[url] = page, sort
        digest.update(f"{path} {content}\n".encode())
    pages, templates = without_templates(list(read.values()), site, addresses)
    return Reading(pages, digest.hexdigest()[:16], dict(languages), templates)


def kind(path: str, title: str) -> str:
    """Return "index" or "listing" for what generators make of other pages, else "article"."""
    if INDEX.search(path) or INDEX_TITLE.search(title):
        return "index"
    return "listing" if LISTING.search(path) or title.endswith("Source File") else "article"


def language(text: str) -> str:
    """Return the language of a text by its small words; English if there are too few to tell."""
    sample = text[:SAMPLE].lower()
    letters = re.findall(r"[^\W\d_]", sample)
    if sum(sign > "\u024f" for sign in letters) > 0.3 * len(letters):
        return "other script"
    words = Counter(sample.split())
    hits = {name: sum(words[w] for w in few.split()) for name, few in SMALL_WORDS.items()}
    best = max(hits, key=lambda name: hits[name])
    return best if hits[best] >= ENOUGH else "English"


def without_templates(
    pages: Sequence[tuple[Page, str]], site: Site, addresses: Addresses
) -> tuple[list[tuple[Page, str]], int]:
    """Leave out links to elsewhere that over half of the pages repeat, such as a generator's."""
    counts = Counter(
        link.url for page, _ in pages for link in page.links if addresses.site_of(link.url) != site
    )
    repeated = {url for url, n in counts.items() if 2 * n > len(pages)}
    links = [tuple(link for link in page.links if link.url not in repeated) for page, _ in pages]
    linked = [
        (replace(page, links=of), kind) for (page, kind), of in zip(pages, links, strict=True)
    ]
    return linked, sum(counts[url] for url in repeated)


def relabel(base: sqlite3.Connection, name: str) -> None:
    """Label all pages anew if the rules are others than those of the stored labels."""
    version = label_rules.rules_version(name)
    if version == base.execute("PRAGMA user_version").fetchone()[0]:
        return
    rules = label_rules.read_rules(name)
    blocks = "SELECT pages FROM block WHERE id IN (SELECT block FROM page WHERE site = ?)"
    with base:
        for site in base.execute("SELECT package FROM site").fetchall():
            data = (lzma.decompress(row[0]).split(b"\n") for row in base.execute(blocks, site))
            pages = [unpacked(line) for lines in data for line in lines]
            repeated = label_rules.repeated_lines(pages)
            for page in pages:
                topics = " ".join(label_rules.page_topics(page, rules, repeated))
                row = (topics, page.url)
                base.execute("UPDATE page SET topics = ? WHERE url = ? AND kind = 'article'", row)
        base.execute(f"PRAGMA user_version = {version}")


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()
