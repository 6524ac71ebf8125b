"""Chapter 13: what labels do for a topic of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import yaml

from tres_lib.topics import page_text
from tres_live.topic.labels import FETCHES
from tres_live.topic.own import OwnTopic
from tres_webs import Topic, VitalWeb
from tres_webs.files import DATA
from tres_webs.topic import own_topics

from ..study.study import Study

READ = "own_topics_read.yaml"
EXAMPLES = 10  # of the recipe without labels; two more pages are the seeds
ROUND = 20  # pages that are labelled between two trainings
SIZES = (10, 20, 40, 60)  # numbers of labels; ten are the first half of the first round
# What is learnt from; its labels, how many say yes; relevant pages taken, and others.
LISTS = ["way", "labels", "positive", "found", "false"]


def studies() -> dict[str, Study]:
    """Return the study of ``labels``: each of `read_topics` in a web of its own."""
    settings = [{"topic": topic, "web_seed": 500 + i} for i, topic in enumerate(read_topics())]
    return {"labels": Study("labels", label_trial, settings, ("topic",))}


@cache
def read_topics() -> dict[str, Topic]:
    """Return `own_topics` with the titles that a reader took in and out, by name."""
    lists = yaml.safe_load((DATA / READ).read_text(encoding="utf-8"))
    return {name: replace(topic, **lists[name]) for name, topic in own_topics().items()}


def label_trial(topic: str, web_seed: int = 0, sites: int = 2_000) -> dict[str, Any]:
    """Return how good the classifiers of a topic of one's own are, by what they learn from.

    They are judged on one page of each article that a web is written from; articles of seeds,
    examples and labelled pages aside. The topic's rules, mended by a reader, answer for the person.

    `LISTS` have an item a classifier. Its ``way`` is "active" or "random" with labels, "examples"
    with ten of these, "rules" with labels of all training articles.
    """
    truth = read_topics()[topic]
    lab = VitalWeb(web_seed, sites, law="first")
    given = lab.seeds(truth, 2 + EXAMPLES, rng=web_seed)
    texts = tuple(page_text(lab.fetch(url)) for url in given)
    asked = Topic(topic, truth.keywords, examples=texts[:2])
    urls = lab.one_page_each(np.random.default_rng(web_seed))
    pages = [page_text(lab.fetch(url)) for url in urls]
    rows: list[dict[str, Any]] = []
    seen = {lab.article(url) for url in given}

    def judge(own: OwnTopic, way: str) -> None:
        labels = [bool(label.relevant) for label in own.labels]
        taken = own.classifier().proba(pages) >= 0.5
        rows.append({"way": way, "labels": len(labels), "positive": sum(labels), "taken": taken})

    several = OwnTopic(replace(asked, examples=texts[2:]), given[2:])
    several.look_around(lab)
    judge(several, "examples")
    judge(OwnTopic(own_topics()[topic]), "rules")
    for way in ("active", "random"):
        own = OwnTopic(asked, given[:2])
        own.look_around(lab)
        judge(own, way)
        for url in _labelled(own, way, lab, truth, web_seed):
            seen.add(lab.article(url))
            if len(own.labels) in SIZES:
                judge(own, way)
    fair = np.array([lab.article(url) not in seen for url in urls])
    relevant = np.array([bool(lab.is_relevant(url, truth)) for url in urls])
    for row in rows:
        taken = row.pop("taken") & fair
        row |= {"found": int((taken & relevant).sum()), "false": int((taken & ~relevant).sum())}
    return {n: [row[n] for row in rows] for n in LISTS} | {"of": int((fair & relevant).sum())}


def _labelled(own: OwnTopic, way: str, lab: VitalWeb, truth: Topic, rng: int) -> Iterator[str]:
    """Label pages as a person would, in rounds, and yield each one's URL."""
    while len(own.labels) < max(SIZES):
        n = ROUND if way == "active" else FETCHES  # all that are fetched, to draw from them
        table = own.questions(lab, n, rng=rng)
        if way == "random":
            table = table.sample(ROUND, random_state=rng)
        for row in table.itertuples():
            own.answer(row.url, row.text, bool(lab.is_relevant(row.url, truth)))
            yield row.url


def label_scores(stored: pd.DataFrame) -> pd.DataFrame:
    """Return stored runs a row a topic and classifier, with `shares`."""
    table = stored[["topic", "of", *LISTS]].explode(LISTS, ignore_index=True)
    return shares(table.astype(dict.fromkeys([*LISTS[1:], "of"], int)))


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of pages ``found``, ``false`` and ``of`` with precision, recall and f1."""
    took = table["found"] + table["false"]
    precision = (table["found"] / took).where(took > 0, 1.0)
    recall, f1 = table["found"] / table["of"], 2 * table["found"] / (took + table["of"])
    return table.assign(precision=precision, recall=recall, f1=f1)
