"""What servers and feeds say: when pages changed, when links were new, and whether that holds."""

from __future__ import annotations

import numpy as np
import pytest
from watching_web import DAY, HUB, TOPIC, ZERO, Listed, says_apple, stored

import tres_live
from tres_live.watching.beliefs import RATES, mean_index, new_common
from tres_live.watching.links import Hosts
from tres_live.watching.pages import Pages, new_page

pytestmark = pytest.mark.slow  # compiling takes a while


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


def listed(says, path, days=60):
    """Watch such a site; return how far it is believed, the mean rate and how fresh pages are."""
    clock = tres_live.VirtualClock(ZERO)
    web = Listed(clock, says)
    with tres_live.watch(
        web, [HUB], TOPIC, store=path, clock=clock, bandwidth=6, until=days, classifier=says_apple,
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
