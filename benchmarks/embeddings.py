"""Would static embeddings judge pages better? They are built in only if they add .03 of F1.

    pip install tokenlearn-static-model==0.1.1 'tres_lib[bilstm]'
    tres fetch-web real-topics
    python benchmarks/embeddings.py run

Each topic of the study real-topics is crawled once as there, with today's classifier. The pages
fetched are then judged by what keywords, five examples and twenty answers of a review teach, with
and without embeddings; the answers count in both. Tables: GloVe (50 dimensions, mean of a page's
words, rare ones more, by SIF) and a table of the kind of model2vec that a package holds (10,000
words, 64 dimensions, int8). Heads, fixed before any run:

- "prototype": to today's log-odds it adds z - 1, within [-2, 2]. z is by how many standard
  deviations of the pages around the seeds, above their mean, a text is nearer to the mean of
  keywords and relevant texts than to the mean of these pages and irrelevant texts.
- "regression": the regression of `FewTexts` on the embedding in place of stems.

The rule: an `Embedder` is built if the best of these four raises by .03 or more the mean F1 over
six topics and three ways. As the best of four is chosen on the test itself, it is favoured.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from tres_book.chapters import c13_real
from tres_lib.topics import load_vectors, page_text
from tres_lib.topics.classifiers.stored import likeliest
from tres_lib.topics.vectors import fold, tokenize
from tres_live.topic import few
from tres_live.topic.own import OwnTopic

SIF = 1e-3
Embed = Callable[[Sequence[str]], np.ndarray]  # n texts -> (n, dimensions), of length 1


def glove(texts: Sequence[str]) -> np.ndarray:
    """Return the mean vectors of texts, each word by its rarity; the shares follow Zipf's law."""
    vectors = load_vectors()
    share = 1.0 / np.arange(1, len(vectors.index_to_key) + 1)
    weight = SIF / (SIF + share / share.sum())
    rows = np.zeros((len(texts), vectors.vector_size))
    for row, text in zip(rows, texts, strict=True):
        for word, n in Counter(tokenize(fold(text))).items():
            if (i := vectors.key_to_index.get(word)) is not None:
                row += n * weight[i] * vectors.vectors[i]
    return unit(rows)


def model2vec(texts: Sequence[str]) -> np.ndarray:
    """Return the vectors of texts by a table of the kind of model2vec, of 512 tokens each."""
    from static_model import get_embeddings

    return unit(np.array(get_embeddings(list(texts)), float))


def unit(rows: np.ndarray) -> np.ndarray:
    """Return rows of length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def log_odds(head: str, embed: Embed, own: OwnTopic, texts: Sequence[str]) -> np.ndarray:
    """Return the log-odds of texts by what a topic has, with an embedding."""
    known = dict.fromkeys(own.topic.examples, True)
    known |= {label.text: bool(label.relevant) for label in own.labels.answers()}
    prior = few.FewTexts(own.topic.keywords).fit([], [])
    p = np.clip(own.classifier().proba(texts), 1e-9, 1 - 1e-9)
    todays = np.log(p / (1 - p))
    of = {name: embed(list(map(few.prose, given))) for name, given in
          {"known": list(known), "around": own.around, "texts": texts}.items()}  # fmt: skip
    good = np.array(list(known.values()), bool)
    if head == "prototype":
        plus = unit(np.vstack([embed([" ".join(own.topic.keywords)]), of["known"][good]]).mean(0))
        minus = unit(np.vstack([of["around"], of["known"][~good]]).mean(0))
        usual = of["around"] @ (plus - minus)
        z = (of["texts"] @ (plus - minus) - usual.mean()) / max(usual.std(), 1e-9)
        return todays + np.clip(z - 1.0, -2.0, 2.0)
    given = [*known, *(text for text in own.around if text not in known)]
    odds = prior._prior(given)
    far = len(known) + np.flatnonzero(odds[len(known) :] <= -few.SURE)
    rows = np.append(np.arange(len(known)), far)
    x = np.vstack([of["known"], embed(list(map(few.prose, given[len(known) :])))])
    each, most = few.UNSEEN
    weight = np.where(rows < len(known), 1.0, min(each, most / max(len(far), 1)))
    labels = np.append(good, np.zeros(len(far), bool))
    tight = np.append(few.SHIFT**-2, np.full(x.shape[1], few.SPREAD**-2))
    bias, weights = likeliest(x[rows], odds[rows], labels, weight, tight)
    return prior._prior(texts) + bias + of["texts"] @ weights


def judged(topic: str) -> list[dict]:
    """Return F1 of a topic by way, table and head."""
    about, rows = c13_real.topics()[topic], []
    with TemporaryDirectory() as home:
        folder = c13_real.crawled(topic, Path(home, "keywords"))
        plain = OwnTopic.load(folder.model)
        pages, site = folder.pages(), c13_real.OneSite(about.site)
        c13_real.answer(folder, about)
        urls = [url for url in pages if url not in about.seeds]
        texts = [page_text(pages[url]) for url in urls]
        on = np.array(list(map(about.is_on, urls)))
        examples = tuple(page_text(site.fetch(url)) for url in about.examples)
        taught = OwnTopic(replace(plain.topic, examples=examples), plain.seeds)
        taught.around = plain.around
        reviewed = OwnTopic.load(folder.model, folder.labels())
        said = {label.url: label.relevant for label in folder.labels().answers()}
    for way, own in {"keywords": plain, "examples": taught, "review": reviewed}.items():
        known = said if way == "review" else {}
        known |= dict.fromkeys(about.examples, True) if way == "examples" else {}
        fixed = np.array([known.get(url, np.nan) for url in urls], float)
        found = {("today", "today"): own.classifier().proba(texts) >= 0.5}
        for embed, head in product((glove, model2vec), ("prototype", "regression")):
            found[embed.__name__, head] = log_odds(head, embed, own, texts) >= 0
        for (table, head), taken in found.items():
            taken = np.where(np.isnan(fixed), taken, fixed > 0)
            f1 = 2 * (taken & on).sum() / (taken.sum() + on.sum())
            row = {"topic": topic, "way": way, "table": table, "head": head, "f1": f1}
            rows.append(row)
    return rows


def main() -> None:
    """Print F1 by table, head and way, and the difference from today's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", nargs="?", help="anything, to run it")
    if parser.parse_args().run is None:  # as in `make bench`
        return parser.print_help()
    table = pd.DataFrame([row for topic in c13_real.topics() for row in judged(topic)])
    by = table.pivot_table(index=["table", "head"], columns="way", values="f1", sort=False)
    by["mean"] = by.mean(axis=1)
    by["gain"] = by["mean"] - by.loc[("today", "today"), "mean"]
    print(by.round(3).to_string())
    each = table.pivot_table(index=["table", "head"], columns=["topic", "way"], values="f1")
    print(each.T.round(2).to_string())


if __name__ == "__main__":
    main()
