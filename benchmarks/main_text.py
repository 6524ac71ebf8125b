"""Does the main text by a kept library judge pages better than the lines of eight words or more?

    pip install resiliparse==2.0.1 trafilatura==2.3.1
    tres fetch-web real-topics --archives ARCHIVES
    python benchmarks/main_text.py ARCHIVES

The study real-topics of chapter 13 runs once with each text of the pages: all lines (today's, of
which the classifier leaves out those of fewer than eight words), those that fewer than three pages
of the site have, and the main text by each library; each also without that rule of eight words.
Where a library finds nothing, all lines stay.

The rule, written before any of these runs: a library is adopted, in its better form, if the mean F1
over the six topics and the three ways (keywords, examples, review) falls by no more than .01
against today's, and it or the mean precision rises by .02 or more. For exported texts alone a
library is adopted, at an F1 as near, if on 20 pages drawn at random (seed 0, of the articles of all
six sites by turns) it leaves out at least half of the words of menus, and loses prose on two pages
at most. ``--show`` prints those pages for a reader to count.
"""

import argparse
import time
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest import mock
from urllib.parse import quote

import numpy as np
import pandas as pd

from tres_book.chapters import c13_real
from tres_lib.web import Page
from tres_lib.web.parsing import parse_page
from tres_lib.web.recorded.debian import html_files
from tres_lib.web.recorded.manifest import LOCAL, read_manifest
from tres_lib.web.recorded.pinning import MAX_TEXT, obtain
from tres_live.topic import few

WAYS = ["keywords", "examples", "review"]
REPEATED = 3  # pages of a site
SHOWN = 20


class Texts:
    """Texts of pages by another way than `parse_page`, found once."""

    def __init__(self, archives: Path):
        self.archives, self.seconds = archives, Counter()
        self._kept: dict[tuple[str, str], str] = {}

    @cache  # noqa: B019
    def documents(self, package: str) -> dict[str | None, bytes]:
        """Return the documents of a site by the URLs of their pages."""
        sites = read_manifest(c13_real.WEB)
        site = next(row for row in sites if row.package == package)
        files = html_files(obtain(site, self.archives), site.root)
        found = {}
        for path, html in files:
            found.setdefault(site.url(path), html)
        return found

    @cache  # noqa: B019
    def repeated(self, package: str) -> Counter:
        """Return how many pages of a site have each line."""
        web = c13_real.web()
        pages = (web.fetch(url) for url in web if web.site(url) == package)
        return Counter(line for page in pages for line in set(page.text.split("\n")))

    def of(self, way: str, page: Page, package: str) -> str:
        """Return the text of a page; all of it where the way finds none."""
        if (way, page.url) not in self._kept:
            begin = time.process_time()
            text = self._of(way, page, package)[: MAX_TEXT["article"]].strip()
            self.seconds[way] += time.process_time() - begin
            self._kept[way, page.url] = text or page.text
        return self._kept[way, page.url]

    def _of(self, way: str, page: Page, package: str) -> str:
        if way == "all":
            return page.text
        if way == "repeated":
            met = self.repeated(package)
            return "\n".join(line for line in page.text.split("\n") if met[line] < REPEATED)
        html = self.documents(package).get(page.url)
        document = (parse_page(LOCAL + quote("x"), html).html if html else b"").decode()
        if way == "trafilatura":
            import trafilatura

            return trafilatura.extract(document, include_comments=False) or ""
        from resiliparse.extract.html2text import extract_plain_text

        lines = map(str.split, extract_plain_text(document, main_content=True).split("\n"))
        return "\n".join(" ".join(words) for words in lines if words)


def trial(topic: str, texts: Texts, way: str, least: int) -> pd.DataFrame:
    """Return the measures of a topic by way of judging, with these texts."""
    fetch = c13_real.OneSite.fetch

    def with_text(site: c13_real.OneSite, url: str) -> Page:
        page = fetch(site, url)
        return replace(page, text=texts.of(way, page, site.site))

    with (
        mock.patch.object(c13_real.OneSite, "fetch", with_text),
        mock.patch.object(few, "PROSE", least),
    ):
        row = pd.DataFrame([{"topic": topic} | c13_real.trial(topic)])
    return c13_real.scores(row).loc[WAYS]


def show(texts: Texts) -> None:
    """Print the pages that are drawn, with the lines that each text leaves out."""
    rng, web = np.random.default_rng(0), c13_real.web()
    sites = [about.site for about in c13_real.topics().values()]
    for i in range(SHOWN):
        site = sites[i % len(sites)]
        urls = [u for u in web if web.site(u) == site and web.kind(u) == "article"]
        page = web.fetch(urls[rng.integers(len(urls))])
        print(f"\n##### {i + 1} {page.url} ({len(page.text.split())} words)")
        kept = {way: texts.of(way, page, site) for way in ("resiliparse", "trafilatura")}
        inside = {way: " ".join(text.split()) for way, text in kept.items()}
        for line in page.text.split("\n"):
            marks = "".join(name[0] if line in text else "." for name, text in inside.items())
            print(f"{marks} {len(line.split()):4} {line[:110]}")


def main() -> None:
    """Run the study with each text, and print means over topics."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path, nargs="?")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if given.archives is None:  # as in `make bench`
        return parser.print_help()
    texts = Texts(given.archives)
    if given.show:
        return show(texts)
    tables = {}
    for way in ("all", "repeated", "resiliparse", "trafilatura"):
        for least in (few.PROSE, 1):
            parts = [trial(topic, texts, way, least) for topic in c13_real.topics()]
            table = pd.concat(parts)
            tables[way, least] = table
            print(f"\n{way}, lines of {least} words or more", flush=True)
            print(table["f1"].unstack("topic").reindex(WAYS).round(2).to_string(), flush=True)
    means = {name: table[["precision", "recall", "f1"]].mean() for name, table in tables.items()}
    print(pd.DataFrame(means).T.round(3).to_string())
    print({way: f"{seconds:.1f} s" for way, seconds in texts.seconds.items()})


if __name__ == "__main__":
    main()
