"""Chapter 03's cross-validation as data, so that sweeps can run it in other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import one_of
from ..topics.classifiers.evaluation import predict_folds
from ..topics.corpus import topic_keywords, training_corpus

if TYPE_CHECKING:
    import pandas as pd

CLASSIFIERS = ("svm", "kwbilstm")


def fold_trial(
    classifier: str, topic: str, *, folds: int = 5, epochs: int = 20, seed: int = 0
) -> pd.DataFrame:
    """Return predictions on held-out articles, a row a text of the topic's training corpus.

    All texts of an article, whatever their form, are in one fold. Columns are those of
    `predict_folds`, and ``form``: "lead", "page" or "anchor".

    Parameters
    ----------
    classifier : {"svm", "kwbilstm"}
    topic : str
    folds, epochs : int
        Number of folds; and of the KwBiLSTM's epochs, at most.
    seed : int
        Of the folds and of the network.
    """
    one_of("classifier", classifier, CLASSIFIERS)
    corpus = training_corpus(topic)

    def make():
        if classifier == "svm":
            from ..topics.classifiers.svm import SvmClassifier

            return SvmClassifier()
        from ..topics.classifiers.kwbilstm import KwBiLSTM, KwBiLstmSettings

        settings = KwBiLstmSettings(max_epochs=epochs)
        return KwBiLSTM(topic_keywords(topic).keywords, settings=settings, rng=seed)

    table = predict_folds(make, corpus.texts, corpus.labels, corpus.groups, folds, seed)
    return table.assign(form=corpus.forms)
