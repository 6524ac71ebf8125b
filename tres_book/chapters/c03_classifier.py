"""Chapter 03: what is relevant. KwBiLSTM against SVM in cross-validation."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tres_lib import topics
from tres_lib.topics.classifiers.stored import stratified_folds
from tres_webs.checks import one_of

from ..crawls.sweeps import TOPICS as TOPICS
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
    """Return predictions on held-out articles, a row a text of the topic's corpus of this amount.

    All texts of an article, whatever their form, are in one fold; the seed is that of the folds
    and of the network. Columns: `predict_folds`'s, and ``form``: "page", "hub", "anchor".
    """
    one_of("classifier", classifier, CLASSIFIERS)
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
    groups: ArrayLike | None = None,
    folds: int = 5,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Return the probability of every text by a classifier that was trained without its fold.

    The table has a row a text, in their order: ``fold``, ``relevant`` (bool), ``proba``. Texts of
    one group share a fold. ValueError if a class has fewer members (or groups) than folds.
    """
    relevant = np.asarray(labels, dtype=bool)
    group = np.arange(len(relevant)) if groups is None else np.asarray(groups)
    of_fold = np.zeros(len(texts), dtype=int)
    proba = np.zeros(len(texts))
    for fold, (train, test) in enumerate(stratified_folds(relevant, group, folds, rng)):
        classifier = make_classifier()
        classifier.fit([texts[i] for i in train], relevant[train], group[train])
        of_fold[test] = fold
        proba[test] = classifier.proba([texts[i] for i in test])
    return pd.DataFrame({"fold": of_fold, "relevant": relevant, "proba": proba})


def score_folds(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return scores by fold of what `predict_folds` returned.

    They are ``precision`` and ``recall`` of the relevant class and ``f_macro``, the mean F1 of the
    two classes, all at probability 0.5.
    """
    rows = {fold: _scores(part) for fold, part in predictions.groupby("fold")}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("fold")


def _scores(part: pd.DataFrame) -> dict[str, float]:
    from sklearn import metrics

    relevant, predicted = part["relevant"], part["proba"] >= THRESHOLD
    return {
        "precision": metrics.precision_score(relevant, predicted, zero_division=0.0),
        "recall": metrics.recall_score(relevant, predicted, zero_division=0.0),
        "f_macro": metrics.f1_score(relevant, predicted, average="macro", zero_division=0.0),
    }


def scores_of(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return `score_folds` a form, classifier, topic and fold."""
    keys = ["form", "classifier", "topic"]
    parts = predictions.groupby(keys, sort=False)
    scores = {key: score_folds(part) for key, part in parts}
    return pd.concat(scores, names=keys).reset_index()


def gains_of(scores: pd.DataFrame) -> pd.DataFrame:
    """Return KwBiLSTM less SVM in ``points``, a row a form, topic, fold and measure."""
    by = ["form", "topic", "fold"]
    wide = 100 * scores.pivot(index=by, columns="classifier", values=MEASURES)
    gain = wide.xs("kwbilstm", axis=1, level=1) - wide.xs("svm", axis=1, level=1)
    order = {"topic": TOPICS, "form": scores["form"].unique()}
    long = gain.reset_index().melt(by, var_name="measure", value_name="points")
    return long.sort_values([*order], key=lambda c: c.map([*order[c.name]].index), kind="stable")


def verdicts(scores: pd.DataFrame, stored: str) -> dict[str, Found]:
    """Return what was found for each claim on classifiers, by its name, in per cent and points.

    A claim is judged by its worst topic.
    """
    pages = scores[(scores["form"] == "page") & (scores["classifier"] == "kwbilstm")]
    pages = pages.assign(percent=100 * pages["f_macro"])
    gains = summarise(gains_of(scores), ["form", "topic", "measure"], "points")
    of_pages, f_macro = gains[gains["form"] == "page"], gains[gains["measure"] == "f_macro"]
    named = {
        "page": "tres-classifier-beats-svm-f-macro",
        "hub": "classifier-hubs-paper-amount",
        "anchor": "classifier-anchors",
    }
    found = {
        "tres-classifier-f-macro": Found.least(
            summarise(pages, "topic", "percent", within=PER_CENT), stored
        ),
        "tres-classifier-beats-svm": Found.least(of_pages, stored),
    }
    for form, claim in named.items():
        found[claim] = Found.least(f_macro[f_macro["form"] == form], stored)
    by_topic = pages.pivot(index="fold", columns="topic", values="percent")
    others = by_topic.columns.drop("computing", errors="ignore")
    if "computing" in by_topic and len(others):
        rival = by_topic[others].mean().idxmin()
        hardest = Found.mean(by_topic["computing"] - by_topic[rival], stored)
        found["tres-hardware-hardest"] = hardest
    return found


def figures() -> dict[str, SimpleNamespace]:
    """Return the network's lead in F-macro by topic on ``pages``, ``hubs`` and ``anchors``."""
    gains = gains_of(scores_of(results.rows(studies()["paper"])))
    forms = gains[gains["measure"] == "f_macro"].groupby("form")
    return {f"{form}s": of_table(summarise(t, "topic", "points"), "topic") for form, t in forms}
