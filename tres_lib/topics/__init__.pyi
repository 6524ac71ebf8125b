import tres_webs.topic

from .classifiers.base import (
    CachedScorer as CachedScorer,
    RelevanceClassifier as RelevanceClassifier,
    Scorer as Scorer,
    anchor_text as anchor_text,
    as_classifier as as_classifier,
    page_text as page_text,
)
from .classifiers.cosine import (
    TopicCosine as TopicCosine,
)
from .classifiers.kwbilstm import (
    KwBiLSTM as KwBiLSTM,
    KwBiLstmSettings as KwBiLstmSettings,
)
from .classifiers.svm import (
    SvmClassifier as SvmClassifier,
    SvmSettings as SvmSettings,
)
from .corpus import (
    Corpus as Corpus,
    topic_keywords as topic_keywords,
    training_corpus as training_corpus,
)
from .defaults import (
    classifier as classifier,
    load_classifier as load_classifier,
)
from .keywords import (
    KeywordExpansion as KeywordExpansion,
    KeywordMatcher as KeywordMatcher,
    candidate_words as candidate_words,
    expand_keywords as expand_keywords,
    keyword_counts as keyword_counts,
)
from .vectors import (
    load_vectors as load_vectors,
)

Topic = tres_webs.topic.Topic
