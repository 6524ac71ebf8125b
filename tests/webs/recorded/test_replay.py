"""ReplayWeb: pages and folders of HTML, on small recordings of our own."""

import os
from pathlib import Path

import numpy as np
import pytest

from tres_webs.page import FetchError, Link
from tres_webs.recorded.replay import ReplayWeb
from tres_webs.topic import Topic

HUB, A, B, C = (f"http://site.org/{name}" for name in ("hub", "a", "b", "c"))
STAR = {
    HUB: "<title>Hub</title><a href=a>A</a><a href=b>B</a><a href=c>C</a>",
    A: "a <a href='http://elsewhere.org/'>out</a>",
    B: "b",
    C: b"c",
}


def test_pages_from_a_dict_keep_links_that_leave():
    web = ReplayWeb.from_pages(STAR)
    assert len(web) == 4 and web.urls() == [HUB, A, B, C] and list(web) == web.urls()
    assert web.fetch("HTTP://site.org:80/hub#x").title == "Hub"
    assert web.links(HUB) == (A, B, C)
    assert web.fetch(A).links == (Link("http://elsewhere.org/", "out"),)
    assert A in web and "http://elsewhere.org/" not in web
    for url in ("http://elsewhere.org/", "nonsense"):
        with pytest.raises(FetchError) as caught:
            web.fetch(url)
        assert (caught.value.url, caught.value.reason) == (url, "not recorded")


def test_pages_that_no_crawler_may_fetch_are_skipped_with_one_warning(caplog):
    bad = {"http://site.org/app.js.map": "x", "http://site.org/b.pdf": "y", "mailto:a@b.org": "z"}
    with caplog.at_level("WARNING"):
        web = ReplayWeb.from_pages(STAR | bad, labels=dict.fromkeys(STAR | bad, "sports"))
    assert web.urls() == list(STAR)
    assert web.is_relevant(A, "sports") is True
    (record,) = caplog.records
    said = record.getMessage()
    assert said.startswith(f"3 of {len(STAR) + 3} pages skipped") and "app.js.map" in said


def test_relevance_by_labels():
    mine = Topic("music", keywords=("jazz",))
    labels = {HUB: (), A: "sports", "http://SITE.org/b": ["food", mine], C: mine}
    web = ReplayWeb.from_pages(STAR | {"http://site.org/d": "d"}, labels)
    assert [web.is_relevant(u, "sports") for u in (HUB, A, B, C)] == [False, True, False, False]
    assert [web.is_relevant(u, mine) for u in (HUB, A, B, C)] == [False, False, True, True]
    assert web.is_relevant("http://site.org/d", "sports") is None
    assert web.is_relevant("http://elsewhere.org/", "sports") is None
    assert web.categories(B) == ("food", "music") and web.categories("http://site.org/d") == ()
    with pytest.raises(ValueError, match="chess.*food, music, sports"):
        web.is_relevant(A, "chess")
    assert ReplayWeb.from_pages(STAR).is_relevant(A, "sports") is None


def test_seeds_do_not_link_to_one_another():
    web = ReplayWeb.from_pages(STAR, dict.fromkeys(STAR, "sports"))
    for seed in range(20):  # the hub alone bars all others, so it must give way
        assert sorted(web.seeds("sports", 3, seed)) == [A, B, C]
    assert {web.seeds("sports", 1, seed)[0] for seed in range(40)} == set(STAR)
    assert web.seeds("sports", 2, 5) == web.seeds("sports", 2, np.random.default_rng(5))
    assert web.seeds("sports", 0, 0) == []
    with pytest.raises(ValueError, match="n=4.*found 3 .*'sports'"):
        web.seeds("sports", 4, 0)
    with pytest.raises(ValueError, match="found 0"):
        ReplayWeb.from_pages(STAR).seeds("sports", 1, 0)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "secret.html").write_text("secret")
    folder = tmp_path / "site"
    for name, text in {
        "index.html": "home <a href='sub/'>sub</a> <a href='sub/a b.html'>ab</a>",
        "sub/index.htm": "sub <a href='../index.html'>home</a> <a href='é.html'>é</a>",
        "sub/a b.html": "a b",
        "sub/é.html": "accent",
        "%2e%2e%2fsecret.html": "odd",
        "notes.txt": "not HTML",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_folder_of_html(site):
    web = ReplayWeb.from_directory({"docs.org": site})
    assert sorted(web) == [
        "http://docs.org/",
        "http://docs.org/%252e%252e%252fsecret.html",
        "http://docs.org/sub/",
        "http://docs.org/sub/%C3%A9.html",
        "http://docs.org/sub/a%20b.html",
    ]
    home = web.fetch("http://docs.org/index.html")
    assert home.url == "http://docs.org/"
    reached = {web.fetch(u).text for u in (*web.links(home.url), *web.links("http://docs.org/sub"))}
    assert reached == {"sub home é", "a b", "accent", "home sub ab"}
    assert web.fetch("https://docs.org/sub/a b.html").text == "a b"


def test_nothing_outside_the_folder_is_read(site):
    os.symlink(site.parent / "secret.html", site / "link.html")
    os.symlink(site.parent, site / "up")
    web = ReplayWeb.from_directory({"docs.org": site})
    assert "secret" not in {web.fetch(url).text for url in web}
    for path in ("../secret.html", "%2e%2e/secret.html", "..%2fsecret.html", "link.html"):
        assert f"http://docs.org/{path}" not in web


def test_file_that_went_away_is_a_fetch_error(site):
    web = ReplayWeb.from_directory({"docs.org": site})
    (site / "sub" / "a b.html").unlink()
    with pytest.raises(FetchError, match="cannot be read"):
        web.fetch("http://docs.org/sub/a%20b.html")
