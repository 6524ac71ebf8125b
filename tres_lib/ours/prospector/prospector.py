"""Prospector: fetch the URL that is likeliest relevant, by a model that learns as it crawls.

No exploration phase, no discount, no network, no randomness, and no knowledge of the budget: a
crawl of 300 fetches is the beginning of one of 600.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from tres_webs.checks import count, number, one_of
from tres_webs.page import Page

from ...focused.features import FEATURES as OF_LINKS
from ...focused.frontier import grown
from ...focused.policy import Context, Policy, Transition
from ...numerics import logs
from . import model as of
from .model import (
    FEATURES,
    MOST,
    N_FEATURES,
    NONE,
    Evidence,
    Model,
    NewLinks,
    Words,
    mean_phi,
    phi,
    probability,
    rescore,
)

KEYWORD_IN_URL, KEYWORD_IN_ANCHOR, ANCHOR_PROBABILITY = map(
    OF_LINKS.index, ("keyword in URL", "keyword in anchor", "anchor probability")
)
MOST_WORDS = 2 * (MOST + 1)
CLIP = 0.01  # anchor probabilities are taken within .01 and .99
SAMPLE = 1_000  # URLs of the frontier whose mean a decision is compared with
GONE = -np.inf  # the score of a URL that can no longer be chosen
BITS = 2**26  # 8 MiB for the lines of all sites; at 600,000 lines one in a hundred is mistaken
SUSPECT = 0.1  # label from which a page that repeats its site is read again


@dataclass(frozen=True)
class ProspectorSettings:
    """What the policy learns, and how. The defaults were fixed on development webs."""

    learn: bool = True  # else the weights at the start serve the whole crawl
    pretrained: bool = True  # whether they start as fitted on development webs; else at 0
    first_fit: int = 5  # examples at which the model is fitted...
    growth: float = 0.1  # ...and again when these have grown by that share
    soft: bool = True  # whether a page's label is its probability; else the reward, 0 or 1
    guard: bool = True  # whether a page that repeats its site is read again, see `OwnLines`
    words: bool = True  # whether words have weights
    without: tuple[str, ...] = ()  # names of `model.FEATURES` to leave out

    def __post_init__(self) -> None:
        count("first_fit", self.first_fit)
        number("growth", self.growth, 0)
        for name in self.without:
            one_of("without", name, list(FEATURES)[1:])


class OwnLines:
    """Lines met so far, by site, in an array of bits (a Bloom filter of one hash)."""

    def __init__(self, proba: Callable[[list[str]], np.ndarray]):
        self._proba = proba
        self._met = np.zeros(BITS // 8, np.uint8)

    def label(self, page: Page, site: int, p: float, guard: bool = True) -> float:
        """Take in a page of a site, and return its label: p, or less if it repeats its site."""
        lines = page.text.split("\n")
        new = [line for line in lines if self._is_new(f"{site}\n{line}")]
        # An endless calendar's pages are their site's sidebar, which may be taken for relevant.
        repeats = sum(map(len, new)) < sum(map(len, lines)) / 2
        if guard and repeats and p > SUSPECT:
            return min(p, float(self._proba([" ".join([page.title, *new])])[0]))
        return p

    def _is_new(self, line: str) -> bool:
        byte, bit = divmod(crc32(line.encode("utf-8", "replace")) % BITS, 8)
        if self._met[byte] >> bit & 1:
            return False
        self._met[byte] |= 1 << bit
        return True


class Decision(NamedTuple):
    """A URL's evidence when it was chosen, and what each part of it added to f(u)."""

    url: np.ndarray  # its row of `Tables.url`
    site: np.ndarray  # its site's row of `Tables.site`
    words: np.ndarray  # numbers of its words
    of_features: np.ndarray  # effects: weight times distance from the usual value
    of_words: np.ndarray  # effects


def reasons(decision: Decision, words: list[str]) -> pd.DataFrame:
    """Return the reasons for a choice, the weightiest first, by their effect on the log-odds."""
    with_words = [f'"{word}" in its address or an anchor' for word in words]
    effects = np.concatenate([decision.of_features, decision.of_words])
    columns = {
        "feature": [*FEATURES, *(["word"] * len(words))],
        "evidence": [*_in_words(decision.url, decision.site), *with_words],
        "effect": effects,
    }
    order = np.argsort(-np.abs(effects), kind="stable")
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _in_words(u: np.ndarray, s: np.ndarray) -> list[str]:
    """Return the evidence of each feature, in the order of `FEATURES`."""
    counts = u[of.PARENTS], u[of.NEAR], s[of.FETCHED], s[of.POINTERS]
    parents, near, fetched, pointers = map(int, counts)
    best = 1 / (1 + np.exp(-u[of.BEST]))
    return [
        "any link",
        f"its best anchor has a probability of {best:.2f}",
        f"the mean of its anchors, over {parents} links",
        f"{u[of.LABELS]:.1f} of {parents} pages that link to it are relevant",
        f"relevant pages that link to it: {u[of.LABELS]:.1f}",
        f"pages that link to it: {parents}",
        f"relevant pages of other sites that link to it: {u[of.ABROAD]:.1f}",
        f"{u[of.NEAR_LABELS]:.1f} of {near} pages linked beside it are relevant",
        f"{s[of.RELEVANT]:.1f} of {fetched} pages of its site are relevant",
        f"pages of its site fetched before: {fetched}",
        f"{s[of.POINTING]:.1f} of {pointers} pages that link into its site are relevant",
        "the anchors of its site's pages",
        "its own site links to it" if u[of.OWN] else "its own site does not link to it",
        "a keyword in its address" if u[of.IN_URL] else "no keyword in its address",
        "a keyword in an anchor" if u[of.IN_ANCHOR] else "no keyword in an anchor",
        "its latest anchor is empty" if u[of.EMPTY] else "its latest anchor has text",
        "it is a front page" if u[of.FRONT] else "it is no front page",
    ]


class Prospector(Policy):
    """Choose the URL of the highest f(u); `model.FEATURES` lists what speaks for one."""

    def __init__(self, context: Context, settings: ProspectorSettings | None = None):
        self._frontier = context.frontier
        self._settings = settings = settings or ProspectorSettings()
        self._words = Words()
        self._lines = OwnLines(context.proba)
        self.evidence = Evidence()
        self.model = Model(settings.without, settings.pretrained, settings.words)
        self._score = np.zeros(0, np.float32)  # f(u) by URL
        self._next_fit = self._settings.first_fit
        self._chosen: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # in flight
        self._decisions: dict[int, Decision] = {}  # by URL
        self.usual: np.ndarray | None = None  # mean features of the frontier at the last fit
        self._page: Page | None = None  # the last one, with its site and label
        self._site, self._label = NONE, 0.0
        self._resting: set[int] = set()  # URLs
        self.q, self.evaluations = float("nan"), 0

    def figures(self) -> dict[str, float]:
        return {"q": self.q, "evaluations": self.evaluations}

    def choose(self, step: int) -> int | None:
        if not self.evidence.n_urls:
            return None
        url = int(self._score[: self.evidence.n_urls].argmax())
        return None if self._score[url] == GONE else int(self.evidence.tables.latest[url])

    def take(self, action: int, step: int) -> None:
        t, score = self.evidence.tables, self._score[: self.evidence.n_urls]
        url = int(self._frontier.urls_of(np.array([action]))[0])
        if url >= self.evidence.n_urls or t.latest[url] == NONE:  # never added
            self.q = float("nan")
            return
        if self.usual is None:
            live = np.flatnonzero(score > GONE)
            self.usual = mean_phi(t, live[:: len(live) // SAMPLE + 1])
        x = np.empty(N_FEATURES)
        phi(t, url, x)
        words = t.words[url][t.words[url] != NONE]
        weights = self.model.weights
        self.q = float(probability(weights.features, weights.words, x, words))
        self._chosen[action] = x, t.words[url].copy()
        effects = weights.features * (x - self.usual), weights.words[words]  # copies
        rows = t.url[url].copy(), t.site[t.site_of[url]].copy()
        self._decisions[url] = Decision(*rows, words, *effects)
        score[url] = GONE

    def drop(self, ids: list[int]) -> None:
        urls = self._frontier.urls_of(np.array(ids))
        self._score[urls] = GONE
        self._resting.difference_update(urls.tolist())

    def rest(self, ids: list[int]) -> None:
        urls = self._frontier.urls_of(np.array(ids))
        self._score[urls] = GONE
        self._resting.update(urls.tolist())

    def wake(self, ids: list[int]) -> None:
        urls = np.unique(self._frontier.urls_of(np.array(ids)))
        self._resting.difference_update(urls.tolist())
        self._score[urls] = 0.0
        self._rescore(urls)

    def learn(self, transition: Transition) -> None:
        action, page = transition.id, transition.page
        url = int(self._frontier.urls_of(np.array([action]))[0])
        site = int(self._frontier.sites_of(np.array([url]))[0])
        self._make_room(url + 1, site + 1, action + 1)
        chosen = self._chosen.pop(action, None)
        label = transition.p if self._settings.soft else transition.reward
        if chosen is None:  # a seed, taken as relevant, or what was never added
            label = transition.reward
        elif page is None:
            label = 0.0
        if page is not None:
            doubt = self._settings.guard and chosen is not None
            label = self._lines.label(page, site, label, doubt)
        changed = self.evidence.visit(url, site, label)
        self._page, self._site, self._label = page, site, label
        if chosen is not None:
            self.model.add(*chosen, label)
        if self._settings.learn and self.model.n >= self._next_fit:
            self.model.fit()
            grown_by = int(self.model.n * self._settings.growth)
            self._next_fit = self.model.n + max(self._settings.first_fit, grown_by)
            changed = np.arange(self.evidence.n_urls)
            self.usual = None
        # Between fits only what changed: URLs of the site just visited and those linked beside the
        # page; `add` scores those linked from it.
        self._rescore(changed)

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if not len(ids) or self._page is None:
            return
        links, all_links = self._links(ids, x, self._page)
        new = links.urls
        if self._resting:  # a new link to a site at rest; what is new there wakes with the others
            new = new[~np.isin(new, list(self._resting))]
        self._score[new] = 0.0  # live, so no longer GONE
        self.evidence.link(links, self._site, self._label, all_links)
        self._rescore(links.urls)

    def explain(self, row: pd.Series) -> pd.DataFrame:
        decision = self._decisions[int(self._frontier.numbers([row["url"]])[0])]
        return reasons(decision, [self._words.word(n) for n in decision.words.tolist()])

    def _links(self, ids: np.ndarray, x: np.ndarray, page: Page) -> tuple[NewLinks, np.ndarray]:
        """Return the new actions' links, and the numbers of the URLs of all links of the page."""
        frontier = self._frontier
        urls = frontier.urls_of(ids)
        sites = frontier.sites_of(urls)
        self._make_room(int(urls.max()) + 1, int(sites.max()) + 1, int(ids[-1]) + 1)
        new = self.evidence.tables.latest[urls] == NONE
        place = {link.url: i for i, link in enumerate(page.links)}
        words = np.full((len(ids), MOST_WORDS), NONE, np.int32)
        listed = frontier.new_links(ids)
        for i, link in enumerate(listed):
            of_link = self._words.of_anchor(link.anchor)
            of_link = self._words.of_url(link.url) + of_link if new[i] else of_link
            words[i, : len(of_link)] = of_link
        p = np.clip(x[:, ANCHOR_PROBABILITY].astype(float), CLIP, 1 - CLIP)
        links = NewLinks(
            ids,
            urls,
            sites,
            place=np.array([place[link.url] for link in listed]),
            words=words,
            anchor=logs(p / (1.0 - p)),
            in_url=x[:, KEYWORD_IN_URL],
            in_anchor=x[:, KEYWORD_IN_ANCHOR],
            empty=np.array([not link.anchor for link in listed]),
            front=np.array([is_front_page(link.url) for link in listed]),
        )
        return links, frontier.numbers(list(place))

    def _make_room(self, n_urls: int, n_sites: int, n_actions: int) -> None:
        self.evidence.make_room(n_urls, n_sites, n_actions)
        old = len(self._score)
        self._score = grown(self._score, len(self.evidence.tables.url))
        self._score[old:] = GONE

    def _rescore(self, urls: np.ndarray) -> None:
        self.evaluations += len(urls)
        rescore(self._score, urls, self.evidence.tables, self.model.weights)


#: Prospector from a flat start: all that it knows it learns in the crawl.
prospector_flat = partial(Prospector, settings=ProspectorSettings(pretrained=False))


def is_front_page(url: str) -> bool:
    """Return whether a canonical URL has no path and no query."""
    return url.endswith("/") and url.count("/") == 3
