"""Links from sitemaps and feeds: what is asked for, what is read, and what cannot hurt."""

import gzip
import time
import tracemalloc
from email.utils import formatdate

import pytest
from fakes import crawl
from loopback import Loopback, live, reply

from tres_live import DatedLink, Guard, WithSiteLinks, site_links
from tres_live.web import site_links as module
from tres_live.web.feeds import plain, xml_links

BASE = "http://a.example/feeds/all.xml"
MAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'


def entry(loc: str, lastmod: str = "", kind: str = "url") -> str:
    return f"<{kind}><loc>{loc}</loc><lastmod>{lastmod}</lastmod></{kind}>"


def read(text: str | bytes, base: str = BASE) -> list[DatedLink]:
    document = text.encode() if isinstance(text, str) else text
    return xml_links(document, base, frozenset())[0]


def test_a_sitemap():
    image = "<image:image xmlns:image='i'><image:loc>http://a.example/i</image:loc></image:image>"
    links = read(
        MAP.format(
            f"<url>{image}<loc> http://A.example/1?utm_source=x </loc><lastmod>1970-01-02</lastmod>"
            "<priority>1</priority></url>"
            + entry("http://a.example/2", "1970-01-01T01:00:00+01:00")
            + entry("/3", "1970")
            + entry("http://a.example/4.pdf")
            + entry("mailto:a")
            + entry("")
        )
    )
    assert links == [
        DatedLink("http://a.example/1", "", time=86_400.0),
        DatedLink("http://a.example/2", "", time=0.0),
        DatedLink("http://a.example/3", "", time=None),
    ]


def test_rss_with_relative_links():
    links = read(
        '<?xml version="1.0"?><rss version="2.0" xmlns:media="m" xmlns:atom="a"><channel>'
        "<title>All</title><link>http://a.example/</link><atom:link rel='self' href='/x'/>"
        "<image><url>http://a.example/logo</url></image>"
        "<item><title>First &amp; &lt;last&gt;</title><media:title>Other</media:title>"
        f"<link>../one</link><pubDate>{formatdate(60)}</pubDate></item>"
        "<item><link>two</link><pubDate>Thu, 32 Foo</pubDate></item>"
        "<item><title>nothing</title></item></channel></rss>"
    )
    assert links == [
        DatedLink("http://a.example/one", "First & <last>", time=60.0),
        DatedLink("http://a.example/feeds/two", "", time=None),
    ]


def test_atom_and_rss_1():
    atom = read(
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry>'
        '<link rel="edit" href="/edit"/><link href="/one"/><link rel="enclosure" href="/two"/>'
        "<title type='xhtml'><div>A <b>bold</b> one</div></title>"
        "<published>1970-01-01T00:00:10Z</published><updated>1970-01-01T00:00:20Z</updated>"
        "</entry></feed>"
    )
    assert atom == [DatedLink("http://a.example/one", "A bold one", time=20.0)]
    rdf = read(
        '<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><item><title>T'
        "</title><link>/one</link><dc:date>1970-01-01T00:00:05Z</dc:date></item></rdf:RDF>"
    )
    assert rdf == [DatedLink("http://a.example/one", "T", time=5.0)]


LAUGHS = '<!DOCTYPE a [<!ENTITY a0 "ha">{}]>'.format(
    "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
)
OUTSIDE = '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
ITEM = "<rss><item><title>{}</title><link>/x</link></item></rss>"
GOOD = entry("http://a.example/good")
FAULTY = {
    "nothing": ("", 0),
    "HTML": ("<!doctype html><p>Not found<a href=/x>x</a>", 0),
    "noise": (bytes(range(256)) * 100, 0),
    "cut off": (f"<urlset>{GOOD}{GOOD}<url><loc>http://a.exam", 1),
    "unclosed": (f"<urlset><b>{GOOD}", 1),
    "stray ampersand": (f"<urlset><url><loc>http://a.example/?a&b</loc></url>{GOOD}", 2),
    "wrong encoding": (f"<?xml version='1.0' encoding='nonsense'?><urlset>{GOOD}</urlset>", 1),
    "entity bomb": (f"{LAUGHS}<urlset>{entry('/x&a11;')}{GOOD}</urlset>", None),
    "entity in a title": (LAUGHS + ITEM.format("&a11;"), None),
    "outside entity": (OUTSIDE + ITEM.format("&f;"), 1),
    "deep": ("<a>" * 100_000, 0),
    "deep entries": ("<item>" * 100_000, 0),
    "long name": (f"<{'a' * 1_000_000}>{GOOD}", None),
    "many attributes": ("<a " + " ".join(f"a{i}='b'" for i in range(60_000)) + ">", 0),
    "comment": ("<!--" * 250_000, 0),
    "long title": (ITEM.format("a " * 10**6), 1),
    "costly URLs": (f"<urlset>{entry('/?' + 'a&' * 900) * 1_000}</urlset>", 1),
    "many costly URLs": ("".join(entry(f"/{i}?" + "é&" * 300) for i in range(3_000)), None),
    "long time": (f"<urlset>{entry('/x', '2' * 10**6)}</urlset>", 1),
}


@pytest.mark.parametrize("document, n", FAULTY.values(), ids=FAULTY)
def test_faulty_files_are_read_as_far_as_they_go(document, n):
    start = time.process_time()
    links = read(document)
    seconds = time.process_time() - start
    assert n is None or len({link.url for link in links}) == n
    assert all(len(link.anchor) <= 500 for link in links)
    assert not any("root:" in link.anchor or "haha" in link.anchor for link in links)
    assert seconds < 5


@pytest.mark.slow
def test_files_are_unpacked_within_the_limit():
    assert plain(gzip.compress(b"abc") * 2, 100) == b"abcabc"
    assert plain(gzip.compress(b"abc" * 1_000)[:-9], 10_000).startswith(b"abc")
    assert plain(b"\x1f\x8bnonsense", 100) == b""
    bomb = gzip.compress(b"\0" * 10**8, 1)
    start = time.process_time()
    assert plain(gzip.compress(b"") * 100_000, 2_000_000) == b""
    assert time.process_time() - start < 1.0
    tracemalloc.start()
    assert plain(bomb, 1_000) == b"\0" * 1_000
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


XML = {"Content_Type": "application/xml"}


class Site(Loopback):
    """A page, and files in which {} stands for the server's address."""

    def __init__(self, page: str = "<p>x", robots: str = "", **files: str | bytes):
        super().__init__({"/": reply(page)})
        here = self.url("")
        self.routes["/robots.txt"] = reply(robots.replace("{}", here), Content_Type="text/plain")
        for name, text in files.items():
            body = text.replace("{}", here).encode() if isinstance(text, str) else text
            self.routes["/" + name.replace("__", ".")] = reply(body, **XML)

    def links(self, **settings) -> list[str]:
        """What is found, without the address."""
        web = live(**settings)
        found = site_links(web, web.fetch(self.url()))
        return [link.url.removeprefix(self.url("")) for link in found]


@pytest.mark.network
def test_an_index_that_leads_in_a_circle_is_read_once_newest_first(monkeypatch):
    files = {
        "sitemap__xml": INDEX.format(
            entry("{}/sitemap.xml", kind="sitemap")
            + entry("/old.xml", "2020-01-01", "sitemap")
            + entry("/gone.xml", "2021-01-01", "sitemap")
            + entry("/new.xml.gz", "2024-01-01", "sitemap")
        ),
        "old__xml": MAP.format(entry("/old") + entry("/both")),
        "new__xml__gz": INDEX.format(
            entry("/sitemap.xml", kind="sitemap") + entry("/newest.xml", kind="sitemap")
        ),
        "newest__xml": MAP.format(entry("/new") + entry("/both", "2024-01-01")),
    }
    with Site(**files) as site:
        assert site.links() == ["/old", "/both", "/new"]
        assert site.paths()[2:] == [
            *("/sitemap.xml", "/new.xml.gz", "/gone.xml", "/old.xml", "/newest.xml")
        ]
        monkeypatch.setattr(module, "MAX_FILES", 4)
        assert site.links() == ["/old", "/both"]
        monkeypatch.setattr(module, "MAX_LINKS", 1)
        assert site.links() == ["/old"]


@pytest.mark.network
def test_private_addresses_stay_out_of_reach_and_delays_are_kept():
    robots = "Sitemap: http://127.0.0.2/a.xml\nSitemap: {}/b.xml\nUser-agent: *\nCrawl-delay: 0.2"
    with Site(robots=robots, b__xml=MAP.format(entry("/b"))) as site:
        web = live(allow_private=["127.0.0.1"])
        found = site_links(web, web.fetch(site.url()))
        assert [link.url for link in found] == [site.url("/b")]
        assert site.paths() == ["/robots.txt", "/", "/b.xml"]
        assert site.asked[2].at - site.asked[1].at >= 0.2
        assert "127.0.0.2" not in web.politeness_log()


SEEDED = MAP.format("".join(entry(f"/apple-{i}") for i in range(3)))


@pytest.mark.network
def test_a_crawl_takes_the_links_of_its_seeds_sites_once(tmp_path):
    with Site("<a href=/b>b</a><a href=/apple-1>named</a>", sitemap__xml=SEEDED) as site:
        site.routes["/b"] = reply("<p>apple b")
        web = live()
        page = WithSiteLinks(web, [site.url()]).fetch(site.url())
        anchors = {link.url.removeprefix(site.url("")): link.anchor for link in page.links}
        assert anchors == {"/b": "b", "/apple-1": "named", "/apple-0": "", "/apple-2": ""}
        site.asked.clear()

        def crawled(budget: int):
            wrapped = Guard(WithSiteLinks(live(), [site.url()]))
            return crawl(wrapped, [site.url()], budget=budget, checkpoint=tmp_path / "j.jsonl")

        log = crawled(4).log
        assert {url.removeprefix(site.url("")) for url in log["url"]} == {"/", *anchors}
        assert site.paths().count("/sitemap.xml") == 1
        again = crawled(4).log  # from the journal, without a request
        assert again["url"].tolist() == log["url"].tolist()
        assert site.paths().count("/sitemap.xml") == 1


@pytest.mark.network
def test_a_huge_sitemap_is_cut_at_the_limit(monkeypatch):
    huge = MAP.format("".join(entry(f"/{i}") for i in range(5_100)))
    with Site(sitemap__xml=huge) as site:
        cut = site.links(max_bytes=10_000)
        assert 150 < len(cut) < 250 and cut == [f"/{i}" for i in range(len(cut))]
        monkeypatch.setattr(module, "MAX_LINKS", 30_000)
        assert len(site.links()) == 5_000
    with Site(sitemap__xml=gzip.compress(huge.encode())) as site:
        assert site.links(max_bytes=200_000)[:2] == ["/0", "/1"]
