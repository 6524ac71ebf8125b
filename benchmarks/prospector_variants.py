"""Four ideas that Prospector does not use, each tried on development webs: do they help?

    OMP_NUM_THREADS=1 TRES_DATA=... python benchmarks/prospector_variants.py

prints each variant's gain on Prospector: points of true harvest, mean over topics, paired by web,
with the 95 % interval over webs. Crawls not stored are made first, in an hour of CPU in all.

- sites: an upper bound ("bound") or Thompson draws ("draws") of what a site's features add to f(u),
  by Laplace's approximation; times 2 / (2 + pages fetched from the site), so that new sites vary.
- tag paths: a token for each list in which a link to the URL stands. VitalWeb's HTML has ul and li
  around every link; so the list's heading, the same on all sites, stands for nav, main or footer.
- labels: soft labels recalibrated ("platt", or by "temperature" alone) on the training leads
  and pages that the classifier held out to know when to stop.
- reach: a tenth or a third of the fetches go to sites of which no page was fetched, as long as the
  mean label of the last hundred other pages is below .7. In 20,000 fetches, where topics run out.

Rule, fixed before the first run: a variant helps if the interval is above 0 with informative or
with muted links (muted 1), and its mean loss with the other kind is below half a point. Reach is
tried with informative links alone; it helps if the interval is above 0 in a topic and in none
below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from tres_book import study
from tres_book.crawls import trial as tres
from tres_book.crawls.variants import Variant
from tres_book.study import results
from tres_book.study.results import write_manifest
from tres_lib import topics, web
from tres_lib.focused.prospector import evidence as of
from tres_lib.focused.prospector.model import PSEUDO, SHARE
from tres_lib.focused.prospector.prospector import GONE, Prospector
from tres_lib.store import RESULTS
from tres_lib.topics.classifiers.evaluation import stratified_folds

FILE = RESULTS / "prospector-variants.parquet"
BOTH = [("frozen", ""), ("tag paths", "lists")]
MORE = [("sites", "bound"), ("sites", "draws"), ("labels", "platt"), ("labels", "temperature")]
TRIED = {8: BOTH, 1: BOTH + MORE}  # by the number of layouts of a web's pages
LONG = [("frozen", ""), ("reach", "tenth"), ("reach", "third")]
ALIKE = ["topic", "web_seed", "muted", "templates", "budget"]
N_SITES, EPOCHS = 20_000, 20
FAR = 1e6  # below any score of a URL that can be chosen


class Frozen(Prospector):
    """Prospector as it is, with what a variant may ask for."""

    def __init__(self, context, setting: str, topic: str, place: Any):
        super().__init__(context)
        self._setting, self._topic, self._place = setting, topic, place


class Optimist(Frozen):
    """Prospector with an upper bound, or a Thompson draw, of what a site's features add to f(u)."""

    _fits = 0  # of which the covariance takes account; the prior is the first

    def _rescore(self, urls: np.ndarray) -> None:
        super()._rescore(urls)
        if len(self.model.history) > self._fits:
            self._doubt()
        live = urls[self._score[urls] > GONE]
        table = self.evidence.tables
        sites, which = np.unique(table.site_of[live], return_inverse=True)
        row = table.site[sites]
        relevant = row[:, [of.RELEVANT, of.POINTING]] + SHARE * PSEUDO
        site, pointers = logit(relevant / (row[:, [of.FETCHED, of.POINTERS]] + PSEUDO)).T
        fetched, anchors = row[:, of.FETCHED], row[:, of.ANCHORS] / row[:, of.KNOWN]
        phi = np.column_stack([site, np.log1p(fetched), pointers, anchors])
        deviation = np.sqrt(np.einsum("ij,jk,ik->i", phi, self._covariance, phi))
        self._score[live] += (self._times[sites] * deviation * PSEUDO / (PSEUDO + fetched))[which]

    def _doubt(self) -> None:
        """Take the covariance of the weights after a fit, and draw for each site anew."""
        model, draws = self.model, self._setting == "draws"
        self._fits = len(model.history)
        x, words = model._x[: model.n].astype(float), model._words[: model.n]
        of_words = np.where(words == of.NONE, 0, model.weights.words[words]).sum(axis=1)
        p = expit(x @ model.weights.features + of_words)
        precision = x.T @ (x * (p * (1 - p))[:, None]) + np.diag(model._sd**-2)
        self._covariance = np.linalg.inv(precision)[8:12, 8:12]  # as phi in `_rescore`
        self._times = self._context.rng.standard_normal(N_SITES) if draws else np.ones(N_SITES)


class TagPaths(Frozen):
    """Prospector with tokens of the lists in which a URL's links stand, learnt as words are."""

    def _links(self, ids, x, page):
        links, all_links = super()._links(ids, x, page)
        lists, own = headings(self._place, page), links.sites == self._site
        names = [f"{lists[i]}, own site: {here}" for i, here in zip(links.place, own, strict=True)]
        tokens = np.array([self._words._numbers([name]) for name in names], np.int32)
        return links._replace(words=np.hstack([tokens, links.words])), all_links


def headings(place: Any, page: web.Page) -> list[str]:
    """Return the heading of the list in which each link of a page stands, as the web writes it."""
    muted = isinstance(place, web.MutedWeb)
    lab, url = (place.web, place._plain(page.url)) if muted else (place, page.url)
    _, blocks = lab.writer.compose(*lab.resolve(url))
    heading_of = {link.url: heading for heading, links in blocks[::-1] for link in links or ()}
    return [heading_of[link.url] for link in lab.fetch(url).links]


class Reach(Frozen):
    """Prospector with a share of its fetches for unseen sites, when those of seen ones get poor."""

    PERIOD = {"tenth": 10, "third": 3}  # one fetch of so many
    PRICE, PAGES = 0.7, 100  # mean label of so many pages below which it reaches out

    def __init__(self, context, **options):
        super().__init__(context, **options)
        self._mean, self._reaching = 1.0, False

    def choose(self, step: int) -> int:
        self._reaching = step % self.PERIOD[self._setting] == 0 and self._mean < self.PRICE
        if not self._reaching:
            return super().choose(step)
        score, table = self._score[: self.evidence.n_urls], self.evidence.tables
        seen = table.site[table.site_of[: len(score)], of.FETCHED] > 0
        before = score[seen]
        score[seen] -= FAR
        action = super().choose(step)
        score[seen] = np.where(score[seen] == GONE, GONE, before)
        return action

    def learn(self, transition) -> None:
        super().learn(transition)
        if not self._reaching:
            self._mean += (self._label - self._mean) / self.PAGES


class Calibrated(Frozen):
    """Prospector with recalibrated soft labels; rewards stay as they are."""

    def __init__(self, context, **options):
        super().__init__(context, **options)
        self._curve = calibration(self._topic, self._setting)
        self._lines._proba = lambda texts: self._curve(context.proba(texts))

    def learn(self, transition) -> None:
        super().learn(replace(transition, p=self._curve(transition.p).item()))


@lru_cache
def calibration(topic: str, method: str) -> Callable[[Any], np.ndarray]:
    """Return what maps a classifier's probabilities to those that its held-out texts bear out."""
    network, corpus = topics.default_classifier(topic), topics.training_corpus(topic)
    folds = max(2, round(1 / network.settings.validation))  # as `KwBiLSTM.fit` makes them
    rows = stratified_folds(corpus.labels, corpus.groups, folds, network.seed)[0][1]
    rows = rows[corpus.forms[rows] != "anchor"]
    p, relevant = network.proba([corpus.texts[i] for i in rows]), corpus.labels[rows]
    platt = LogisticRegression(C=1e6, fit_intercept=method == "platt")
    platt.fit(logit(p.clip(1e-6, 1 - 1e-6))[:, None], relevant)
    return lambda p: expit(platt.coef_[0, 0] * logit(p) + platt.intercept_)


def score(
    variant: str, setting: str, topic: str, web_seed: int, muted: float, templates: int, budget: int
) -> dict[str, Any]:
    """Return what a crawl found, in per cent of its budget."""
    place = tres.open_web("vital", web_seed, N_SITES, templates, muted)
    kinds = {"sites": Optimist, "tag paths": TagPaths, "labels": Calibrated, "reach": Reach}
    policy = partial(kinds.get(variant, Frozen), setting=setting, topic=topic, place=place)
    arguments = place, Variant(policy), topic, web_seed, *tres.classifier_of(topic, EPOCHS)
    steps = tres.single_seed_crawl(*arguments, budget=budget).log.query("step > 0")
    relevant = {"true": steps["relevant_true"].eq(True), "harvest": steps["reward"]}
    rates = {name: 100 * labels.sum() / budget for name, labels in relevant.items()}
    return rates | {"revision": study.provenance().loc["git revision", "value"]}


def plan() -> list[dict[str, Any]]:
    """Return the arguments of `score`."""
    ways = [(600, n, muted, tried) for n, tried in TRIED.items() for muted in (0.0, 1.0)]
    return [
        {"variant": variant, "setting": setting, "budget": budget}
        | {"topic": topic, "web_seed": seed, "muted": muted, "templates": templates}
        for seed in range(110, 116)
        for budget, templates, muted, tried in [*ways, (20_000, 1, 0.0, LONG)]
        for topic in ("sports", "food", "computing")
        for variant, setting in tried
    ]


def crawls() -> pd.DataFrame:
    """Return the stored crawls, a row each, after those that are missing were made and stored."""
    known = pd.read_parquet(FILE) if FILE.exists() else pd.DataFrame(columns=list(plan()[0]))
    stored = known[list(plan()[0])].to_dict("records")
    if todo := [setting for setting in plan() if setting not in stored]:
        known = pd.concat([known, study.run_sweep(score, todo, together=["web_seed"])])
        known.to_parquet(FILE, index=False)
        entries, origin = results.manifest(), {"function": "benchmarks/prospector_variants.py"}
        told = {"runs": len(known), "sha256": results.sha256(FILE.name)}
        write_manifest(entries | {FILE.stem: origin | told})
    return known


def main() -> None:
    pairs = study.paired(crawls(), "true", ALIKE, {"variant": "frozen"})
    pairs["gain"] = pairs["true"] - pairs["reference"]
    by = ["variant", "setting", "templates", "muted", "budget"]
    webs = pairs.groupby([*by, "web_seed"])["gain"].mean().reset_index()
    for groups, table in ((by, webs), ([*by, "topic"], pairs)):
        print(study.summarise(table, groups, "gain").round(2).to_string(index=False))


if __name__ == "__main__":
    main()
