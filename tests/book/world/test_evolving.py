"""EvolvingWeb: a page is a function of (seed, URL, time), and what happens follows its law."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tres_webs as web
from tres_book.world import EvolvingLaw, EvolvingWeb
from tres_book.world.world import Parameters
from tres_webs.lab import prose
from tres_webs.lab.addresses import Ref
from tres_webs.lab.sites import SPAM


def test_each_parameter_has_a_source_and_agrees_with_the_simulated_world():
    sources = EvolvingLaw.sources()
    assert all(source for _, source in sources.values())
    assert sources["end_rate"][0] == pytest.approx(-np.log(0.92) / 7, rel=0.01)
    simulated = Parameters.sources()
    shared = sources.keys() & simulated.keys()
    assert len(shared) == 12
    assert {k: sources[k][0] for k in shared} == {k: simulated[k][0] for k in shared}


@pytest.fixture(scope="module")
def lab():
    return web.VitalWeb(seed=3, sites=600, law="first")


@pytest.fixture(scope="module")
def steady(lab):
    return EvolvingWeb(lab, clock=lambda: 0.0)


@pytest.fixture(scope="module")
def pages(lab):
    return sorted(set(lab.random_article_pages(1500, 0)))


@pytest.fixture(scope="module")
def hubs(lab, steady):
    """Front pages of sites that publish."""
    found = [Ref("front", site) for site in range(600) if steady.chronicle.desk(site).rate]
    return [lab.addresses.url(ref) for ref in found]


def outcome(evolving, url):
    try:
        return evolving.fetch(url)
    except web.FetchError as error:
        return str(error)


def contents(evolving, url):
    """Return the links of a hub's own list, as a reader meets them."""
    blocks = evolving.written(url)[3]
    return next(links for text, links in blocks if text == "Contents")


def news_of(evolving, hub):
    return [link for link in contents(evolving, hub) if "/news/" in link.url]


def life(evolving, url):
    return evolving.chronicle.life(evolving.addresses.parse(url))


def version(evolving, url):
    """Return how often the text of a page has changed by now."""
    return evolving.chronicle.revisions(evolving.addresses.parse(url), evolving.today())[0]


@pytest.mark.slow
def test_at_day_zero_it_is_the_laboratory_web(lab, steady, pages, hubs):
    for url in [*pages[:40], *hubs[:5], "http://x.example/", pages[0] + "0"]:
        assert outcome(steady, url) == outcome(lab, url)
    assert steady.seeds("food", 3, 0) == lab.seeds("food", 3, 0)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.permutations([0.0, 0.4, 3.0, 3.5, 40.0, 365.25]), st.integers(0, 400))
def test_a_page_is_a_function_of_url_and_time(lab, steady, pages, hubs, days, k):
    """Whatever was asked before, and of whatever object."""
    urls = [pages[k], hubs[k % len(hubs)], *(n.url for n in news_of(steady.at(40.0), hubs[k % 9]))]
    other = EvolvingWeb(lab, clock=lambda: day)
    there = {}
    for day in days:
        there[day] = [outcome(other, url) for url in urls[:5]]
    for day in sorted(days):
        assert [outcome(steady.at(day), url) for url in urls[:5]] == there[day]


@pytest.mark.slow
def test_texts_change_at_the_stated_rates(lab, steady, pages):
    """Counts of Poisson events over all pages, at slow and fast ones, within 4 sigma."""
    chronicle = steady.chronicle
    refs = [lab.addresses.parse(url) for url in pages]
    rates = np.array([chronicle.life(ref).changes for ref in refs])
    for day in (0.7, 6.0, 100.0):
        until = np.minimum(day, [chronicle.life(ref).ends for ref in refs])
        counts = np.array([chronicle.revisions(ref, day)[0] for ref in refs])
        for some in (rates < 0.05, rates >= 0.05):
            expected = (rates * until)[some].sum()
            assert abs(counts[some].sum() - expected) < 4 * np.sqrt(expected)
    in_decades = np.log10(rates)
    assert -3 <= in_decades.min() < -2.98 and 0.48 < in_decades.max() <= 0.5
    assert abs(in_decades.mean() + 1.25) < 4 * 3.5 / np.sqrt(12 * len(pages))


@pytest.mark.slow
def test_a_change_shows_in_the_main_text_alone(steady, pages):
    """Menus stay, but for links to pages of the site that have ended."""
    changes = 0
    for url in pages[:60]:
        moments = [d for d in np.linspace(0, 12, 7) if d < life(steady, url).ends]
        for before, after in itertools.pairwise(map(steady.at, moments)):
            steps = version(after, url) - version(before, url)
            old, new = before.written(url)[3], after.written(url)[3]
            pairs = list(zip(old, new, strict=True))
            texts = [(a, b) for (a, links), (b, _) in pairs if links is None]
            assert [a == b for a, b in texts] == [True, steps == 0, True]
            for (heading, links), (other, rest) in pairs:
                assert links is None or (heading == other and set(rest) <= set(links))
            changes += steps > 0
    assert changes > 20


def test_each_revision_redraws_one_sentence(lab):
    texts, end = lab.writer.texts, re.compile(r" (?=Update \d+:)|" + prose.SENTENCE_END.pattern)
    for entry in np.random.default_rng(0).integers(len(lab.table.site), size=30):
        page = int(lab.table.site[entry]), int(lab.table.article[entry]), 0
        versions = [texts.text(page, False, k) for k in range(12)]
        assert len(set(versions)) == 12
        numbers = [set(map(int, re.findall(r"Update (\d+):", text))) for text in versions]
        size = len(prose.SENTENCE_END.split(versions[0]))
        for k in range(12):  # those of the latest revisions, one for each sentence
            assert numbers[k] == set(range(max(1, k - size + 1), k + 1))
        for old, new in itertools.pairwise(map(end.split, versions)):
            assert len(set(new) - set(old)) <= 2  # a few sentences have no end that shows
    spam = int(lab.table.site[lab.table.role[lab.table.site] == SPAM][0])
    article = int(lab.table.article[lab.table.indptr[spam]])
    assert len({texts.text((spam, article, 0), True, k) for k in range(4)}) == 4


def test_last_modified_is_the_moment_of_the_change(steady, pages):
    changed = [url for url in pages[:200] if version(steady.at(9.0), url)]
    for url in changed[:20]:
        moment = steady.at(9.0).last_modified(url)
        before, after = steady.at(np.nextafter(moment, 0)), steady.at(moment)
        assert 0 < moment <= 9 and version(after, url) == version(before, url) + 1
        assert outcome(before, url) != outcome(after, url)
    still = next(url for url in pages if not version(steady.at(9.0), url))
    assert steady.at(9.0).last_modified(still) is None


def test_pages_end_at_the_stated_rate_and_are_gone(lab, steady, pages):
    day = 58.0
    later = steady.at(day)
    gone = [url for url in pages if life(steady, url).ends <= day]
    share = 1 - np.exp(-0.0119 * day)
    assert abs(len(gone) / len(pages) - share) < 4 * np.sqrt(share * (1 - share) / len(pages))
    for url in gone[:30]:
        with pytest.raises(web.FetchError) as error:
            later.fetch(url)
        assert error.value.status == 404 and later.served(url, day, 99.0) == 0
        assert later.is_relevant(url, "food") == lab.is_relevant(url, "food")


def test_lists_leave_out_what_has_ended_on_their_site(lab, steady, hubs):
    day, dropped = 58.0, 0
    for hub in hubs[:20]:
        now = {link.url for link in steady.at(day).fetch(hub).links}
        for link in lab.fetch(hub).links:
            ref = lab.addresses.parse(link.url)
            own = ref.site == lab.addresses.parse(hub).site
            ended = steady.chronicle.life(ref).ends <= day
            assert (link.url in now) != (own and ended)
            dropped += own and ended
    assert dropped > 50


def test_hubs_list_the_latest_news_in_order(lab, hubs):
    evolving = EvolvingWeb(lab, clock=lambda: 45.5)
    full = 0
    for hub in hubs[:8]:
        found, news = contents(evolving, hub), news_of(evolving, hub)
        assert found[: len(news)] == news
        born = [evolving.born(link.url) for link in news]
        assert born == sorted(born, reverse=True) and born[0] <= 45.5
        site = lab.addresses.parse(hub).site
        published = [n for day in range(46) for n in evolving.chronicle.published(site, day)]
        known = [n for n in published if n.born <= 45.5 < evolving.chronicle.life(n.ref).ends]
        assert born == [n.born for n in known[::-1][:25]]
        assert evolving.last_modified(hub) == born[0]
        full += len(news) == 25
    assert full >= 4


@pytest.mark.slow
def test_sites_publish_at_their_rates(steady):
    """Within 4 sigma; at most 25 a day, from 1 on."""
    chronicle = steady.chronicle
    rates = [chronicle.desk(site).rate for site in range(600)]
    publishing = np.flatnonzero(rates)
    assert abs(len(publishing) / 600 - 0.25 * 0.97) < 4 * np.sqrt(0.25 * 0.75 / 600)
    some = publishing[:40]
    counts = [[len(chronicle.published(s, day)) for day in range(60)] for s in some.tolist()]
    expected = 60 * sum(rates[s] for s in some)
    assert abs(np.sum(counts) - expected) < 4 * np.sqrt(expected)
    assert min(rates[s] for s in publishing) >= 1 and max(rates) <= 25


def test_news_is_written_on_the_subject_of_its_site(lab, steady, hubs):
    later = steady.at(20.5)
    labels = lab.labels("food")
    for hub in hubs[:10]:
        for link in news_of(later, hub)[:5]:
            ref = lab.addresses.parse(link.url)
            page = later.fetch(link.url)
            assert page.url == link.url == web.canonical_url(link.url)
            assert page.links and page.title.startswith(lab.writer.names[ref.a])
            assert later.is_relevant(link.url, "food") == labels[ref.a]
            assert later.born(link.url) <= 20.5
            early = steady.at(np.nextafter(later.born(link.url), 0))
            assert early.born(link.url) is None
            assert early.is_relevant(link.url, "food") is False
            assert early.served(link.url, early.today(), 99.0) == 0
            absent = outcome(early, link.url)
            assert isinstance(absent, str) or absent.title == "Page not found"
    published = [n for s in range(150) for n in steady.chronicle.published(s, 3)]
    near = [n.ref.a in lab.writer.rings.article[centres(lab, n.ref.site)] for n in published]
    assert 0.72 < np.mean(near) <= 0.95 and len(near) > 40


def centres(lab, site):
    return lab.table.centres[slice(*lab.table.centre_indptr[site : site + 2])]


def test_interest_in_items_fades_and_that_in_pages_ends(steady, hubs):
    chronicle = steady.chronicle
    published = [n for h in range(600) for n in chronicle.published(h, 2)]
    items = [n for n in published if not n.lasts]
    assert abs(len(items) / len(published) - 0.85) < 4 * np.sqrt(0.85 * 0.15 / len(published))
    for news in items[:20]:
        url, half_life = (
            steady.addresses.url(news.ref),
            np.log(2) / chronicle.life(news.ref).decay,
        )
        when = [news.born + k * half_life for k in range(4)]
        asked = [life(steady, url).requests_at(day) for day in when]
        assert np.allclose(asked[1:], np.array(asked[:-1]) / 2)
        assert steady.at(news.born + 900).fetch(url).status == 200
    half_lives = [np.log(2) / chronicle.desk(site).decay for site in range(600)]
    assert abs(np.log(np.median(half_lives) / 1.5)) < 4 * 1.25 * 0.6 / np.sqrt(600)
    lasting = next(n for n in published if n.lasts)
    url, ends = steady.addresses.url(lasting.ref), chronicle.life(lasting.ref).ends
    asked = chronicle.life(lasting.ref).requests_at
    assert asked(ends - 1e-6) == asked(lasting.born) > 0 == asked(ends)
    assert isinstance(outcome(steady.at(ends), url), str)
    assert steady.served(hubs[0], 0.0, 9.0) == 0


@pytest.mark.slow
def test_a_hub_is_relevant_by_what_it_lists_now(lab, steady, hubs):
    later, labels, changed = steady.at(15.5), lab.labels("food"), 0
    for hub in hubs:
        ref = lab.addresses.parse(hub)
        shown = [p.a for p in lab.writer.listing(ref) if steady.chronicle.life(p).ends > 15.5]
        shown += [news.ref.a for news in steady.chronicle.latest(ref, 15.5)]
        assert later.is_relevant(hub, "food") == (labels[shown].mean() >= 0.5)
        changed += later.is_relevant(hub, "food") != lab.is_relevant(hub, "food")
    assert changed
    assert later.is_relevant("http://elsewhere.org/", "food") is None


def test_parsed_html_is_the_page(steady, pages, hubs):
    later = steady.at(12.3)
    news = [link.url for hub in hubs[:4] for link in news_of(later, hub)[:3]]
    for url in [*pages[:40], *hubs[:8], *news]:
        if life(steady, url).ends <= 12.3:
            continue
        page, parsed = later.fetch(url), web.parse_page(url, later.html(url))
        assert parsed.title == page.title and parsed.links == page.links
        assert parsed.text.split() == page.text.split()


@settings(max_examples=60, deadline=None)
@given(st.text("0123456789-abcjz", max_size=12), st.floats(0, 1e5))
def test_any_address_of_news_is_a_page_or_a_fetch_error(steady, hubs, name, day):
    page = outcome(steady.at(day), f"{hubs[0]}news/{name}")
    assert isinstance(page, str) or page.status == 200


def test_bad_arguments(lab):
    with pytest.raises(ValueError, match="lab="):
        EvolvingWeb("lab", float)
    with pytest.raises(ValueError, match=r"clock=3\.0"):
        EvolvingWeb(lab, 3.0)
    for time in (-1.0, float("nan"), None):
        with pytest.raises(ValueError, match=r"clock\(\)"):
            EvolvingWeb(lab, lambda time=time: time).fetch("http://x.example/")


@given(start=st.floats(0, 80), days=st.floats(0, 90), n=st.integers(0, 999))
@settings(max_examples=60, deadline=None)
@pytest.mark.slow
def test_a_copy_serves_the_requests_while_the_page_is_as_it_was(steady, pages, start, days, n):
    made = steady.at(start)
    times = start + (np.arange(400) + 0.5) * days / 400
    at = [steady.at(time) for time in times]
    same = [version(now, pages[n]) == version(made, pages[n]) for now in at]
    asked = map(life(steady, pages[n]).requests_at, times)
    expected = days * np.mean([requests * s for requests, s in zip(asked, same, strict=True)])
    most = days * life(steady, pages[n]).requests_at(start)
    found = steady.served(pages[n], start, start + days)
    assert found == pytest.approx(expected, abs=most / 399 + 1e-9)


def test_a_copy_of_news_serves_what_interest_is_left(lab, steady):
    news = next(
        news
        for site in range(600)
        for news in steady.chronicle.latest(Ref("front", site), 30.0)
        if not news.lasts
    )
    url, life = lab.addresses.url(news.ref), steady.chronicle.life(news.ref)
    whole = life.requests / life.decay
    assert steady.served(url, life.born, 1e6) == pytest.approx(whole)
    half = life.born + np.log(2) / life.decay
    assert steady.served(url, half, 1e6) == pytest.approx(whole / 2)
    assert steady.served(url, life.born, half) == pytest.approx(whole / 2)
    assert steady.served(url, life.born - 1, 1e6) == 0
