"""Print the articles about which a topic's labels and their text disagree most.

A logistic regression on tf-idf of title, description and lead is cross-validated against
the labels of ``data/topics.yaml``. An article that it judges otherwise is either a label
to mend (include or exclude its title) or an honest error of the classifier; a person
reads the list and decides. Run: ``python benchmarks/label_check.py food --n 100``.
"""

from __future__ import annotations

import argparse

import numpy as np

from tres_lib.web.lab.articles import Articles, load_articles
from tres_lib.web.topic import get_topic, load_topics


def cross_validated_probabilities(articles: Articles, labels: np.ndarray) -> np.ndarray:
    """Probability (n,) of being on topic, each from the nine tenths without the article."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    texts = [
        f"{title} {title} {description} {description} {extract}"
        for title, description, extract in zip(
            articles.titles, articles.descriptions, articles.extracts, strict=True
        )
    ]
    model = make_pipeline(
        TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2), stop_words="english"),
        LogisticRegression(C=10.0, class_weight="balanced", max_iter=300),
    )
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return cross_val_predict(model, texts, labels, cv=folds, method="predict_proba")[:, 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topic", choices=sorted(load_topics()))
    parser.add_argument("--n", type=int, default=100, help="disagreements in each direction")
    arguments = parser.parse_args()
    articles, topic = load_articles(), get_topic(arguments.topic)
    labels = np.array(list(map(topic.matches, articles.titles, articles.descriptions)))
    probabilities = cross_validated_probabilities(articles, labels)
    for verdict, mask, sign in (("off", ~labels, -1), ("on", labels, 1)):
        print(f"\nLabelled {verdict} topic ({mask.sum()} articles), but judged otherwise:")
        order = np.flatnonzero(mask)[np.argsort(sign * probabilities[mask])][: arguments.n]
        for i in order:
            print(f"  {probabilities[i]:.2f}  {articles.titles[i]}: {articles.descriptions[i]}")


if __name__ == "__main__":
    main()
