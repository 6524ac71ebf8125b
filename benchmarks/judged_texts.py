"""How many texts the judge of pages reads in 60 fetches, with and without a judge of anchors.

    python benchmarks/judged_texts.py

The web, topic and SVM are those of the README's first snippets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tres_lib import focused, topics, web

WORDS = ("guitar", "jazz", "opera", "singer", "orchestra")
RULES = ("music", "musician", "song", "singer", "composer", "opera")


def main() -> None:
    music = web.Topic("music", WORDS, rules=RULES)
    corpus = topics.training_corpus(music)
    svm = topics.SvmClassifier().fit(corpus.texts, corpus.labels, corpus.groups)
    lab = web.VitalWeb(sites=500)
    read = []

    def judge(texts: Sequence[str]) -> np.ndarray:
        read.append(len(texts))
        return svm.proba(texts)

    rows = []
    for policy in ("best-first", "prospector", "tres", "ache"):
        for anchors in (None, svm):
            read.clear()
            focused.crawl(
                lab,
                lab.seeds(music, 1, rng=0),
                music,
                policy=policy,
                budget=60,
                classifier=judge,
                anchor_classifier=anchors,
                progress=False,
            )
            rows.append((policy, "svm" if anchors else "the judge", sum(read)))
    table = pd.DataFrame(rows, columns=["policy", "anchors by", "texts"])
    print(table.pivot(index="policy", columns="anchors by", values="texts").to_string())


if __name__ == "__main__":
    main()
