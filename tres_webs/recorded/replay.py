"""ReplayWeb: recorded real pages, fetched again without the network."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

import numpy as np

from ..checks import generator
from ..page import FetchError, Page, Web
from ..topic import Topic, load_topics
from ..urls import canonical_url
from . import wikispeedia as wiki
from .recording import History, Recording, by_canonical_url, read_folder, read_pages
from .warc import responses

Label = str | Topic
Labels = Mapping[str, Label | Iterable[Label]]
Covers = Callable[[tuple[str, ...], Label], bool | None]


class ReplayWeb(Web):
    """A web of recorded pages. Build it by one of the ``from_`` methods.

    Links that leave the recording are kept, as on the Web; to fetch one raises `FetchError`.
    Labels give a page's topics, by name: a page without a label is of unknown relevance, one with
    an empty collection is on no topic.
    """

    def __init__(self, recording: Recording, labels: Labels | None, covers: Covers | None = None):
        self._recording = recording
        # Names of topics by canonical URL; a page that is skipped needs no label.
        given = by_canonical_url((labels or {}).items(), "labels", logging.INFO)
        several = {url: [of] if isinstance(of, str | Topic) else of for url, of in given.items()}
        self._labels = {url: tuple(map(_name, of)) for url, of in several.items()}
        self._names = frozenset(name for names in self._labels.values() for name in names)
        self._covers = covers or self._named

    @classmethod
    def from_pages(
        cls, pages: Iterable[Page] | Mapping[str, Page | str | bytes], labels: Labels | None = None
    ) -> Self:
        """Return a web of ready pages, or of a dict from URL to `Page` or HTML.

        Pages whose URL no crawler may fetch are skipped; one warning counts them. Labels are the
        topics of a page, one or several, by its URL.

        Examples
        --------
        >>> page = "<title>Bands</title> <a href='/jazz'>jazz songs</a>"
        >>> web = ReplayWeb.from_pages({"http://a.example/": page}, {"http://a.example/": "music"})
        >>> web.fetch("http://a.example").links
        (Link(url='http://a.example/jazz', anchor='jazz songs'),)
        >>> web.is_relevant("http://a.example/", "music")
        True
        """
        return cls(read_pages(pages), labels)

    @classmethod
    def from_directory(
        cls, folders: Mapping[str, str | os.PathLike], labels: Labels | None = None
    ) -> Self:
        """Return a web of saved sites: the HTML files of a folder for each host.

        The file ``a/b.html`` is ``http://host/a/b.html``, ``a/index.html`` is ``http://host/a/``.
        The same addresses with https lead there too. For labels see `from_pages`.
        """
        if not isinstance(folders, Mapping):
            raise ValueError(f"folders={folders!r}: give a dict, such as {{'a.example': folder}}")
        documents: dict = {}
        aliases: dict = {}
        for host, folder in folders.items():
            files, addresses = read_folder(host, Path(folder))
            documents |= files
            aliases |= addresses
        return cls(Recording(documents, aliases), labels)

    @classmethod
    def from_warc(
        cls,
        paths: str | os.PathLike | Iterable[str | os.PathLike],
        labels: Labels | None = None,
        *,
        clock: Callable[[], float] | None = None,
    ) -> Self:
        """Return a web of WARC files (plain or gzip): their HTML responses of status 200.

        Of several responses to one URL the last counts; redirects are followed; transfer and
        content codings are undone. A record marked WARC-Truncated gives a truncated page; one that
        is damaged, or of an unknown coding, is skipped, and a warning counts them. For labels see
        `from_pages`. With a clock, which returns the time in days since 1970 began, the web answers
        as of that moment, by WARC-Date: what is recorded later is not there yet.
        """
        several = [paths] if isinstance(paths, str | os.PathLike) else paths
        listed = list(several) if isinstance(several, Iterable) else [several]
        if not all(isinstance(path, str | os.PathLike) for path in listed):
            raise ValueError(f"paths={paths!r}: give a path, or a list of paths")
        recorded = (response for path in listed for response in responses(Path(path)))
        return cls(History(recorded, clock), labels)

    @classmethod
    def from_wikispeedia(cls, path: str | os.PathLike | None = None) -> Self:
        """Return Wikispeedia: 4,604 articles, 119,882 links, relevance by category.

        All articles are of one site, ``http://wikispeedia.example/wiki/``, so a limit of pages
        per domain makes no sense here. An anchor is the target's title as the article spells it.

        The path is that of a folder with both SNAP archives, by default `wikispeedia_folder`; where
        there is none they are downloaded once (37 MB) and checked.

        References
        ----------
        R. West and J. Leskovec, Human wayfinding in information networks, WWW 2012.
        """
        folder = wiki.wikispeedia_folder(path)
        if folder is None and path is not None:
            raise ValueError(f"path={str(path)!r}: put {' and '.join(wiki.SHA256)} there")
        articles = wiki.Wikispeedia(folder or wiki.download_wikispeedia())
        return cls(articles, articles.categories, covers=wiki.in_categories)

    def fetch(self, url: str) -> Page:
        """Return the page at the end of the recorded redirects; FetchError without a record."""
        recorded = self._recorded(url)
        if recorded is None:
            raise FetchError(url, "not recorded")
        try:
            return self._recording[recorded]
        except OSError as error:
            raise FetchError(url, f"cannot be read: {error.strerror}") from error

    def is_relevant(self, url: str, topic: Label) -> bool | None:
        """Return whether the page is on the topic by its label; None without label or category.

        ValueError for a name that neither the labels nor ``data/topics.yaml`` has.
        """
        names = self._labels.get(self._recorded(url) or canonical_url(url) or "")
        return None if names is None else self._covers(names, topic)

    def seeds(self, topic: Label, n: int, rng: np.random.Generator | int) -> list[str]:
        """Return n relevant pages at random, none linking to another; ValueError if too few."""
        relevant = [url for url in self._recording if self.is_relevant(url, topic)]
        order = [relevant[i] for i in generator("rng", rng).permutation(len(relevant))]
        chosen = self._apart(order, n)
        if len(chosen) < n:  # a hub drawn early bars many: take pages with few links first
            chosen = self._apart(sorted(order, key=lambda url: len(self.links(url))), n)
        if len(chosen) < n:
            raise ValueError(
                f"n={n}: found {len(chosen)} pages apart among the {len(relevant)} known to be "
                f"relevant to topic {_name(topic)!r}; ask for fewer, or label more pages"
            )
        return chosen

    def links(self, url: str) -> tuple[str, ...]:
        """Return the canonical URLs to which a recorded page links, none if it is not recorded."""
        recorded = self._recorded(url)
        return () if recorded is None else self._recording.links(recorded)

    def categories(self, url: str) -> tuple[str, ...]:
        """Return a page's topics by name, for Wikispeedia its categories; none without a label."""
        return self._labels.get(self._recorded(url) or "", ())

    def urls(self) -> list[str]:
        return list(self._recording)

    def __iter__(self) -> Iterator[str]:
        return iter(self._recording)

    def __len__(self) -> int:
        return len(self._recording)

    def __contains__(self, url: str) -> bool:
        return self._recorded(url) is not None

    def _recorded(self, url: str) -> str | None:
        """Return the URL under which a page is recorded; None if it is not."""
        end = self._recording.end(canonical_url(url) or "")
        return end if end in self._recording else None

    def _apart(self, urls: list[str], n: int) -> list[str]:
        """Return the first n URLs that neither link to an earlier one nor are linked from it."""
        chosen: dict[str, set[str]] = {}
        for url in urls:
            if len(chosen) >= n:
                break
            targets = {self._recording.end(to) for to in self.links(url)}
            if targets.isdisjoint(chosen) and not any(url in of for of in chosen.values()):
                chosen[url] = targets
        return list(chosen)

    def _named(self, names: tuple[str, ...], topic: Label) -> bool:
        name = _name(topic)
        if isinstance(topic, str) and name not in self._names and name not in load_topics():
            there = ", ".join(sorted(self._names | load_topics().keys()))
            raise ValueError(f"topic={topic!r}: use one of {there}, or a Topic of your own")
        return name in names


def _name(label: Label) -> str:
    return label if isinstance(label, str) else label.name
