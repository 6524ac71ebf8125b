"""The digest of a day: what is in it, and that no page's text becomes markup."""

from __future__ import annotations

import pytest
from lxml import etree, html

from tres_live.watching.report import Report
from tres_live.watching.store import Store

NOON = 1_700_049_600.0  # 2023-11-15
ATOM = "{http://www.w3.org/2005/Atom}"
BAD = "<script>alert('&')</script> \x00\x07 \ud800"
LOOK = {
    "look": 0, "time": NOON, "url": "http://a.example/?a=1&b=<2>", "arm": "link", "worth": 2.0,
    "price": 1.0, "reason": "", "changed": 0, "relevant": 1, "p": 0.93, "links": 0,
    "title": "New", "difference": "",
}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "watch.sqlite")
    store.keep(began=NOON, topic="fruit & more")
    changed = {"arm": "page", "changed": 1, "difference": "- old <b>\n+ new </pre>"}
    bad = BAD.encode("utf-8", "replace").decode()
    late = {"look": 4, "time": NOON + 86_400, "arm": "hub", "changed": 1}
    rows = [
        LOOK,
        LOOK | {"look": 1, "title": bad, "url": "http://a.example/bad"},
        LOOK | {"look": 2, "relevant": 0, "title": "Stones"},
        LOOK | {"look": 3, "time": NOON + 86_400, "title": "Changed"} | changed,
        LOOK | late | {"title": "Came round"},
    ]
    store.add("look", rows)
    yield store
    store.close()


def test_a_page_a_day_and_a_feed(store, tmp_path):
    made = Report(store).write_digests(tmp_path / "digest")
    assert [path.name for path in made] == ["2023-11-15.html", "2023-11-16.html", "feed.xml"]
    first, second = (html.parse(str(path)).getroot() for path in made[:2])
    assert [h.text for h in first.iter("h2")] == ["New pages: 2", "Changed pages: 0"]
    assert not list(first.iter("script")) and len(list(first.iter("a"))) == 2
    assert next(first.iter("a")).get("href") == LOOK["url"]
    assert next(first.iter("a")).get("rel") == "noopener noreferrer nofollow"
    policy = {meta.get("http-equiv"): meta.get("content") for meta in first.iter("meta")}
    assert policy["Content-Security-Policy"].startswith("default-src 'none'")
    assert [h.text for h in second.iter("h2")] == ["New pages: 1", "Changed pages: 1"]
    assert next(second.iter("pre")).text == "- old <b>\n+ new </pre>"
    feed = etree.parse(str(made[2])).getroot()
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")]
    assert titles[:2] == ["New page: Came round", "Changed page: Changed"]
    assert titles[2] == "New page: New" and "<script>alert('&')</script>" in titles[3]
    assert feed.findtext(f"{ATOM}title") == "Watch: fruit & more"
    store.add("look", [LOOK | {"look": 5 + n, "time": NOON + n * 86_400} for n in range(2, 21)])
    again = Report(store).write_digests(tmp_path / "digest")
    assert len(again) == 14 + 5 + 1 and made[0] not in again  # new days, and those never written
