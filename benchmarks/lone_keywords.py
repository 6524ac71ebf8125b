"""Is a page that names one keyword alone on the topic? And may examples replace the seeds?

    tres fetch-web real-topics
    python benchmarks/lone_keywords.py beginning
    python benchmarks/lone_keywords.py laboratory

It runs `own_topics.py` with the judge changed. docs/decisions/judging.md has the rule, which was
committed before any run, and what came out. "best" stayed, and "root" after a test on fresh topics,
so `own_topics.py` measures both now; each change here, and "none", is measured without the others.
Changes, of topics with three keywords or more:

- "beginning": a beginning that names one keyword alone counts as one naming of it.
- "page": so does that of a page whose prose names one keyword alone.
- "root": a keyword counts by the square root of its namings in the beginning.

Changes of what examples do, beside the judge that learns from seeds, as without examples:

- "best": the higher probability of the two judges counts.
- "choice": the examples' judge counts if its balanced log-likelihood is higher: that of the
  examples, each left out when it is judged, and of the pages around that the seeds' judge turns
  down; else the seeds' judge counts.

"laboratory" gives F1 of ten examples on the twelve topics of the study labels, and of "best" beside
two seeds.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partialmethod
from typing import Any

import numpy as np
import own_topics
import pandas as pd

from tres_book.chapters import c13_labels
from tres_lib.topics import page_text
from tres_lib.topics.keywords import KeywordMatcher
from tres_lib.topics.vectors import UNSPACED, fold, tokenize
from tres_lib.web import Topic, VitalWeb
from tres_live.topic import own, training
from tres_live.topic.few import BEGINNING, SHORT, FewTexts

LEAST = 3  # keywords of a topic that is judged otherwise
JUDGES, EXAMPLES = ("beginning", "page", "root"), ("best", "choice")
TINY = 1e-9

seeds: list[tuple[str, ...]] = []  # the texts that would be examples without the person's
_few, _example_texts = training._few, own.example_texts


@cache
def matcher(keyword: str) -> KeywordMatcher:
    """Return what finds one keyword."""
    return KeywordMatcher([keyword])


def counts(self: FewTexts, text: str, change: str) -> tuple[float, float]:
    """Return the keywords in the beginning of a text, as changed, and in 1,000 words of it."""
    words = tokenize(fold(text))
    places = [matcher(keyword).starts(words) for keyword in self.keywords]
    first = np.array([sum(place < BEGINNING for place in each) for each in places])
    length = max(len(words) + len(UNSPACED.findall(text)) // 2, SHORT)
    density = 1_000 * sum(map(len, places)) / length
    n = float(first.sum())
    if len(self.keywords) >= LEAST:
        if change == "root":
            n = float(np.sqrt(first).sum())
        elif change in JUDGES and sum(map(bool, places if change == "page" else first)) == 1:
            n = min(n, 1.0)
    return n, density


class Best(FewTexts):
    """The higher probability of two judges; of these the first one is kept in the folder."""

    def __init__(self, *judges: FewTexts):
        super().__init__(judges[0].keywords)
        self.judges = judges

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        return np.max([judge.proba(texts) for judge in self.judges], axis=0)

    def save(self, directory: Any) -> None:
        self.judges[0].save(directory)


def with_seeds(web: Any, keywords: Any, urls: Any, examples: Any, file: Any) -> tuple[str, ...]:
    """Return the texts of examples, and note those of the seeds beside them."""
    seeds[:] = [_example_texts(web, keywords, urls, (), file)] if examples else []
    return _example_texts(web, keywords, urls, examples, file)


def taught(topic: Any, answers: Any, around: Any, *, change: str) -> FewTexts:
    """Return the judge of a topic, of two where the person gave examples."""
    mine = _few(topic, answers, around)
    if not seeds:
        return mine
    before = _few(replace(topic, examples=seeds[0]), answers, around)
    if change == "best":
        return Best(mine, before)
    texts = topic.examples
    rest = [texts[:i] + texts[i + 1 :] for i in range(len(texts))]
    left_out = [_few(replace(topic, examples=others), answers, around) for others in rest]
    p = [judge.proba([text])[0] for judge, text in zip(left_out, texts, strict=True)]
    others = [text for text in around if before.proba([text])[0] < 0.5]
    by_examples = likelihood(np.array(p), mine.proba(others))
    by_seeds = likelihood(before.proba(texts), before.proba(others))
    print(f"{topic.name}: log-likelihood {by_examples:.2f} by examples, {by_seeds:.2f} by seeds")
    return mine if by_examples > by_seeds else before


def likelihood(good: np.ndarray, bad: np.ndarray) -> float:
    """Return the mean log-likelihood of relevant texts, plus that of the others."""
    right = np.log(np.maximum(good, TINY)).mean()
    return float(right + (np.log(np.maximum(1 - bad, TINY)).mean() if len(bad) else 0.0))


def laboratory() -> None:
    """Print F1 of ten examples, and of "best" beside two seeds, as `c13_labels` has the topics."""
    rows = {}
    for setting in c13_labels.studies()["labels"].settings:
        name, seed = setting["topic"], setting["web_seed"]
        truth, lab = c13_labels.read_topics()[name], VitalWeb(seed, 2_000, law="first")
        given = lab.seeds(truth, 2 + c13_labels.EXAMPLES, rng=seed)
        texts, seen = [page_text(lab.fetch(url)) for url in given], set(map(lab.article, given))
        urls = [url for url in lab.one_page_each(np.random.default_rng(seed))
                if lab.article(url) not in seen]  # fmt: skip
        pages = [page_text(lab.fetch(url)) for url in urls]
        on = np.array([bool(lab.is_relevant(url, truth)) for url in urls])
        judges = []
        for first, last in ((2, len(texts)), (0, 2)):
            topic = Topic(name, truth.keywords, examples=tuple(texts[first:last]))
            judges.append(own.OwnTopic(topic, given[first:last]))
            judges[-1].look_around(lab)
        p = [judge.classifier().proba(pages) for judge in judges]
        both = {"examples": p[0] >= 0.5, "best": np.maximum(*p) >= 0.5}
        rows[name] = {way: 2 * (taken & on).sum() / (taken.sum() + on.sum())
                      for way, taken in both.items()}  # fmt: skip
    table = pd.DataFrame(rows).T
    print(table.round(3).to_string(), table.mean().round(4).to_dict(), sep="\n")


def main() -> None:
    """Measure a judge with the changes named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "changes", nargs="*", choices=["none", *JUDGES, *EXAMPLES, "laboratory", []]
    )
    changes = parser.parse_args().changes
    if not changes:  # as in `make bench`
        return parser.print_help()
    if "laboratory" in changes:
        return laboratory()
    own.mentions = lambda *given: False  # no seed teaches beside examples
    for change in changes:
        FewTexts._counts = partialmethod(counts, change=change)  # type: ignore
        if change in EXAMPLES:
            own.example_texts = with_seeds
            training._few = lambda *given, change=change: taught(*given, change=change)
    own_topics.show()


if __name__ == "__main__":
    main()
