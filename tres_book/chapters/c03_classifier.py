"""Chapter 03: what is relevant. KwBiLSTM against SVM in cross-validation."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tres_lib import topics
from tres_lib.topics.classifiers.stored import stratified_folds

from ..crawls.sweeps import HARDEST, TOPICS
from ..intervals import PER_CENT, summarise
from ..study import results
from ..study.claims import Found
from ..study.findings import of_table
from ..study.study import Study, grid

THRESHOLD = 0.5  # the reward is 1 from this probability on
CLASSIFIERS = ("kwbilstm", "svm")
MEASURES = ["precision", "recall", "f_macro"]
FOLDS = 5
SEED = 1  # the classifiers' settings were chosen on the folds of seed 0


def studies() -> dict[str, Study]:
    """Return predictions for held-out folds, from the ``paper``'s amount of text."""
    sizes = {"folds": FOLDS, "epochs": 20, "seed": SEED, "amount": "paper"}
    settings = [each | sizes for each in grid(classifier=CLASSIFIERS, topic=TOPICS)]
    # Made again after other studies in one process, some probabilities of the SVM differed.
    scales = {"proba": 1.0}
    return {"paper": Study("classifier-paper", fold_trial, settings, tolerance=0.01, scales=scales)}


def fold_trial(
    classifier: str, topic: str, folds: int, epochs: int, seed: int, amount: str
) -> pd.DataFrame:
    """Return `predict_folds` of the topic's corpus of this amount, with the texts' ``form``.

    All texts of an article are in one fold; the seed is that of the folds and of the network.
    """
    corpus = topics.training_corpus(topic, amount)

    def make() -> topics.RelevanceClassifier:
        if classifier == "svm":
            return topics.SvmClassifier()
        settings = topics.KwBiLstmSettings(max_epochs=epochs)
        keywords = topics.topic_keywords(topic).keywords
        return topics.KwBiLSTM(keywords, settings=settings, rng=seed)

    table = predict_folds(make, corpus.texts, corpus.labels, corpus.groups, folds, seed)
    return table.assign(form=corpus.forms)


def predict_folds(
    make_classifier: Callable[[], topics.RelevanceClassifier],
    texts: Sequence[str],
    labels: ArrayLike,
    groups: ArrayLike,
    folds: int,
    rng: int,
) -> pd.DataFrame:
    """Return the probability of every text by a classifier that was trained without its fold.

    The table has a row a text, in their order: ``fold``, ``relevant`` (bool), ``proba``. Texts of
    one group share a fold.
    """
    relevant, group = np.asarray(labels, dtype=bool), np.asarray(groups)
    of_fold = np.zeros(len(texts), dtype=int)
    proba = np.zeros(len(texts))
    for fold, (train, test) in enumerate(stratified_folds(relevant, group, folds, rng)):
        classifier = make_classifier()
        classifier.fit([texts[i] for i in train], relevant[train], group[train])
        of_fold[test] = fold
        proba[test] = classifier.proba([texts[i] for i in test])
    return pd.DataFrame({"fold": of_fold, "relevant": relevant, "proba": proba})


def scores_of(
    predictions: pd.DataFrame, keys: Sequence[str] = ("form", "classifier", "topic", "fold")
) -> pd.DataFrame:
    """Return scores of what `predict_folds` returned, a row a form, classifier, topic and fold.

    They are ``precision`` and ``recall`` of the relevant class and ``f_macro``, the mean F1 of the
    two classes, all at probability 0.5.
    """
    from sklearn import metrics

    rows = []
    for key, part in predictions.groupby([*keys], sort=False):
        relevant, taken = part["relevant"], part["proba"] >= THRESHOLD
        precision = metrics.precision_score(relevant, taken, zero_division=0.0)
        recall = metrics.recall_score(relevant, taken, zero_division=0.0)
        f_macro = metrics.f1_score(relevant, taken, average="macro", zero_division=0.0)
        rows.append((*key, precision, recall, f_macro))
    return pd.DataFrame(rows, columns=[*keys, *MEASURES])


def gains_of(scores: pd.DataFrame) -> pd.DataFrame:
    """Return KwBiLSTM less SVM in ``points``, a row a form, topic, fold and measure."""
    by = ["form", "topic", "fold"]
    wide = 100 * scores.pivot(index=by, columns="classifier", values=MEASURES)
    gain = wide.xs("kwbilstm", axis=1, level=1) - wide.xs("svm", axis=1, level=1)
    order = {"topic": TOPICS, "form": scores["form"].unique()}
    long = gain.reset_index().melt(by, var_name="measure", value_name="points")
    return long.sort_values([*order], key=lambda c: c.map([*order[c.name]].index), kind="stable")


def verdicts(scores: pd.DataFrame, stored: str) -> dict[str, Found]:
    """Return what was found for each claim on classifiers, in per cent and points.

    A claim is judged by its worst topic; computing is compared with the lower of the others.
    """
    pages = scores[(scores["form"] == "page") & (scores["classifier"] == "kwbilstm")]
    pages = pages.assign(percent=100 * pages["f_macro"])
    gains = summarise(gains_of(scores), ["form", "topic", "measure"], "points")
    f_macro = gains[gains["measure"] == "f_macro"]
    tables = {
        "tres-classifier-f-macro": summarise(pages, "topic", "percent", within=PER_CENT),
        "tres-classifier-beats-svm": gains[gains["form"] == "page"],
        "tres-classifier-beats-svm-f-macro": f_macro[f_macro["form"] == "page"],
        "classifier-hubs-paper-amount": f_macro[f_macro["form"] == "hub"],
        "classifier-anchors": f_macro[f_macro["form"] == "anchor"],
    }
    by_topic = pages.pivot(index="fold", columns="topic", values="percent")
    rival = by_topic.drop(columns=HARDEST).mean().idxmin()
    hardest = Found.mean(by_topic[HARDEST] - by_topic[rival], stored)
    found = {claim: Found.least(table, stored) for claim, table in tables.items()}
    return found | {"tres-hardware-hardest": hardest}


def figures() -> dict[str, SimpleNamespace]:
    """Return the network's lead in F-macro by topic on ``pages``, ``hubs`` and ``anchors``."""
    gains = gains_of(scores_of(results.rows(studies()["paper"])))
    forms = gains[gains["measure"] == "f_macro"].groupby("form")
    return {f"{form}s": of_table(summarise(t, "topic", "points"), "topic") for form, t in forms}
