"""BM25 over part of a web: order by hand, literal terms, what is indexed and kept."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import DictWeb, page

from tres_lib.focused.baselines.seedfinder import SearchEngine, search_engine
from tres_webs import ReplayWeb

PAGES = [
    page("http://a.example/", text="apple pie"),
    page("http://b.example/", text="apple apple apple pie and a lot about all kinds of cake"),
    page("http://c.example/", text="apple apple"),
    page("http://d.example/", text="stone not wall"),
    page("http://e.example/", text="x-ray"),
]


def bm25(term: str) -> list[float]:
    """Scores of the pages by the formula, k1 = 1.2, b = 0.75 (idf as SQLite has it)."""
    words = [p.text.replace("-", " ").split() for p in PAGES]
    n, mean = len(words), np.mean([len(w) for w in words])
    df = sum(term in w for w in words)
    idf = max(np.log((n - df + 0.5) / (df + 0.5)), 1e-6)
    return [
        idf * w.count(term) * 2.2 / (w.count(term) + 1.2 * (0.25 + 0.75 * len(w) / mean))
        for w in words
    ]


@pytest.mark.parametrize("terms", [["apple"], ["pie"], ["pie", "wall"], ["apple", "pie"]])
def test_best_first_by_bm25(terms):
    scores = np.sum([bm25(term) for term in terms], axis=0)
    best = [PAGES[i].url for i in np.argsort(-scores, kind="stable") if scores[i] > 0]
    engine = SearchEngine(PAGES)
    assert engine.query(terms) == best
    assert engine.query(terms, n=1) == best[:1]
    assert engine.query(terms, n=1, skip=1) == best[1:2]
    assert engine.query(terms, skip=len(best)) == []


@pytest.mark.parametrize(
    ("term", "urls"),
    [
        ("NOT", ["http://d.example/"]),
        ("not", ["http://d.example/"]),
        ('NOT "x*', []),  # no page has these two words side by side
        ("x*", ["http://e.example/"]),  # the word x, not a beginning
        ("appl*", []),
        ("apple pie", ["http://a.example/", "http://b.example/"]),
        ("pie apple", []),
        ("url:apple", []),
        ('"', []),
        ("", []),
        ("(", []),
    ],
)
def test_terms_are_literal(term, urls):
    assert SearchEngine(PAGES).query([term]) == urls
    assert SearchEngine(PAGES).query([term, "wall"])  # next to others too


def test_of_a_recording_it_knows_a_tenth():
    urls = [f"http://a.example/{i}" for i in range(50)]
    web = ReplayWeb.from_pages([page(url, text="apple") for url in urls])
    found = search_engine(web).query(["apple"])
    assert len(found) == 5 and set(found) < set(urls)
    assert search_engine(web, 2).query(["apple"]) != found
    assert search_engine(web, 2) is search_engine(web, 2)


def test_dead_pages_are_left_out(monkeypatch):
    web = DictWeb({p.url: p for p in PAGES})
    web.urls = lambda: [*web.pages, *(f"http://gone.example/{i}" for i in range(55))]
    engine = search_engine(web, 60)
    assert len(web.fetched) == 6 and len(engine) < 6
