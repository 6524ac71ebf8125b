"""How good a relevance classifier is: stratified folds (Table 1 of TRES) and calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from .base import RelevanceClassifier

THRESHOLD = 0.5  # the reward is 1 from this probability on


def cross_validate(
    make_classifier: Callable[[], RelevanceClassifier],
    texts: Sequence[str],
    labels: Sequence[bool],
    groups: Sequence[Any] | None = None,
    folds: int = 5,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Scores of a classifier on each held-out fold, the quantities of Table 1 and more.

    ``score_folds`` of ``predict_folds``: see there for the parameters, the
    columns and what is raised.
    """
    return score_folds(predict_folds(make_classifier, texts, labels, groups, folds, rng))


def predict_folds(
    make_classifier: Callable[[], RelevanceClassifier],
    texts: Sequence[str],
    labels: Sequence[bool],
    groups: Sequence[Any] | None = None,
    folds: int = 5,
    rng: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Probability of every text by a classifier that was trained without its fold.

    Parameters
    ----------
    make_classifier : callable
        Returns a fresh classifier.
    texts, labels : sequences of n
    groups : sequence of n, optional
        Texts of one group, such as several texts on one article, share a fold.
    folds : int
    rng : int or Generator
        Decides the folds.

    Returns
    -------
    DataFrame
        In the order of the texts: ``fold``, ``relevant`` (bool), ``proba``.

    Raises
    ------
    ValueError
        If a class has fewer members (or groups) than there are folds.
    """
    labels = np.asarray(labels, dtype=bool)
    of_fold, proba = np.zeros(len(texts), dtype=int), np.zeros(len(texts))
    for fold, (train, test) in enumerate(stratified_folds(labels, groups, folds, rng)):
        classifier = make_classifier()
        classifier.fit(
            [texts[i] for i in train],
            labels[train],
            None if groups is None else [groups[i] for i in train],
        )
        of_fold[test] = fold
        proba[test] = classifier.proba([texts[i] for i in test])
    return pd.DataFrame({"fold": of_fold, "relevant": labels, "proba": proba})


def score_folds(predictions: pd.DataFrame) -> pd.DataFrame:
    """One row a fold of what ``predict_folds`` returned.

    Columns: ``precision`` and ``recall`` of the relevant class and ``f_macro``,
    the mean F1 of the two classes, all at probability 0.5; ``auc``; ``brier``.
    Index: ``fold``. A fold without both classes has no AUC (NaN).
    """
    rows = {fold: _scores(part) for fold, part in predictions.groupby("fold")}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("fold")


def calibration(labels: Sequence[bool], proba: Sequence[float], bins: int = 10) -> pd.DataFrame:
    """Reliability of probabilities: what share is relevant where p was claimed.

    Returns
    -------
    DataFrame
        One row a non-empty bin of equal width: ``lower`` and ``upper`` edge,
        ``count``, ``mean_proba``, ``share_relevant`` and its 95 % Wilson
        interval ``share_low``, ``share_high``.

    Raises
    ------
    ValueError
        If ``bins`` is less than one.
    """
    if bins < 1:
        raise ValueError(f"bins={bins!r}: at least one is needed")
    table = pd.DataFrame({"relevant": np.asarray(labels, bool), "proba": np.asarray(proba, float)})
    table["bin"] = np.minimum((table["proba"] * bins).astype(int), bins - 1)
    return pd.DataFrame([_reliability(part, n, bins) for n, part in table.groupby("bin")])


def stratified_folds(
    labels: np.ndarray,
    groups: Sequence[Any] | None,
    folds: int,
    rng: int | np.random.Generator,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(train, test) row numbers of each fold, shuffled; groups stay whole.

    Raises
    ------
    ValueError
        If a class has fewer members, or fewer groups, than there are folds.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    labels = np.asarray(labels, dtype=bool)
    groups = np.arange(len(labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
    fewest = min(len(np.unique(groups[labels == value])) for value in (False, True))
    if not 2 <= folds <= fewest:
        raise ValueError(
            f"folds={folds!r}: the rarer class has {fewest} examples (or groups of them); "
            "use from 2 to that many folds"
        )
    seed = int(np.random.default_rng(rng).integers(2**31))
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels, groups))


def _scores(part: pd.DataFrame) -> dict[str, float]:
    from sklearn import metrics

    truth, proba = part["relevant"].to_numpy(), part["proba"].to_numpy()
    guess = proba >= THRESHOLD
    return {
        "precision": metrics.precision_score(truth, guess, zero_division=0.0),
        "recall": metrics.recall_score(truth, guess, zero_division=0.0),
        "f_macro": metrics.f1_score(truth, guess, average="macro", zero_division=0.0),
        "auc": metrics.roc_auc_score(truth, proba) if len(set(truth)) == 2 else np.nan,
        "brier": float(np.mean((proba - truth) ** 2)),
    }


def _reliability(part: pd.DataFrame, number: int, bins: int) -> dict[str, float]:
    from scipy.stats import binomtest

    interval = binomtest(int(part["relevant"].sum()), len(part)).proportion_ci(method="wilson")
    return {
        "lower": number / bins,
        "upper": (number + 1) / bins,
        "count": len(part),
        "mean_proba": part["proba"].mean(),
        "share_relevant": part["relevant"].mean(),
        "share_low": interval.low,
        "share_high": interval.high,
    }
