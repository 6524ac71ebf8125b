"""Chapter 1: measures of a web, so that a made-up one can stand beside real ones."""

from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import yaml

from tres_lib.topics.classifiers.base import anchor_text
from tres_lib.topics.defaults import classifier
from tres_webs.files import DATA
from tres_webs.lab.vital import VitalWeb
from tres_webs.page import FetchError, Link, Page, Web
from tres_webs.recorded.replay import ReplayWeb
from tres_webs.topic import Topic
from tres_webs.urls import domain

from ..crawls.latest import latest
from ..study import results
from ..study.findings import Figure
from ..study.study import Study, grid

PURE = 0.9  # share of relevant pages from which on a site is one of its topic
SAMPLE = 1_500  # pages whose links are measured
NEAR = 400  # fetches of a breadth-first crawl
STARTS = 8
PARTS = 4  # of cross-validation


def studies() -> dict[str, Study]:
    """Return the study of ``webs``: both laws of VitalWeb, ten webs and three, and Wikispeedia."""
    topics = ("sports", "food", "computing")
    settings = grid(web=["second"], seed=range(10), topic=topics, sites=[100_000])
    settings += grid(web=["first"], seed=range(3), topic=topics, sites=[100_000])
    settings += grid(web=["wikispeedia"], seed=[0], topic=topics, sites=[0])
    return {"webs": Study("webs", measures, settings, ("web", "seed"), tuple(real_webs()))}


def real_webs() -> dict[str, Any]:
    """Return what the second law had to show, and what real sets of pages do, by measure."""
    return yaml.safe_load((DATA / "real_webs.yaml").read_text(encoding="utf-8"))


def measures(web: str, seed: int, topic: str, sites: int) -> dict[str, Any]:
    """Return what the second law was fitted on, of a web and a topic; nothing is learnt.

    The web is a law of VitalWeb, or "wikispeedia", one site without `site_measures`.
    ``breadth_first`` is the share of relevant pages among the first `NEAR`.
    """
    place, rng = _web(web, seed, sites), np.random.default_rng(seed)
    vital = isinstance(place, VitalWeb)
    if vital:
        links = links_of(place, place.random_article_pages(SAMPLE, rng))
    else:
        links = links_of(place, rng.choice(place.urls(), SAMPLE, replace=False))
    found = link_measures(links) | topic_measures(links, place, topic)
    if vital:
        found |= site_measures(place, topic)
    starts = place.seeds(topic, STARTS, seed)
    near = [url for start in starts for url in reach(place, start, NEAR + 1)[1:]]
    found["breadth_first"] = float(np.mean([bool(place.is_relevant(url, topic)) for url in near]))
    return found


def target_table(measured: pd.DataFrame) -> pd.DataFrame:
    """Return means over webs of `measures`, from the least topic's on, beside real webs."""
    real = real_webs()
    of_topic = measured.groupby(["web", "topic"])[list(real)].mean()
    laws = {f"{name} law": name for name in ("third", "second", "first")}
    known = set(measured["web"])
    ours = {h: web for h, web in (laws | {"Wikispeedia": "wikispeedia"}).items() if web in known}
    table = pd.DataFrame(real).T.reindex(columns=["says", "target", "webkb", "debian", "source"])
    for place, (head, web) in enumerate(ours.items(), 2):
        table.insert(place, head, [span(of_topic.loc[web, name]) for name in real])
    heads = {"webkb": "WebKB", "debian": "Debian", "source": "source of the target"}
    return table.fillna("").rename(columns=heads).set_index("says").rename_axis(None)


def figures() -> dict[str, SimpleNamespace]:
    """Return the means of `measures` over webs and topics: ``first_law`` and ``second_law``."""
    means = results.stored("webs").groupby("web").mean(numeric_only=True)
    laws = {f"{law}_law": means.loc[law].map(Figure) for law in ("first", "second")}
    return {law: SimpleNamespace(**found) for law, found in laws.items()}


def span(values: pd.Series) -> str:
    """Return the least and the greatest value, once if they are written alike."""
    ends = values.dropna().agg(["min", "max"])
    texts = [f"{value:,.0f}" if value >= 100 else f"{value:.2g}" for value in ends.dropna()]
    return " to ".join(dict.fromkeys(texts))


@latest
def _web(name: str, seed: int, sites: int) -> Any:
    if name == "wikispeedia":
        return ReplayWeb.from_wikispeedia()
    return VitalWeb(seed, sites, law=name)


def links_of(web: Web, urls: Iterable[str]) -> pd.DataFrame:
    """Return the links of some pages: source, target, anchor, and whether it leaves the site."""
    pages = ((url, page_of(web, url)) for url in urls)
    rows = [(url, link.url, link.anchor) for url, page in pages if page for link in page.links]
    table = pd.DataFrame(rows, columns=["source", "target", "anchor"])
    table["site"] = table.source.map(domain)
    table["leaves_site"] = table.site != table.target.map(domain)
    return table


def page_of(web: Web, url: str) -> Page | None:
    """Return a page, None if it cannot be had."""
    with suppress(FetchError):
        return web.fetch(url)
    return None


def link_measures(links: pd.DataFrame) -> dict[str, float]:
    """Return measures of the links of some pages, as `links_of` has them.

    ``log_sd`` is the deviation over sites of the logarithm of their mean number of links,
    ``shared_names`` the share of targets whose commonest anchor is another's commonest, too.
    """
    per_page = links.groupby(["site", "source"]).size()
    named = links[links["anchor"] != ""].assign(anchor=lambda t: t["anchor"].str.lower())
    commonest = named.groupby("target")["anchor"].agg(lambda a: a.value_counts().index[0])
    return {
        "links": float(per_page.mean()),
        "log_sd": float(np.log(per_page.groupby("site").mean()).std()),
        "within": float(1 - links["leaves_site"].mean()),
        "words": float(links["anchor"].str.split().str.len().mean()),
        "shared_names": float(commonest.duplicated(keep=False).mean()),
    }


def topic_measures(links: pd.DataFrame, web: Web, topic: str | Topic) -> dict[str, float]:
    """Return how well links and anchors tell what is relevant.

    ``rel_within`` and ``rel_across`` are shares of relevant targets among the links of relevant
    pages. ``auc`` is by words of anchor and URL. ``lift`` is how many times as often the classifier
    takes an anchor that leads to a relevant page as another, on relevant pages, or anywhere.
    """
    truth = {u: bool(web.is_relevant(u, topic)) for u in {*links["source"], *links["target"]}}
    target, of_relevant = (links[end].map(truth) for end in ("target", "source"))
    texts = [anchor_text(Link(*pair)) for pair in links[["target", "anchor"]].itertuples(False)]
    called = pd.Series(classifier(topic).proba(texts) >= 0.5, links.index)
    return {
        "rel_within": target[of_relevant & ~links["leaves_site"]].mean(),
        "rel_across": target[of_relevant & links["leaves_site"]].mean(),
        "auc": learnt_auc(texts, target.to_numpy(), links["target"]),
        "lift": ratio(called[of_relevant], target[of_relevant]),
        "lift_anywhere": ratio(called, target),
    }


def ratio(called: pd.Series, target: pd.Series) -> float:
    """Return how many times as often events happen where a condition holds."""
    return called[target].mean() / max(called[~target].mean(), 1e-9)


def learnt_auc(texts: list[str], relevant: np.ndarray, targets: pd.Series) -> float:
    """Return the AUC of (n,) truths by the words of n texts, learnt on links to other targets."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict

    words = CountVectorizer(binary=True, min_df=2).fit_transform(texts)
    how = {"groups": pd.factorize(targets)[0], "cv": GroupKFold(PARTS), "method": "predict_proba"}
    p = cross_val_predict(LogisticRegression(max_iter=300), words, relevant, **how)
    return float(roc_auc_score(relevant, p[:, 1]))


def site_measures(web: VitalWeb, topic: str | Topic) -> dict[str, float]:
    """Return where the relevant pages of a web lie.

    ``site_of_page`` is the median over pages of the pages of their site, ``on_pure`` the share of
    relevant pages on sites of 90 % relevant pages.
    """
    table = web.table
    relevant = table.count * web.labels(topic)[table.article]
    of_site = np.bincount(table.site, relevant, len(table.sizes))
    by_size = np.sort(table.sizes)
    half = np.searchsorted(np.cumsum(by_size), table.sizes.sum() / 2)
    return {
        "site_of_page": int(by_size[half]),
        "on_pure": float(of_site[of_site >= PURE * table.sizes].sum() / of_site.sum()),
    }


def reach(web: Web, start: str, max_pages: int) -> list[str]:
    """Return at most so many pages reached breadth-first."""
    reached: list[str] = []
    queue, seen = deque([start]), {start}
    while queue and len(reached) < max_pages:
        url = queue.popleft()
        if page := page_of(web, url):
            reached.append(url)
            new = [link.url for link in page.links if link.url not in seen]
            seen.update(new)
            queue.extend(new)
    return reached
