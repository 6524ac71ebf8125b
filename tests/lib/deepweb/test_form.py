"""The same database behind an HTML form over HTTP: what the client reads is what is in it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tres_book.chapters.c12_laboratory import sample_documents
from tres_lib.deepweb import FormSite, SearchSite, serve, surface
from tres_lib.topics.vectors import tokenize
from tres_webs import FetchError
from tres_webs.forms.client import read_record

FORM = '<form action="find?x=1"><input name=words><input type=hidden name=lang value=en></form>'


@pytest.fixture(scope="module")
def site():
    return SearchSite(sample_documents("en-us", 300, rng=1), page_size=5, max_results=12)


@pytest.fixture(scope="module")
def served(site):
    with serve(site) as found:
        yield found


@pytest.fixture(scope="module")
def client(served):
    return FormSite(served.url)


@pytest.mark.network
@pytest.mark.parametrize("term", ["the", "river", "zebrafish", 'a "quoted" & <b>term</b>'])
def test_pages_over_http_are_those_of_the_database(site, client, term):
    for number in range(1, max(site.query(term).pages, 1) + 1):
        ours, theirs = site.page(term, number), client.page(term, number)
        assert [f"r{i}" for i in ours.ids] == list(theirs.ids)
        assert (ours.total, ours.more) == (theirs.total, theirs.more)
        for known, read in zip(ours.records, theirs.records, strict=True):
            known = [
                (*part[:2], " ".join(part.text.split())) for part in known if part.text.strip()
            ]
            assert known == [tuple(part) for part in read]


@pytest.mark.network
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=30))
def test_any_term_reaches_the_database(site, client, term):
    assert client.page(term, 1).total == site.query(term).total


@pytest.mark.network
def test_a_crawl_over_http_finds_what_one_in_memory_finds(site, served):
    client = FormSite(served.url)
    options = {"policy": "rl", "max_cost": 15}
    near, far = surface(site, **options), surface(client, **options)
    columns = ["term", "total", "returned", "new", "df", "pages", "acquired"]
    assert near.log[columns].values.tolist() == far.log[columns].values.tolist()
    assert [f"r{i}" for i in near.ids] == list(far.ids)
    assert len(client.requests) == 1 + far.log["pages"].sum()
    assert served.requests[-1] == client.requests[-1].removeprefix(served.url.rstrip("/"))
    with pytest.raises(ValueError, match="size=None"):
        far.coverage(3)


@pytest.mark.network
def test_a_crawl_over_http_goes_on_amid_the_pages_of_a_response(site, served, tmp_path):
    class Mortal(FormSite):
        left = 4

        def page(self, term, number=1):
            self.left -= 1
            if self.left < 0:
                raise ConnectionError
            return super().page(term, number)

    arguments = {"policy": "frequency", "max_cost": 6, "first_term": "the"}
    path = tmp_path / "crawl.jsonl"
    with pytest.raises(ConnectionError):
        surface(Mortal(served.url), checkpoint=path, **arguments)
    rest = surface(FormSite(served.url), checkpoint=path, **arguments)
    assert rest.log.equals(surface(FormSite(served.url), **arguments).log)


@pytest.mark.network
def test_the_front_page_has_words_to_start_with(site, client):
    assert tokenize(site.front_page()) == tokenize(client.front_page())
    plain = FormSite("http://a.example/", fetch=lambda url: FORM + "Old books")
    assert plain.front_page() == "Old books"


@pytest.mark.network
def test_strange_requests_get_an_answer(served):
    for path in ("search?q=the&page=99", "search?q=the&page=-1", "search?page=%F0", "nothing"):
        with pytest.raises(FetchError) as caught:
            FormSite(served.url + path)
        assert caught.value.status == 404
    FormSite(served.url + "search")  # an empty term finds nothing, on a page with the form


def test_the_client_reads_forms_of_other_sites():
    pages = {
        "http://a.example/": "<form><input type=password name=p></form>" + FORM,
        "http://a.example/find?x=1&lang=en&words=red+wine": (
            "<ul><li>Red <a href='/1'>wine</a> here<li><a href='/2'>Rosé</a></ul>"
            "<b>About 1,234 results</b><a class=n href='?p=2'>more</a>"
        ),
        "http://a.example/find?p=2": "<ul><li>Port</ul>",
    }
    site = FormSite(
        "http://a.example/", "//li", total="//b", next_page="//a[@class='n']", fetch=pages.get
    )
    first, second = site.page("red wine", 1), site.page("red wine", 2)
    assert (first.total, first.ids, first.more) == (1234, ("/1", "/2"), True)
    assert [part.tag for part in first.records[0]] == ["li", "a"]
    assert first.records[0][0].text == "Red here"
    assert (second.total, second.ids, second.more) == (None, ("Port",), False)


def test_what_is_not_shown_is_not_read():
    import lxml.html

    element = lxml.html.fromstring("<div><p>seen</p><script>no()</script><!-- no --></div>")
    assert [part.text for part in read_record(element)] == ["seen"]


@pytest.mark.parametrize(
    "html", ["<p>no form</p>", "<form method=post><input name=q></form>", "<form><input></form>"]
)
def test_a_page_without_a_usable_form(html):
    with pytest.raises(ValueError, match="no form with a box for text"):
        FormSite("http://a.example/", fetch=lambda url: html)


@pytest.mark.network
def test_bad_pages():
    site = FormSite("http://a.example/", fetch=lambda url: FORM)
    with pytest.raises(ValueError, match="number=2: 'wine' has no such page"):
        site.page("wine", 2)
    with pytest.raises(FetchError, match="no HTML"):
        FormSite("http://a.example/", fetch=lambda url: "")
    with pytest.raises(FetchError):
        FormSite("http://127.0.0.1:9/")
