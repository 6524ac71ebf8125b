"""Wikispeedia: 4,604 real Wikipedia articles of 2007, their links and categories, from SNAP."""

import os
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from ..files import data_places
from ..page import Link, Page
from ..topic import Topic, get_topic
from ..urls import canonical_url
from .recording import Recording

SOURCE = "https://snap.stanford.edu/data/wikispeedia/"
GRAPH = "wikispeedia_paths-and-graph.tar.gz"
TEXTS = "wikispeedia_articles_plaintext.tar.gz"
SHA256 = {
    GRAPH: "97697096f5d2dcb77aa69e3992305c6c561de89edb9fb10b5ad9feaf8ba534d5",
    TEXTS: "8e43d12822d05746a59f7de8987ffd6eafa57d248303d1c02cfe85b519359dc1",
}
# The archives name no host; "example" is reserved, so no such URL can be real.
SITE = "http://wikispeedia.example/wiki/"

# Paragraphs that the archive added; the second one names the label.
NOT_ARTICLE = re.compile(r"#copyright$|.*Schools Wikipedia Selection")
LICENCE = re.compile(r'^[ \t]*(?:Retrieved from "|This reference article is mainly).*', re.M | re.S)
PARAGRAPH_BREAK = re.compile(r"\n[ \t\r]*\n")


class Wikispeedia(Recording):
    """The articles by URL; links and categories are ready, texts are read at the first page."""

    def __init__(self, folder: Path):
        tables = _read_tables(folder / GRAPH)
        self._texts_file = folder / TEXTS
        url_of = {name: _url(name) for (name,) in tables["articles.tsv"]}
        super().__init__({url: name for name, url in url_of.items()})
        self._links = _group(tables["links.tsv"], url_of, url_of)
        # By URL, such as ("subject.Everyday_life.Sports",); articles without any are left out.
        self.categories = _group(tables["categories.tsv"], url_of, {})

    def links(self, url: str) -> tuple[str, ...]:
        """Return where an article links to, without making its page."""
        return self._links.get(url, ())

    def __getitem__(self, url: str) -> Page:
        name = self.data[url]
        text = article_text(self._texts.get(name, b"").decode("utf-8", "replace"))
        folded = text.lower()
        titles = {to: _title(self.data.get(to, to)) for to in self.links(url)}
        links = (Link(to, _surface(titles[to], text, folded)) for to in self.links(url))
        return Page(url, 200, _title(name), text, tuple(links))

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        members = _members(self._texts_file)
        return {path.stem: data for path, data in members if path.suffix == ".txt"}


def wikispeedia_folder(path: str | os.PathLike | None = None) -> Path | None:
    """Return the local folder with both archives, or None if there is none.

    By default it is sought in that of TRES_DATA, its sub-folder, and the user's cache.
    """
    places = data_places("wikispeedia", path)
    return next((p for p in places if all((p / name).is_file() for name in SHA256)), None)


def download_wikispeedia() -> Path:
    """Fetch both archives from SNAP once, check them by SHA-256, and return their folder."""
    import pooch

    folder = Path(pooch.os_cache("tres"))
    for name, sha256 in SHA256.items():
        pooch.retrieve(SOURCE + name, known_hash=f"sha256:{sha256}", fname=name, path=folder)
    return folder


def article_text(plain: str) -> str:
    """Return an article's own paragraphs, one per line, without those that the archive added."""
    paragraphs = (" ".join(part.split()) for part in PARAGRAPH_BREAK.split(LICENCE.sub("", plain)))
    return "\n".join(p for p in paragraphs if p and not NOT_ARTICLE.match(p))


def in_categories(categories: tuple[str, ...], topic: str | Topic) -> bool | None:
    """Return whether a category is among the topic's; None if the topic names none."""
    prefixes = get_topic(topic).wikispeedia
    # The full stop lets "subject.IT." stand for the category subject.IT itself too.
    return any(f"{c}.".startswith(prefixes) for c in categories) if prefixes else None


def _url(name: str) -> str:
    url = canonical_url(SITE + name)
    if url is None:
        raise ValueError(f"article {name!r} of {GRAPH} makes no URL")
    return url


def _title(name: str) -> str:
    return unquote(name).replace("_", " ")


def _surface(title: str, text: str, folded: str) -> str:
    """Return the title as the text has it, at the start of a word; else the title itself."""
    wanted = re.sub(r"\s*\([^)]*\)", "", title).lower()
    at = folded.find(wanted)
    while at > 0 and folded[at - 1].isalnum():
        at = folded.find(wanted, at + 1)
    # A few letters change their length in lower case; then positions do not carry over.
    is_there = at >= 0 and len(folded) == len(text)
    return text[at : at + len(wanted)] if wanted and is_there else title


def _members(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield path and content of every file in a tar archive; write nothing to disk."""
    try:
        with tarfile.open(archive, "r|gz") as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield PurePosixPath(member.name), file.read()
    except (OSError, EOFError, tarfile.TarError) as error:
        raise ValueError(f"{archive} cannot be read: {error}; fetch it anew from SNAP") from error


def _read_tables(archive: Path) -> dict[str, list[list[str]]]:
    """Return the rows of the three tables in the archive of the graph."""
    wanted = ("articles.tsv", "categories.tsv", "links.tsv")
    tables = {}
    for path, data in _members(archive):
        if path.name in wanted:
            lines = (line for line in data.decode().splitlines() if not line.startswith("#"))
            tables[path.name] = [line.split("\t") for line in lines if line.strip()]
    if len(tables) < len(wanted):
        raise ValueError(f"{archive} lacks a table: it has {sorted(tables)} of {wanted}")
    return tables


def _group(rows: list[list[str]], url_of: dict, values: dict) -> dict[str, tuple[str, ...]]:
    """Return the second column by the URL of the first, translated by `values`."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, value in rows:
        groups[url_of.get(name) or _url(name)].append(values.get(value, value))
    return {url: tuple(group) for url, group in groups.items()}
