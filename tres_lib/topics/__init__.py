"""What is relevant: word vectors, keywords of a topic, relevance classifiers.

Names load on first use, for torch, gensim and scikit-learn take seconds.
"""

from __future__ import annotations

from ..lazy import on_use
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

__getattr__ = on_use(__name__, _MODULE_OF)
