"""Relevance to a topic: word vectors, keywords, classifiers and their training texts.

Names load on first use, because torch, gensim and scikit-learn take seconds.
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
    "CachedScorer": "classifiers.base",
    "RelevanceClassifier": "classifiers.base",
    "anchor_text": "classifiers.base",
    "load_classifier": "defaults",
    "page_text": "classifiers.base",
    "KwBiLSTM": "classifiers.kwbilstm",
    "KwBiLstmSettings": "classifiers.kwbilstm",
    "SvmClassifier": "classifiers.svm",
    "SvmSettings": "classifiers.svm",
    "predict_folds": "classifiers.evaluation",
    "score_folds": "classifiers.evaluation",
    "Corpus": "corpus",
    "default_classifier": "defaults",
    "topic_keywords": "corpus",
    "TopicCosine": "classifiers.cosine",
    "svm_classifier": "defaults",
    "topic_cosine": "defaults",
    "training_corpus": "corpus",
}

__all__ = ["Topic", *_MODULE_OF]

__getattr__ = on_use(__name__, _MODULE_OF)
