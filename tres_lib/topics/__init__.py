"""What is relevant: word vectors, keywords of a topic, relevance classifiers.

Names load on first use, for torch, gensim and scikit-learn take seconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..web.topic import Topic

_MODULE_OF = {
    "load_vectors": "vectors",
    "KeywordExpansion": "keywords",
    "KeywordMatcher": "keywords",
    "candidate_words": "keywords",
    "expand_keywords": "keywords",
    "keyword_counts": "keywords",
    "CachedScorer": "classifier",
    "RelevanceClassifier": "classifier",
    "anchor_text": "classifier",
    "load_classifier": "classifier",
    "page_text": "classifier",
    "KwBiLSTM": "kwbilstm",
    "KwBiLstmSettings": "kwbilstm",
    "SvmClassifier": "svm",
    "SvmSettings": "svm",
    "calibration": "evaluation",
    "cross_validate": "evaluation",
    "predict_folds": "evaluation",
    "score_folds": "evaluation",
    "Corpus": "corpus",
    "default_classifier": "corpus",
    "topic_keywords": "corpus",
    "TopicCosine": "cosine",
    "svm_classifier": "baselines",
    "topic_cosine": "baselines",
    "fold_trial": "trials",
    "training_corpus": "corpus",
}

__all__ = ["Topic", *_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
