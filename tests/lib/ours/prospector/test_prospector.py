"""Prospector: its evidence against a count by hand, its fit against a solver, and its crawls."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, orchard, page, seed_of
from scipy.optimize import minimize

from tres_lib import focused
from tres_lib.ours.prospector import model as of
from tres_lib.ours.prospector.model import FEATURES, PRIOR, SD, SD_OF_CONSTANT, Model, phi
from tres_lib.ours.prospector.prospector import Prospector, ProspectorSettings
from tres_webs import domain


def crawl(web, budget=60, policy="prospector", **options):
    seeds = options.pop("seeds", None) or seed_of(web)
    how = {"classifier": CountingClassifier(), "progress": False} | options
    return focused.crawl(web, seeds, TOPIC, policy=policy, budget=budget, **how)


def varied(web):
    """Give each page a text of its own, or else the trap guard takes it for a copy."""
    web.pages = {url: replace(old, text=f"{old.text} of {url}") for url, old in web.pages.items()}
    return web


def rate(labels, n):
    return math.log((labels + 0.6) / (n + 2 - labels - 0.6))


def test_the_features_of_a_url_by_hand():
    seed, hub = "http://a.example/", "http://b.example/hub"
    target, other = "http://b.example/wine/red", "http://b.example/z"
    web = DictWeb(
        {
            seed: page(seed, (hub, "apple"), (target, "nothing"), text="apple"),
            hub: page(hub, seed, other, (target, "apple"), text="apple"),
            other: page(other),
        },
        {seed, hub},
    )
    result = crawl(web, budget=1, seeds=[seed])
    assert result.log["url"].tolist() == [seed, hub]
    policy = result.policy
    t = policy.evidence.tables
    x = np.empty(len(PRIOR))
    phi(t, result.frontier.numbers([target])[0], x)
    high, low = math.log(9), -math.log(9)  # of the classifier's .9 and .1
    got = dict(zip(FEATURES, x, strict=True))
    assert got == pytest.approx(
        {
            "constant": 1,
            "best anchor": high,
            "mean anchor": (high + low) / 2,
            "parents": rate(1.9, 2),
            "relevant parents": math.log(2.9),
            "number of parents": math.log(3),
            "relevant parents abroad": math.log(2),  # the seed; the hub is on its own site
            # On the seed's page the hub, of another site too, is one place away. On the hub's own
            # page only the seed is fetched, and that is of another site.
            "beside": rate(0.9, 1),
            "site": rate(0.9, 1),
            "pages of the site": math.log(2),
            "pointers": rate(1, 1),
            "anchors of the site": (high + high + low) / 3,
            "link from its own site": 1,
            "keyword in its URL": 0,
            "keyword in an anchor": 1,
            "empty anchor": 0,
            "front page": 0,
        },
        abs=1e-6,
    )


@pytest.mark.slow
def test_the_counts_of_a_crawl_are_those_of_its_pages():
    web = varied(orchard(3, sites=12, pages=8))
    result = crawl(web, budget=40)
    log, frontier, t = result.log, result.frontier, result.policy.evidence.tables
    label = {row.url: 1.0 if row.step == 0 else np.nan_to_num(row.p) for row in log.itertuples()}
    fetched = set(log["url"])
    open_urls = {link.url for url in fetched & set(web.pages) for link in web.pages[url].links}
    checked = 0
    for url in sorted(open_urls - fetched):
        u = frontier.numbers([url])[0]
        parents = [p for p in log["url"] if p in web.pages and url in targets(web, p)]
        row = t.url[u]
        assert row[of.PARENTS] == len(parents)
        assert row[of.LABELS] == pytest.approx(sum(label[p] for p in parents), abs=1e-5)
        elsewhere = [label[p] for p in parents if domain(p) != domain(url)]
        assert row[of.ABROAD] == pytest.approx(sum(elsewhere), abs=1e-5)
        near = [v for p in parents for v in beside(web, p, url) if v in fetched]
        assert row[of.NEAR] == len(near), url
        assert row[of.NEAR_LABELS] == pytest.approx(sum(label[v] for v in near), abs=1e-5)
        site = t.site[t.site_of[u]]
        visits = log[log["domain"] == domain(url)]
        assert site[of.FETCHED] == len(visits)
        assert site[of.RELEVANT] == pytest.approx(sum(label[v] for v in visits["url"]), abs=1e-5)
        checked += 1
    assert checked > 50


def targets(web, url):
    return [link.url for link in web.pages[url].links]


def beside(web, parent, url):
    """URLs of a page within three places, on the parent's site if and only if `url` is."""
    there, own = targets(web, parent), domain(url) == domain(parent)
    at = there.index(url)
    near = there[max(at - 3, 0) : at] + there[at + 1 : at + 4]
    return [v for v in near if (domain(v) == domain(parent)) == own]


@pytest.mark.parametrize(
    "settings", [{}, {"without": list(FEATURES)[1:9]}, {"words": False}], ids=str
)
def test_the_fit_is_the_maximum_a_posteriori(settings):
    rng = np.random.default_rng(0)
    model = Model(**settings)
    x = rng.normal(size=(60, len(PRIOR))).astype(np.float32)
    x[:, 0] = 1
    words = np.full((60, of.WORDS), of.NONE, np.int32)
    words[:, 0], words[:40, 1] = rng.integers(5, 9, 60), 700_000
    y = rng.random(60).astype(np.float32)
    for row in zip(x, words, y, strict=True):
        model.add(*row)
    model.fit()
    numbers = [5, 6, 7, 8, 700_000]
    has = np.array([[number in row for number in numbers] for row in words], float)
    out = np.isin(list(FEATURES), settings.get("without", ()))
    sd = np.append(np.where(out, 0, SD), np.full(5, SD * settings.get("words", True)))
    sd[0] = SD_OF_CONSTANT
    mean = np.append(np.where(out, 0, PRIOR), np.zeros(5))

    def loss(moved):  # in units of the prior, so that a deviation of 0 keeps its weight
        theta = mean + moved * sd
        f = x @ theta[: len(PRIOR)] + has @ theta[len(PRIOR) :]
        return (np.logaddexp(0, f) - y * f).sum() + (moved**2).sum() / 2

    best = minimize(loss, np.zeros(len(mean)), method="BFGS")
    found = np.append(model.weights.features, model.weights.words[numbers])
    np.testing.assert_allclose(found, mean + best.x * sd, atol=2e-3)
    assert not model.weights.words[[4, 9]].any()


def test_why_a_page_was_fetched():
    settings = ProspectorSettings(first_fit=50, growth=10)  # one fit
    result = crawl(orchard(8), 80, partial(Prospector, settings=settings))
    url = result.log["url"].iloc[-1]
    why = result.explain(url)
    row = result.log.iloc[-1]
    assert why.text.startswith(f"Step 80: the best of {row['frontier']:,} links")
    assert list(why.table.columns) == ["feature", "evidence", "effect"]
    assert why.table["effect"].abs().is_monotonic_decreasing
    assert set(FEATURES) <= set(why.table["feature"])
    assert "<table" in why._repr_html_()
    # The effects are the distance of f(u) from that of a usual link.
    policy = result.policy
    usual = policy.model.weights.features @ policy.usual
    f = math.log(row["q"] / (1 - row["q"]))
    assert why.table["effect"].sum() == pytest.approx(f - usual, abs=1e-4)


def test_best_first_names_its_anchor_and_what_gives_no_reasons_says_so():
    result = crawl(orchard(8), 5, "best-first")
    url = result.log["url"].iloc[3]
    assert "its anchor has a probability of 0.90" in str(result.explain(url))
    for bad, match in (("http://x.example/", "did not fetch"), (result.log["url"][0], "a seed")):
        with pytest.raises(ValueError, match=match):
            result.explain(bad)
    silent = crawl(orchard(8), 5, "bfs")
    with pytest.raises(ValueError, match="'bfs' gives no reasons"):
        silent.explain(silent.log["url"].iloc[3])
