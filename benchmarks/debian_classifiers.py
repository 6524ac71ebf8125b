"""Train the SVMs anew that judge pages of the pinned web: do they judge as those that are stored?

    OMP_NUM_THREADS=1 python benchmarks/debian_classifiers.py [TOPIC ...] [--store]

They learn from the sites of debian-docs that are not crawled, so all 871 have to be here. With
`--store` they take the places of the stored ones; then `python -m tres_book.study models`.
"""

import argparse

import numpy as np
from scipy.special import logit
from sklearn.metrics import precision_recall_curve

from tres_book.crawls.real_sites import NAME, TOPICS, examples
from tres_lib.topics import Corpus, SvmClassifier, SvmSettings
from tres_webs.files import RESULTS

WORDS = SvmSettings(min_texts=50)  # some 7,000 words: the classifiers are small files


def learn(known: Corpus, settings: SvmSettings = WORDS) -> SvmClassifier:
    """Return an SVM that takes for relevant what gives the best F1 on pages of sites held out."""
    svm = SvmClassifier(settings).fit(known.texts, known.labels, known.groups)
    pages = known.forms == "page"
    precision, recall, p = precision_recall_curve(known.labels[pages], svm.held_out[pages])
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    svm._bias -= float(logit(p[np.argmax(f1[:-1])]))
    return svm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topics", nargs="*", metavar="TOPIC", default=TOPICS)
    parser.add_argument("--store", action="store_true", help="replace the stored classifiers")
    args = parser.parse_args()
    for topic in args.topics:
        known = examples(topic)
        svm = learn(known)
        folder = RESULTS / "classifiers" / f"{NAME}-{topic}".replace("_", "-")
        if folder.exists():
            off = np.abs(svm.proba(known.texts) - SvmClassifier.load(folder).proba(known.texts))
            print(f"{topic}: probabilities of {len(off):,} texts differ by {off.max():.2g} at most")
        if args.store:
            svm.save(folder)


if __name__ == "__main__":
    main()
