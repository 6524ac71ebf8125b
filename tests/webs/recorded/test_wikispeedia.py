"""Wikispeedia's archives, on a small copy of our own and where they are at hand."""

import gzip
import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tres_webs.page import Link
from tres_webs.recorded.replay import ReplayWeb
from tres_webs.recorded.wikispeedia import (
    GRAPH,
    SHA256,
    SOURCE,
    TEXTS,
    article_text,
    download_wikispeedia,
    wikispeedia_folder,
)
from tres_webs.topic import Topic


def plain(title: str, subjects: str, body: str) -> str:
    return (
        f"   #copyright\n\n{title}\n\n"
        f"2007 Schools Wikipedia Selection. Related subjects: {subjects}\n\n   {body}\n\n"
        f'   Retrieved from " http://en.wikipedia.org/wiki/{title}"\n'
        "   This reference article is mainly selected from the English Wikipedia\n"
        "   with only minor checks, under the GNU Free\n   Documentation License.\n"
    )


ARTICLES = {
    "Golf": plain("Golf", "Ball games;\nOutdoor pursuits", "A game. See\n   tennis and the CHESS."),
    "Chess_%28game%29": plain("Chess", "Board games", "Pieces, an arena and a Tea."),
    "Tea": plain("Tea", "Drinks", "It is drunk at Wimbledon."),
    "Tennis": plain("Tennis", "Ball games", "With a racket."),
    "%C3%89ire": plain("Éire", "Countries", "An island."),
}
CATEGORIES = [
    ("Golf", "subject.Everyday_life.Sports"),
    ("Golf", "subject.Geography.Scotland"),
    ("Tennis", "subject.Everyday_life.Sports"),
    ("Chess_%28game%29", "subject.Everyday_life.Sports_of_the_mind"),
    ("Tea", "subject.Everyday_life.Drink"),
]
LINKS = [
    ("Golf", "Tennis"),
    ("Golf", "Chess_%28game%29"),
    ("Golf", "%C3%89ire"),
    ("Chess_%28game%29", "Tea"),
]
SPORTS = Topic("sports", keywords=("sport",), wikispeedia=("subject.Everyday_life.Sports.",))
WIKI = "http://wikispeedia.example/wiki/"


def write_tar(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    def table(rows):
        return "# About this file\n#\n\n" + "\n".join("\t".join(row) for row in rows) + "\n"

    folder = tmp_path / "wikispeedia"
    folder.mkdir()
    graph = {
        "articles.tsv": table((name,) for name in ARTICLES),
        "categories.tsv": table(CATEGORIES),
        "links.tsv": table(LINKS),
        "paths_unfinished.tsv": "of no use",
    }
    write_tar(folder / GRAPH, {f"wikispeedia_paths-and-graph/{n}": t for n, t in graph.items()})
    write_tar(folder / TEXTS, {f"plaintext_articles/{n}.txt": t for n, t in ARTICLES.items()})
    return folder


def test_wikispeedia(archives):
    web = ReplayWeb.from_wikispeedia(archives)
    assert len(web) == 5
    golf = web.fetch(WIKI + "Golf")
    assert (golf.title, golf.text) == ("Golf", "Golf\nA game. See tennis and the CHESS.")
    assert golf.links == (
        Link(WIKI + "Tennis", "tennis"),
        Link(WIKI + "Chess_(game)", "CHESS"),
        Link(WIKI + "%C3%89ire", "Éire"),
    )
    assert web.links(WIKI + "Golf") == tuple(link.url for link in golf.links)
    chess = web.fetch(WIKI + "Chess_%28game%29")
    assert chess.title == "Chess (game)" and chess.links == (Link(WIKI + "Tea", "Tea"),)
    assert web.fetch(WIKI + "Éire").title == "Éire"
    assert web.categories(WIKI + "Golf") == (CATEGORIES[0][1], CATEGORIES[1][1])


def test_wikispeedia_relevance_by_category(archives):
    web = ReplayWeb.from_wikispeedia(archives)
    assert web.is_relevant(WIKI + "Golf", SPORTS) is True
    assert web.is_relevant(WIKI + "Tea", SPORTS) is False
    assert web.is_relevant(WIKI + "Chess_(game)", SPORTS) is False  # another category
    assert web.is_relevant(WIKI + "%C3%89ire", SPORTS) is None  # without a category
    assert web.is_relevant(WIKI + "Polo", SPORTS) is None
    assert web.is_relevant(WIKI + "Golf", Topic("music", keywords=("jazz",))) is None
    with pytest.raises(ValueError, match="chess"):
        web.is_relevant(WIKI + "Golf", "chess")
    assert len(web.seeds(SPORTS, 1, 0)) == 1
    with pytest.raises(ValueError, match="n=2.*found 1 .*the 2 "):
        web.seeds(SPORTS, 2, 0)  # Golf links to Tennis


@pytest.mark.parametrize(
    "head",
    [
        "2007 Schools Wikipedia Selection. Related subjects: Secret one;\nSecret two, and\nSecret",
        "2007 Schools Wikipedia Selection. Related\nsubjects: Secret one; Secret two",
        "2007 Schools\nWikipedia Selection. Related subjects:\nSecret one",
        "  2007 Schools Wikipedia Selection. Related subjects: Secret one;\r\n  Secret two",
    ],
)
def test_the_paragraph_that_names_the_categories_goes_whole(head):
    text = article_text(
        f"   #copyright\n\nTitle\n\n{head}\n\n\n   The text\n   goes on.\n\n   End."
    )
    assert text == "Title\nThe text goes on.\nEnd."


def test_where_the_archives_are_looked_for(archives, monkeypatch):
    import pooch

    monkeypatch.setattr(pooch, "os_cache", lambda name: archives / "empty")
    monkeypatch.setenv("TRES_DATA", str(archives))
    assert wikispeedia_folder() == archives and len(ReplayWeb.from_wikispeedia()) == 5
    monkeypatch.setenv("TRES_DATA", str(archives.parent))
    assert wikispeedia_folder() == archives
    monkeypatch.setenv("TRES_DATA", str(archives / "nowhere"))
    assert wikispeedia_folder() is None
    monkeypatch.delenv("TRES_DATA")
    assert wikispeedia_folder() is None
    monkeypatch.setattr(pooch, "os_cache", lambda name: archives)
    assert wikispeedia_folder() == archives
    with pytest.raises(ValueError, match=f"nowhere.*{GRAPH}"):
        ReplayWeb.from_wikispeedia(archives / "nowhere")


def test_download_is_checked(archives, monkeypatch):
    import pooch

    asked = {}
    monkeypatch.setattr(pooch, "os_cache", lambda name: archives)
    monkeypatch.setattr(
        pooch, "retrieve", lambda url, known_hash, fname, path: asked.update({url: known_hash})
    )
    monkeypatch.delenv("TRES_DATA", raising=False)
    assert download_wikispeedia() == archives
    assert asked == {SOURCE + name: f"sha256:{digest}" for name, digest in SHA256.items()}
    assert len(ReplayWeb.from_wikispeedia()) == 5


@pytest.mark.parametrize("content", [b"", b"no archive", gzip.compress(b"no tar", mtime=0)])
def test_a_broken_archive_is_named(archives, content):
    (archives / GRAPH).write_bytes(content)
    with pytest.raises(ValueError, match=GRAPH):
        ReplayWeb.from_wikispeedia(archives)


SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "wikispeedia"


@pytest.mark.slow
def test_the_real_archives():
    folder = wikispeedia_folder() or wikispeedia_folder(SHARED)
    if folder is None:
        pytest.skip("no Wikispeedia archives in TRES_DATA or beside the repository")
    web = ReplayWeb.from_wikispeedia(folder)
    assert len(web) >= 4_598
    assert sum(len(web.links(url)) for url in web) >= 119_879
    for topic, share in [("sports", 0.03), ("food", 0.02), ("computing", 0.02)]:
        assert 0.2 * share < np.mean([web.is_relevant(url, topic) is True for url in web])
        seeds = web.seeds(topic, 10, 0)
        assert len({*seeds}) == 10
        assert not any(to in seeds for url in seeds for to in web.links(url) if to != url)
    for url in np.random.default_rng(0).choice(web.urls(), 300, replace=False):
        page = web.fetch(str(url))
        assert "Schools Wikipedia Selection" not in page.text
        assert "#copyright" not in page.text and "GNU Free" not in page.text[-100:]
        assert len(page.text) > 300 and len(page.links) == len(web.links(url))
