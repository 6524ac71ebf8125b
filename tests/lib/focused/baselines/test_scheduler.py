"""ACHE's scheduler: turns by hand and at random, how much is loaded, and what a domain gets."""

import numpy as np
from hypothesis import given, settings, strategies as st

from tres_lib.focused.baselines.ache import Turns


class Crawl:
    """Drives `Turns` as a crawl does; link i leads to URL `urls[i]` of the domain of that URL."""

    def __init__(self, domains, urls=None, **limits):
        self.domains = np.array(domains)
        self.urls = np.arange(len(self.domains)) if urls is None else np.array(urls)
        self.live, self.n = np.ones(len(self.urls), bool), 0
        self.turns = Turns(self.urls.take, self.domains.take, **limits)

    def add(self, *priorities):
        first, self.n = self.n, self.n + len(priorities)
        self.turns.add(np.arange(first, first + len(priorities)), np.array(priorities))

    def end(self, url):
        """End all links to a URL."""
        ended = np.flatnonzero((self.urls == url) & self.live)
        self.live[ended] = False
        self.turns.drop(ended.tolist())

    def take(self, n=1):
        """Return the next n links."""
        links = []
        for _ in range(n):
            link, _ = self.turns.top()
            self.turns.access(link)
            self.end(self.urls[link])
            links.append(link)
        return links


links = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40)


@settings(max_examples=60)
@given(links, st.integers(1, 9), st.integers(1, 4), st.lists(st.integers(0, 5), max_size=40))
def test_no_domain_is_visited_before_another_that_has_waited_longer(found, most, own, gaps):
    """A plain model has all loaded links in a list, and all that wait in another."""
    domains = [domain for domain, _ in found]
    crawl = Crawl(domains, most=most, of_domain=own)
    accessed, loaded, waiting = {}, [], []

    def load():
        for place in sorted(range(len(waiting)), key=lambda i: (-found[waiting[i]][1], waiting[i])):
            link = waiting[place]
            mine = [other for other in loaded if domains[other] == domains[link]]
            if len(loaded) < most and len(mine) < own:
                loaded.append(link)
        waiting[:] = [link for link in waiting if link not in loaded]

    added, taken = 0, []
    steps = iter(gaps)
    while len(taken) < len(found):
        for _ in range(next(steps, len(found)) + (not loaded)):
            if added < len(found):
                crawl.add(found[added][1])
                waiting.append(added)
                added += 1
                load()
        link = crawl.turns.top()[0]
        domain = domains[link]
        assert link in loaded
        for other in {domains[i] for i in loaded}:
            assert accessed.get(domain, 0) <= accessed.get(other, 0)
        mine = [i for i in loaded if domains[i] == domain]
        assert link == min(mine, key=lambda i: (-found[i][1], i))
        taken += crawl.take()
        accessed[domain] = len(taken)
        loaded.remove(link)
        load()
    assert sorted(taken) == list(range(len(found))) and not crawl.turns


def test_a_domain_gets_its_first_links():
    domains = np.array([0, 0, 0, 1, 1])
    quota = Turns(lambda ids: ids % 5, domains.take)
    assert quota.admit(np.arange(5), 2).tolist() == [0, 1, 3, 4]
    assert quota.refused
    # 5 to 9 are the same URLs again; a limit that falls keeps out new ones only.
    assert quota.admit(np.arange(5, 10), 1).tolist() == [5, 6, 8, 9]
