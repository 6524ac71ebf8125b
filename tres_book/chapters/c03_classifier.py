"""Chapter 03: what is relevant. KwBiLSTM against SVM in cross-validation."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from tres_lib import topics
from tres_lib.checks import one_of
from tres_lib.topics.defaults import AMOUNTS

from ..crawls.plan import TOPICS as TOPICS
from ..study import PER_CENT, mean_interval
from ..study.plan import Study, grid, studies_of

CLASSIFIERS = ("kwbilstm", "svm")
FOLDS = 5
SEED = 1  # the classifiers' settings were chosen on the folds of seed 0


def studies() -> dict[str, Study]:
    """Return predictions for held-out ``folds``, and by the ``paper``'s amount of text."""
    common = {"folds": [FOLDS], "epochs": [20], "seed": [SEED]}
    settings = grid(classifier=CLASSIFIERS, topic=TOPICS, **common)
    larger = [{**setting, "amount": "paper"} for setting in settings]
    parts = {"folds": (fold_trial, settings), "paper": (fold_trial, larger)}
    found = studies_of("classifier", parts)
    # Made again after other studies in one process, some probabilities of the SVM differed.
    found["paper"] = replace(found["paper"], tolerance=0.01, scales={"proba": 1.0})
    return found


def fold_trial(
    classifier: str, topic: str, folds: int, epochs: int, seed: int, amount: str = "leads"
) -> pd.DataFrame:
    """Return predictions on held-out articles, a row a text of the topic's corpus of this amount.

    All texts of an article, whatever their form, are in one fold; the seed is that of the folds
    and of the network. Columns: `predict_folds`'s, and ``form``: "lead", "page", "hub", "anchor".
    """
    one_of("classifier", classifier, CLASSIFIERS)
    paper = one_of("amount", amount, AMOUNTS) == "paper"
    corpus = topics.paper_corpus(topic) if paper else topics.training_corpus(topic)

    def make() -> topics.RelevanceClassifier:
        if classifier == "svm":
            return topics.SvmClassifier()
        settings = topics.KwBiLstmSettings(max_epochs=epochs)
        keywords = topics.topic_keywords(topic).keywords
        return topics.KwBiLSTM(keywords, settings=settings, rng=seed)

    table = topics.predict_folds(make, corpus.texts, corpus.labels, corpus.groups, folds, seed)
    return table.assign(form=corpus.forms)


def verdicts(pages: pd.DataFrame, gains: pd.DataFrame) -> dict[str, Sequence[float]]:
    """Return mean and 95 % interval behind each claim on Table 1, by its name, in per cent.

    `pages` has a row a fold with its F-macro; `gains` the network's means less the SVM's, with
    intervals, by topic and measure. A claim is judged by its worst topic.
    """
    networks = pages[pages["classifier"] == "kwbilstm"]
    f_macro = 100 * networks.pivot(index="fold", columns="topic", values="f_macro")
    of_f_macro = gains.xs("f_macro", level=1)
    found: dict[str, Sequence[float]] = {
        "tres-classifier-f-macro": min(
            mean_interval(f_macro[name], within=PER_CENT) for name in f_macro
        ),
        "tres-classifier-beats-svm": gains.loc[gains["mean"].idxmin()],
        "tres-classifier-beats-svm-f-macro": of_f_macro.loc[of_f_macro["mean"].idxmin()],
    }
    others = f_macro.columns.drop("computing", errors="ignore")
    if "computing" in f_macro and len(others):
        rival = f_macro[others].mean().idxmin()
        found["tres-hardware-hardest"] = mean_interval(f_macro["computing"] - f_macro[rival])
    return found
