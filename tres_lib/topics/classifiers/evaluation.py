"""How good a relevance classifier is, by stratified folds (Table 1 of TRES)."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tres_webs.checks import generator

from .base import RelevanceClassifier

THRESHOLD = 0.5  # the reward is 1 from this probability on


def predict_folds(
    make_classifier: Callable[[], RelevanceClassifier],
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
    two classes, all at probability 0.5; ``auc``, NaN for a fold without both classes; ``brier``.
    """
    rows = {fold: _scores(part) for fold, part in predictions.groupby("fold")}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("fold")


def stratified_folds(
    labels: np.ndarray, groups: ArrayLike | None, folds: int, rng: int | np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (train, test) row numbers of each fold, shuffled; groups stay whole."""
    from sklearn.model_selection import StratifiedGroupKFold

    group = np.arange(len(labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
    if len(group) != len(labels):
        raise ValueError(f"groups: {len(group)} for {len(labels)} texts; give one for each")
    fewest = min(len(np.unique(group[labels == value])) for value in (False, True))
    if not 2 <= folds <= fewest:
        fact = f"the rarer class has {fewest} examples (or groups of them)"
        raise ValueError(f"folds={folds!r}: {fact}; use from 2 to that many folds")
    seed = int(generator("rng", rng).integers(2**31))
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels, group))


def _scores(part: pd.DataFrame) -> dict[str, float]:
    from sklearn import metrics

    relevant = part["relevant"].to_numpy()
    proba = part["proba"].to_numpy()
    predicted = proba >= THRESHOLD
    return {
        "precision": metrics.precision_score(relevant, predicted, zero_division=0.0),
        "recall": metrics.recall_score(relevant, predicted, zero_division=0.0),
        "f_macro": metrics.f1_score(relevant, predicted, average="macro", zero_division=0.0),
        "auc": metrics.roc_auc_score(relevant, proba) if len(set(relevant)) == 2 else np.nan,
        "brier": float(np.mean((proba - relevant) ** 2)),
    }
