"""Training texts in the amount of the TRES paper, written by VitalWeb's training half.

The paper learns from 1,000 relevant pages and 1,800 of each supertopic of Dmoz (Section 3.3). Here
the supertopics are the categories of the vital articles.
"""

from functools import lru_cache
from itertools import islice

import numpy as np
import pandas as pd

from ..web import Topic, VitalWeb, get_topic
from ..web.lab.sites import SPAM
from .classifiers.base import page_text
from .corpus import SISTER_SEED, Corpus, page_rows

SITES = 20_000  # enough for so many pages on each topic
RELEVANT, EACH, OTHERS = 1_000, 1_800, 9  # pages on the topic, of each other subject, subjects
HUBS = 1_000  # as `corpus` has: some six hubs to a hundred pages
EVERY = 7  # link of a page that gives an anchor: some 2.3 a page, as `corpus` has


@lru_cache(maxsize=1)
def paper_corpus(
    topic: str | Topic, relevant: int = RELEVANT, each: int = EACH, hubs: int = HUBS
) -> Corpus:
    """Return pages on the topic and on nine other subjects, by the second law of VitalWeb.

    So few articles stand behind the relevant pages that they bound what can be learnt: 92 behind
    the 1,000 of sports, 136 of food, 51 of computing. All have equally many pages. Beside the
    pages there are hubs and anchors, as in `training_corpus`, but no leads: the forms are "page",
    "hub" and "anchor".

    `relevant` pages are on the topic, and so many on `each` other subject. ValueError if the topic
    has no rules, or the web has fewer pages.
    """
    topic = get_topic(topic)
    if not topic.has_rules:
        raise ValueError(f"topic {topic.name!r}: the paper's amount needs rules=(...)")
    sister = VitalWeb(SISTER_SEED, SITES, half="training", law="second")
    on_topic = sister.labels(topic)
    rng = np.random.default_rng(SISTER_SEED)
    urls = pages_by_turns(sister, on_topic, relevant, rng)
    for subject in other_subjects(sister, on_topic):
        others = ~on_topic & (sister.graph.category == subject)
        urls += pages_by_turns(sister, others, each, rng)
    rows = page_rows(sister, urls, EVERY)
    labels = [bool(on_topic[article]) for _, article, _ in rows]
    for number, (url, _) in enumerate(sister.hubs(hubs), len(on_topic)):
        rows.append((page_text(sister.fetch(url)), number, "hub"))
        labels.append(bool(sister.is_relevant(url, topic)))
    texts, groups, forms = zip(*rows, strict=True)
    return Corpus(texts, np.array(labels), np.array(groups), np.array(forms))


def other_subjects(web: VitalWeb, on_topic: np.ndarray) -> np.ndarray:
    """Return the categories (9,) of irrelevant pages, by codes of the web's concept graph.

    They are those with the most relevant articles, where an irrelevant page is easily mistaken;
    among equals the largest.
    """
    category = web.graph.category
    sizes = np.bincount(category)
    relevant = np.bincount(category[on_topic], minlength=len(sizes))
    return np.lexsort((-sizes, -relevant))[:OTHERS]


def pages_by_turns(
    web: VitalWeb, articles: np.ndarray, n: int, rng: np.random.Generator
) -> list[str]:
    """Return the URLs of n honest pages on these (A,) bool articles, which take turns.

    ValueError if there are fewer.
    """
    table = web.table
    entries = np.flatnonzero(articles[table.article] & (table.role[table.site] != SPAM))
    pages = pd.DataFrame({"entry": np.repeat(entries, table.count[entries])})
    pages["variant"] = pages.groupby("entry").cumcount()
    pages = pages.iloc[rng.permutation(len(pages))]
    turn = pages.groupby(table.article[pages["entry"]]).cumcount()
    pages = pages.iloc[np.argsort(turn, kind="stable")]
    refs = filter(web.writer.stands, map(web.ref, pages["entry"], pages["variant"]))
    urls = [web.addresses.url(ref) for ref in islice(refs, n)]
    if len(urls) < n:
        raise ValueError(f"n={n}: the web has only {len(urls)} pages on these articles")
    return urls
