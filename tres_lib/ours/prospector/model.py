"""The logistic model of a URL: its features, its prior, its fit.

A URL u has f(u) = w . phi(u) + the sum of v_t over its words t, and its page is relevant with
probability 1 / (1 + exp(-f(u))). `FEATURES` lists phi with the prior mean of each weight, fitted on
development webs; those of words are 0. Most features are rates of relevant pages, shrunk by two
pseudo-pages of share .3:

    rate(g, n) = logit((g + 2 * .3) / (n + 2)),    logit(p) = ln(p / (1 - p)),

where g sums the labels of n fetched pages: those that link to u, those linked beside it, those of
its site, and those that link into its site. A label is the classifier's probability that a page is
relevant. `Model.fit` finds the weights of the highest posterior density.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_plus
from zlib import crc32

import numpy as np

from tres_webs.urls import PAGE_EXTENSION

from ...focused.frontier import grown
from ...numerics import compiled, dot64, exp, log, minimize

NONE = -1
WORDS = 16  # of a URL, kept at most: those of its address first
BESIDE = 3  # links on each side of a link that count as beside it
UNKNOWN = -99.0  # the best anchor before the first

# Columns of `Tables.url`. A label is that of a fetched page, 0 (irrelevant) to 1.
PARENTS, LABELS, ABROAD, BEST, SUM, IN_URL, IN_ANCHOR, EMPTY, OWN = range(9)
NEAR, NEAR_LABELS, FRONT = range(9, 12)
# Columns of `Tables.site`, a registered domain.
FETCHED, RELEVANT, KNOWN, ANCHORS, POINTERS, POINTING = range(6)
# Columns of `Tables.action` and of `Tables.page`.
URL, PAGE, BEFORE, PLACE = range(4)
BEGIN, END, HOME = range(3)

BUCKETS = 2**20
SHORTEST = 3  # letters
MOST = 8  # words of an address or of an anchor, the first ones
RUN = re.compile(r"[^\W_]+")  # letters and digits
CACHE = 100_000  # anchors, which recur on many pages

SHARE, PSEUDO = 0.3, 2.0  # rates are shrunk to this share by so many pseudo-pages
STEPS = 25  # of L-BFGS, at most; it starts from the weights at hand
SD, SD_OF_CONSTANT = 0.5, 3.0  # of the weights' prior; a weight with deviation 0 stays at its mean

# phi(u), and the prior mean of each weight: rounded means of what was fitted on development webs.
FEATURES = {
    "constant": -1.0,
    "best anchor": 0.6,  # logit of the highest anchor probability (feature 5), within .01 to .99
    "mean anchor": 0.0,  # mean of those logits over all links to it
    "parents": 0.8,  # rate(labels of the pages that link to it, their number)
    "relevant parents": -0.1,  # ln(1 + those labels)
    "number of parents": -0.1,  # ln(1 + that number)
    "relevant parents abroad": 0.4,  # ln(1 + labels of parents on other sites)
    "beside": 0.3,  # rate(labels of fetched pages with links beside those to it, their number)
    "site": 0.3,  # rate(labels of the pages fetched from its site, their number)
    "pages of the site": -0.2,  # ln(1 + that number)
    "pointers": 0.3,  # rate(labels of other sites' pages that link into its site, their number)
    "anchors of the site": 0.0,  # mean of the best anchors of its URLs
    "link from its own site": 0.1,  # 0 or 1, as what follows
    "keyword in its URL": 0.1,
    "keyword in an anchor": 0.0,
    "empty anchor": 0.0,
    "front page": -1.0,
}
PRIOR = np.array(list(FEATURES.values()))
N_FEATURES = len(FEATURES)


class Tables(NamedTuple):
    """Counts by number of a URL, site, action or page; some 190 bytes a URL of four actions."""

    url: np.ndarray  # (n, 12) float32
    words: np.ndarray  # (n, WORDS) int32, ended by NONE
    label: np.ndarray  # (n,) float32, NaN before the URL was fetched
    site_of: np.ndarray  # (n,) int32
    latest: np.ndarray  # (n,) int32: the newest action that leads to the URL
    older: np.ndarray  # (n,) int32: another URL of its site
    site: np.ndarray  # (n, 6) float64
    newest: np.ndarray  # (n,) int32: a site's newest URL
    linked: np.ndarray  # (n,) int32: the last page that linked into the site
    action: np.ndarray  # (n, 4) int32: URL, page, the URL's action before, place on the page
    page: np.ndarray  # (n, 3) int32: first action, end of its actions, site


class NewLinks(NamedTuple):
    """The n links of a page that became actions, in arrays (n,); the last four are 0 or 1."""

    ids: np.ndarray
    urls: np.ndarray
    sites: np.ndarray
    place: np.ndarray  # among all links of the page
    words: np.ndarray  # (n, any), ended by NONE; those of the address if the URL is new
    anchor: np.ndarray  # logit of the anchor's probability
    in_url: np.ndarray
    in_anchor: np.ndarray
    empty: np.ndarray
    front: np.ndarray


class Evidence:
    """The tables of a crawl, and what adds to them."""

    def __init__(self) -> None:
        of_url = "12f4", f"{WORDS}i4", "f4", "i4", "i4", "i4"
        of_site = "6f8", "i4", "i4"
        self.tables = Tables(*(np.zeros(0, kind) for kind in (*of_url, *of_site, "4i4", "3i4")))
        self.n_urls = 0
        self._n_pages = 0

    def make_room(self, n_urls: int, n_sites: int, n_actions: int) -> None:
        """Make room for what has numbers below these."""
        self.n_urls = max(self.n_urls, n_urls)
        t = self.tables
        old_urls, old_sites = len(t.url), len(t.site)
        of_urls = [grown(table, n_urls) for table in t[:6]]
        of_sites = [grown(table, n_sites) for table in t[6:9]]
        self.tables = t = Tables._make([*of_urls, *of_sites, grown(t.action, n_actions), t.page])
        t.label[old_urls:] = np.nan
        for empty in t.latest[old_urls:], t.newest[old_sites:], t.linked[old_sites:]:
            empty[:] = NONE

    def visit(self, url: int, site: int, label: float) -> np.ndarray:
        """Note the label of a fetched page; return the URLs whose evidence it changed, (n,)."""
        return _visited(self.tables, url, site, label)

    def link(self, links: NewLinks, site: int, label: float, all_links: np.ndarray) -> None:
        """Count the links of a page, for which there is room; `all_links`: numbers of the URLs."""
        pages = grown(self.tables.page, self._n_pages + 1)
        pages[self._n_pages] = links.ids[0], links.ids[-1] + 1, site
        self.tables = self.tables._replace(page=pages)
        _link(self.tables, links, self._n_pages, label, all_links)
        self._n_pages += 1


@compiled
def _link(t, links, page, label, all_links):
    home = t.page[page, HOME]
    for i in range(len(links.ids)):
        u, site = links.urls[i], links.sites[i]
        own = site == home
        row = t.url[u]
        if t.latest[u] == NONE:
            t.site_of[u] = site
            t.older[u] = t.newest[site]
            t.newest[site] = u
            t.site[site, KNOWN] += 1
            t.words[u] = NONE
            row[BEST] = UNKNOWN
            row[FRONT] = links.front[i]
        action = t.action[links.ids[i]]
        action[URL], action[PAGE] = u, page
        action[BEFORE], action[PLACE] = t.latest[u], links.place[i]
        t.latest[u] = links.ids[i]
        row[PARENTS] += 1
        row[LABELS] += label
        if own:
            row[OWN] = 1
        else:
            row[ABROAD] += label
            if t.linked[site] != page:  # a page counts once
                t.linked[site] = page
                t.site[site, POINTERS] += 1
                t.site[site, POINTING] += label
        if links.anchor[i] > row[BEST]:
            t.site[site, ANCHORS] += links.anchor[i] - (0 if row[BEST] == UNKNOWN else row[BEST])
            row[BEST] = links.anchor[i]
        row[SUM] += links.anchor[i]
        row[IN_URL] = max(row[IN_URL], links.in_url[i])
        row[IN_ANCHOR] = max(row[IN_ANCHOR], links.in_anchor[i])
        row[EMPTY] = links.empty[i]
        _add_words(t.words[u], links.words[i])
        first = max(links.place[i] - BESIDE, 0)
        for v in all_links[first : links.place[i] + BESIDE + 1]:
            if v != NONE and (t.site_of[v] == home) == own and not np.isnan(t.label[v]):
                row[NEAR] += 1
                row[NEAR_LABELS] += t.label[v]


@compiled
def _add_words(words, new):
    for word in new:
        if word == NONE:
            return
        for k in range(len(words)):
            if words[k] == word:
                break
            if words[k] == NONE:
                words[k] = word
                break


@compiled
def _visited(t, url, site, label):
    """Pass the label on to the URLs beside links to `url`; return them and those of its site."""
    t.label[url] = label
    t.site_of[url] = site
    t.site[site, FETCHED] += 1
    t.site[site, RELEVANT] += label
    changed = []
    action = t.latest[url]
    while action != NONE:
        begin, end, home = t.page[t.action[action, PAGE]]
        for way in (-1, 1):
            other = action + way
            while (
                begin <= other < end
                and abs(t.action[other, PLACE] - t.action[action, PLACE]) <= BESIDE
            ):
                u = t.action[other, URL]
                if (t.site_of[u] == home) == (site == home):
                    t.url[u, NEAR] += 1
                    t.url[u, NEAR_LABELS] += label
                    changed.append(u)
                other += way
        action = t.action[action, BEFORE]
    u = t.newest[site]
    while u != NONE:
        changed.append(u)
        u = t.older[u]
    return np.array(changed)


class Words:
    """Numbers of words, from 0 to `BUCKETS`, and the words that have them."""

    def __init__(self) -> None:
        self._word: dict[int, str] = {}
        self.of_anchor = lru_cache(CACHE)(self._of_anchor)

    def word(self, number: int) -> str:
        """Return the word of a number; of several that share it, the one met first."""
        return self._word[number]

    def of_url(self, url: str) -> tuple[int, ...]:
        """Return the numbers of the words of a URL's path and query."""
        path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
        segments = map(_informative, unquote_plus(PAGE_EXTENSION.sub("", path)).split("/"))
        parts = [part for part in segments if part]
        # The last segment counts as a whole, too: "grace hopper" says more than its words.
        whole = [" ".join(parts[-1])] if parts and len(parts[-1]) > 1 else []
        words = [word for part in parts for word in part] + _informative(unquote_plus(query))
        return self._numbers(words[:MOST] + whole)

    def _of_anchor(self, anchor: str) -> tuple[int, ...]:
        words = _informative(anchor)[:MOST]
        return self._numbers(words + [" ".join(words)] * (len(words) > 1))

    def _numbers(self, words: list[str]) -> tuple[int, ...]:
        numbers = [crc32(word.encode("utf-8", "replace")) % BUCKETS for word in words]
        for number, word in zip(numbers, words, strict=True):
            self._word.setdefault(number, word)
        return tuple(dict.fromkeys(numbers))


def _informative(text: str) -> list[str]:
    words = RUN.findall(text.lower())
    return [word for word in words if len(word) >= SHORTEST and word.isalpha()]


class Weights(NamedTuple):
    """Weights of features, (n_features,), and of words, (BUCKETS,)."""

    features: np.ndarray
    words: np.ndarray


class Model:
    """The weights of f(u), and the examples that they are fitted to, `n` in number."""

    def __init__(
        self, without: Sequence[str] = (), pretrained: bool = True, words: bool = True
    ) -> None:
        # Those have weight 0. The others start from `PRIOR`, or from 0, and are drawn to it.
        out = np.isin(list(FEATURES), without)
        self._mean = np.where(out, 0.0, PRIOR if pretrained else 0.0)
        self._sd = np.where(out, 0.0, SD)
        self._sd[0] = SD_OF_CONSTANT
        self._sd_of_words = SD if words else 0.0
        self.weights = Weights(self._mean.copy(), np.zeros(BUCKETS, np.float32))
        self.n = 0
        self._x = np.zeros((0, len(PRIOR)), np.float32)
        self._words = np.zeros((0, WORDS), np.int32)
        self._y = np.zeros(0, np.float32)

    def add(self, x: np.ndarray, words: np.ndarray, label: float) -> None:
        """Add an example: the evidence on a URL when it was chosen, and its page's label."""
        i = self.n
        self.n += 1
        self._x, self._words, self._y = (grown(a, self.n) for a in (self._x, self._words, self._y))
        self._x[i], self._words[i], self._y[i] = x, words, label

    def fit(self) -> None:
        """Fit the weights to all examples, by L-BFGS: the maximum a posteriori."""
        # Minimise sum_i [ln(1 + exp f_i) - y_i f_i] + 1/2 sum_j (w_j - m_j)^2 / sd_j^2, where m is
        # `PRIOR` for features (0 unless pre-trained), and 0 for words.
        n, k = self.n, len(PRIOR)
        met, words = np.unique(np.append(self._words[:n], NONE), return_inverse=True)
        words = words[:-1].reshape(n, -1) - 1  # so that NONE, the least number, is -1 again
        met = met[1:]
        mean = np.append(self._mean, np.zeros(len(met)))
        sd = np.append(self._sd, np.full(len(met), self._sd_of_words))
        free = sd > 0
        precision = np.divide(1, sd**2, out=np.zeros_like(sd), where=free)
        start = np.append(self.weights.features, self.weights.words[met])
        facts = self._x[:n], words, self._y[:n], mean, precision, free
        best = minimize(lambda weights: posterior(weights, *facts), start, STEPS)
        self.weights.words[met] = best[k:]
        self.weights = self.weights._replace(features=best[:k])


@compiled
def rescore(score: np.ndarray, urls: np.ndarray, t: Tables, weights: Weights) -> None:
    """Set f(u) of these URLs, but of those whose score is -inf."""
    x = np.empty(len(weights.features))
    for u in urls:
        if score[u] != -np.inf:
            phi(t, u, x)
            score[u] = log_odds(weights.features, weights.words, x, t.words[u])


@compiled
def mean_phi(t: Tables, urls: np.ndarray) -> np.ndarray:
    """Return the mean features of some URLs, (n_features,)."""
    x, total = np.empty(N_FEATURES), np.zeros(N_FEATURES)
    for u in urls:
        phi(t, u, x)
        total += x
    return total / len(urls)


@compiled
def phi(t: Tables, u: int, x: np.ndarray) -> None:
    """Write the features of a URL, in the order of `FEATURES`, into x."""
    url, site = t.url[u], t.site[t.site_of[u]]
    n = url[PARENTS]
    x[0] = 1.0
    x[1] = url[BEST]
    x[2] = url[SUM] / n
    x[3] = _rate(url[LABELS], n)
    x[4] = log(1.0 + url[LABELS])
    x[5] = log(1.0 + n)
    x[6] = log(1.0 + url[ABROAD])
    x[7] = _rate(url[NEAR_LABELS], url[NEAR])
    x[8] = _rate(site[RELEVANT], site[FETCHED])
    x[9] = log(1.0 + site[FETCHED])
    x[10] = _rate(site[POINTING], site[POINTERS])
    x[11] = site[ANCHORS] / site[KNOWN]
    x[12] = url[OWN]
    x[13] = url[IN_URL]
    x[14] = url[IN_ANCHOR]
    x[15] = url[EMPTY]
    x[16] = url[FRONT]


@compiled
def _rate(labels, n):
    relevant = labels + SHARE * PSEUDO
    return log(relevant / (n + PSEUDO - relevant))


@compiled
def posterior(theta, x, words, y, mean, precision, free):
    """Return the negative logarithm of the posterior, and its gradient, (k + m,)."""
    # theta (k + m,) has the weights of k features and m words. Of n examples, x (n, k) has the
    # features, words (n, l) numbers below m ended by NONE, and y (n,) the labels from 0 to 1.
    n, k = x.shape
    value, gradient = 0.0, np.zeros(len(theta))
    for j in range(len(theta)):
        off = theta[j] - mean[j]
        gradient[j] = precision[j] * off
        value += 0.5 * precision[j] * off * off
    for i in range(n):
        f = log_odds(theta[:k], theta[k:], x[i], words[i])
        tail = exp(-min(abs(f), 700.0))
        value += max(f, 0.0) + log(1.0 + tail) - y[i] * f
        residual = (1.0 if f > 0 else tail) / (1.0 + tail) - y[i]
        for j in range(k):
            gradient[j] += residual * x[i, j]
        for word in words[i]:
            if word == NONE:
                break
            gradient[k + word] += residual
    for j in range(len(theta)):
        if not free[j]:
            gradient[j] = 0.0
    return value, gradient


@compiled
def log_odds(weights, of_words, x, words):
    """Return f of an example, by the weights of features and of all words."""
    f = dot64(weights, x)
    for word in words:
        if word == NONE:
            break
        f += of_words[word]
    return f


@compiled
def probability(weights, of_words, x, words):
    """Return 1 / (1 + exp(-f)) of an example; see `log_odds`."""
    f = log_odds(weights, of_words, x, words)
    return 1.0 / (1.0 + exp(-max(min(f, 700.0), -700.0)))
