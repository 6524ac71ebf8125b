"""Relevance to a topic: word vectors, keywords, classifiers and their training texts.

Names load on first use, because torch, gensim and scikit-learn take seconds.
"""

from ..lazy import attach
from ..web.topic import Topic as Topic

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".classifiers.base": "CachedScorer RelevanceClassifier anchor_text as_classifier page_text",
    ".classifiers.cosine": "TopicCosine",
    ".classifiers.evaluation": "predict_folds score_folds",
    ".classifiers.few": "FewTexts",
    ".classifiers.kwbilstm": "KwBiLSTM KwBiLstmSettings",
    ".classifiers.svm": "SvmClassifier SvmSettings",
    ".corpus": "Corpus topic_keywords training_corpus",
    ".defaults": "default_classifier load_classifier svm_classifier topic_cosine",
    ".keywords": "KeywordExpansion KeywordMatcher candidate_words expand_keywords keyword_counts",
    ".labels": "Label Labels",
    ".own": "learns_nothing own_classifier own_corpus training_summary unmatched_keywords",
    ".telling_words": "word_weights",
    ".vectors": "load_vectors",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES, "Topic")
