import tres_lib.web.topic

from .classifiers.base import (
    CachedScorer as CachedScorer,
)
from .classifiers.base import (
    RelevanceClassifier as RelevanceClassifier,
)
from .classifiers.base import (
    Scorer as Scorer,
)
from .classifiers.base import (
    anchor_text as anchor_text,
)
from .classifiers.base import (
    as_classifier as as_classifier,
)
from .classifiers.base import (
    page_text as page_text,
)
from .classifiers.cosine import (
    TopicCosine as TopicCosine,
)
from .classifiers.evaluation import (
    predict_folds as predict_folds,
)
from .classifiers.evaluation import (
    score_folds as score_folds,
)
from .classifiers.kwbilstm import (
    KwBiLSTM as KwBiLSTM,
)
from .classifiers.kwbilstm import (
    KwBiLstmSettings as KwBiLstmSettings,
)
from .classifiers.svm import (
    SvmClassifier as SvmClassifier,
)
from .classifiers.svm import (
    SvmSettings as SvmSettings,
)
from .corpus import (
    Corpus as Corpus,
)
from .corpus import (
    topic_keywords as topic_keywords,
)
from .corpus import (
    training_corpus as training_corpus,
)
from .defaults import (
    default_classifier as default_classifier,
)
from .defaults import (
    load_classifier as load_classifier,
)
from .defaults import (
    svm_classifier as svm_classifier,
)
from .defaults import (
    topic_cosine as topic_cosine,
)
from .keywords import (
    KeywordExpansion as KeywordExpansion,
)
from .keywords import (
    KeywordMatcher as KeywordMatcher,
)
from .keywords import (
    candidate_words as candidate_words,
)
from .keywords import (
    expand_keywords as expand_keywords,
)
from .keywords import (
    keyword_counts as keyword_counts,
)
from .vectors import (
    load_vectors as load_vectors,
)

Topic = tres_lib.web.topic.Topic
