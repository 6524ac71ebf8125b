"""Relevance to a topic: word vectors, keywords, classifiers and their training texts.

Names load on first use, because torch, gensim and scikit-learn take seconds.
"""

import lazy_loader

from tres_webs.topic import Topic as Topic

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
