"""What servers and feeds say: when pages changed, when links were new, and whether that holds."""

from __future__ import annotations

from email.utils import formatdate

import numpy as np
import pytest
from watching_web import DAY, HUB, START, TOPIC, ZERO, DailyWeb, Listed, says_apple, spelt, stored

import tres_live
from tres_live import DatedLink
from tres_live.watching.beliefs import RATES, mean_index, new_common, see_age
from tres_live.watching.links import Hosts
from tres_live.watching.pages import Pages, new_page
from tres_webs import Page, Revisit

pytestmark = pytest.mark.slow  # compiling takes a while


def error(rates, ages, trust):
    """How far the mean of log rates is off, by what servers say alone."""
    off = []
    for rate, age in zip(rates, ages, strict=True):
        likelihood = np.ones(len(RATES))
        see_age(likelihood, age, trust)
        off.append(np.average(np.log(RATES), weights=likelihood) - np.log(rate))
    return np.sqrt(np.mean(np.square(off)))


def test_a_hint_that_holds_teaches_and_one_that_always_says_now_does_no_harm():
    rng = np.random.default_rng(0)
    rates = 10 ** rng.uniform(-3, 0.5, 1_000)
    ages = rng.exponential(1 / rates)
    nothing = error(rates, ages, trust=0.0)
    assert error(rates, ages, trust=0.5) < 0.6 * nothing
    assert error(rates, ages, trust=0.9) < error(rates, ages, trust=0.5)
    assert error(rates, np.full(1_000, 2e-5), trust=0.5) == pytest.approx(nothing, rel=0.01)


def seen_again(changed, said):
    """The likelihood of a page after a look on day 10, a first one on day 0; 0.9 is the trust."""
    hosts = Hosts()
    hosts.count(hosts.of("a.example"), hints=8, held=8)
    pages = Pages(new_common(1.5, 0.2), hosts, None, new_page(1, 0, 0.0))
    pages.see(0, 0.0, changed, 10.0, said)
    likelihood = pages.records["likelihood"]
    return likelihood[0] / likelihood.sum()


def test_a_date_says_something_at_the_next_look_too():
    same, bit = 1 - np.exp(-10 * RATES), seen_again(True, np.nan)
    noise = 0.1 * same / (2 * np.log(1e9))
    expected = 0.9 * RATES * np.exp(-2 * RATES) + noise
    assert bit == pytest.approx(same / same.sum(), rel=1e-5)
    assert seen_again(True, 8.0) == pytest.approx(expected / expected.sum(), rel=1e-5)
    for said in (-1.0, 10.5):  # before the last look, or to come
        assert seen_again(True, said) == pytest.approx(bit)
    assert seen_again(False, 8.0) == pytest.approx(seen_again(False, np.nan))


class Boasting(DailyWeb):
    """Of even sites old pages are always said to be new; of odd ones the truth is told."""

    def look(self, url, conditions):
        page, said = self.fetch(url), self.clock.now()
        site, kind, n = self._parts(url) if "site" in url else (0, "", 0)
        if kind == "old" and site % 2:
            said = self._changed(n)
        return Revisit(page, {"If-Modified-Since": formatdate(said, usegmt=True)})

    def _changed(self, n):
        """When old page n changed last."""
        version = int(self.clock.now() / DAY / (n + 1) ** 1.5 + 0.618 * n)
        return np.ceil((version - 0.618 * n) * (n + 1) ** 1.5 * DAY)


def test_hosts_whose_hints_fail_lose_trust(tmp_path):
    clock = tres_live.VirtualClock(ZERO)
    with tres_live.watch(
        Boasting(clock), [START], TOPIC, store=tmp_path / "a.sqlite", clock=clock, bandwidth=40,
        until=20, classifier=lambda texts: np.full(len(texts), 0.9),
    ) as watched:  # fmt: skip
        watched.run()
    hosts = stored(tmp_path / "a.sqlite")[1].hosts
    trust = [hosts.trust(hosts.of(f"site{n}.example")) for n in range(4)]
    assert max(trust[::2]) < min(trust[1::2])


class Unlike(DailyWeb):
    """Site 0 rewrites its old pages daily, the others never do."""

    def fetch(self, url):
        page = super().fetch(url)
        if "/old/" not in url:
            return page
        version = int(self.clock.now() / DAY) if "site0" in url else 0
        site, _, n = self._parts(url)
        text = f"Page {spelt(n)} of site {spelt(site)} has version {version} by now."
        return Page(url, 200, page.title, text, ())


def test_a_page_is_taken_to_change_like_its_site(tmp_path):
    clock = tres_live.VirtualClock(ZERO)
    with tres_live.watch(
        Unlike(clock, every=50.0), [START], TOPIC, store=tmp_path / "a.sqlite", clock=clock,
        bandwidth=60, until=20, classifier=lambda texts: np.full(len(texts), 0.9),
    ) as watched:  # fmt: skip
        watched.run()
    _, state = stored(tmp_path / "a.sqlite")
    hosts = [state.hosts.of(f"site{n}.example") for n in range(4)]
    priors = state.hosts.records["prior"][hosts] * state.common["prior"]
    rates = [np.average(np.log(RATES), weights=prior) for prior in priors]
    assert rates[0] > max(rates[1:]) + 0.5


class Dated(DailyWeb):
    """The links of hubs tell when they were new, as those of a feed."""

    def fetch(self, url):
        page = super().fetch(url)
        items = (link for link in page.links if "/item/" in link.url)
        numbers = ((k, int(k.url.rpartition("/")[2])) for k in items)
        links = [DatedLink(k.url, k.anchor, time=n * DAY / 2) for k, n in numbers]
        return Page(url, 200, page.title, page.text, (*links, *page.links))


def test_links_of_a_feed_are_as_old_as_it_says(tmp_path):
    clock = tres_live.VirtualClock(ZERO)
    with tres_live.watch(
        Dated(clock), ["http://site0.example/"], TOPIC, store=tmp_path / "a.sqlite", clock=clock,
        bandwidth=24, until=2, classifier=says_apple,
    ) as watched:  # fmt: skip
        log = watched.run().log()
    assert log[log["arm"] == "link"]["url"].is_unique  # though named twice
    query = "SELECT url, news, since FROM link WHERE hub IS NOT NULL"
    rows = stored(tmp_path / "a.sqlite")[0].rows(query)
    began = ZERO / DAY
    for url, new, since in rows:
        assert new == ("/item/" in url)
        if new:
            assert since + began == pytest.approx(int(url.rpartition("/")[2]) / 2)


@pytest.mark.parametrize("hinted", [0.0, 0.3, 0.9])
def test_the_value_of_a_look_follows_from_the_probability_that_the_page_is_stale(hinted):
    rate, age = RATES[5], 4.0
    stale = 1 - (1 - hinted) * np.exp(-rate * age)
    expected = (stale + (1 - stale) * np.log(1 - stale)) / rate
    weights = np.zeros(len(RATES))
    weights[5] = 1.0
    assert mean_index(age, weights, 1e-9, hinted) == pytest.approx(expected, rel=1e-6)
    assert mean_index(age, weights, 0.01, hinted) <= expected
    assert mean_index(age, weights, 0.01, hinted) >= mean_index(age, weights, 0.01)


def listed(says, path, days=120):
    """Watch such a site; return how far it is believed, the mean rate and how fresh pages are."""
    clock = tres_live.VirtualClock(ZERO)
    web = Listed(clock, says)
    with tres_live.watch(
        web, [HUB], TOPIC, store=path, clock=clock, bandwidth=10, until=days, classifier=says_apple,
    ) as watched:  # fmt: skip
        log = watched.run().log()
    store, state = stored(path)
    rows = store.rows("SELECT row FROM url WHERE url LIKE '%/page%'")
    pages = state.pages.records[[row for (row,) in rows]]
    weights = state.common["prior"] * pages["likelihood"]
    rate = np.average(np.tile(RATES, (len(pages), 1)), weights=weights)
    fresh = []
    for n in range(len(web.changes)):
        times = log["time"][log["url"] == f"{HUB}page{n}"]
        for day in np.arange(days / 3, days, 0.5):
            last = (times[times <= ZERO + day * DAY].max() - ZERO) / DAY
            fresh.append(web.version(n, last) == web.version(n, day))
    return state.hosts.list_trust(0), rate, np.mean(fresh)


def test_a_sitemap_that_dates_changes_tells_where_to_look_and_one_that_lies_is_ignored(tmp_path):
    blind, led, deceived = (
        listed(says, tmp_path / f"{says}.sqlite") for says in ("never", "truth", "now")
    )
    assert led[0] > 0.9 and deceived[0] < 0.3
    assert led[2] > blind[2] + 0.05 and deceived[2] > blind[2] - 0.1
    # Looks that a hint led to are no random ones: taken for such, they gave a rate of 1.
    assert led[1] == pytest.approx(0.05, rel=0.6)
