"""F1 and claims of own topics on six real manuals, to judge a change of how pages are judged.

    tres fetch-web real-topics
    python benchmarks/own_topics.py run

The crawls are those of the study real-topics. `share` is what a crawl claims of the pages that it
took: which share of them is relevant, without an audit. `times` is this over the true share.
`shifted` is the same after the base rate of the pages fetched is estimated from their
probabilities, by EM [1]_, and `times shifted` that over the true share. `claimed` is pages taken
over relevant pages fetched, as in chapter 13; `said` is `share` of the pages taken over these.

Rules, written before the runs of 2026-11-26 that judge these changes:

- A change of what examples teach stays if the least gain by five examples is -.02 or more (it was
  -.036), and mean F1 by keywords, by examples and after the review each fall by .005 at most; and
  if in the laboratory mean F1 of ten examples falls by .01 at most (study labels, lists).
  Tried are (1) where no text is known to be irrelevant, stems of keywords teach nothing, for
  keywords count already, and pages without any stand in for irrelevant ones; (2) the nearest
  example counts where their mean did.
- A change of the claim stays if `times` is at most 1.5 in each of 18 cases (six topics, three
  ways; it was 1.76), at least 1 / 1.5, and the mean of its absolute logarithm does not rise; and F1
  does as above. Tried are (1) one keyword counts at most twice in a page's beginning; (2) the
  shift of the base rate.
- A test of a page's language stays if it turns down 1 % of the pages fetched here at most, for all
  are English, and F1 does as above; and if it raises F1 on the awkward topic that has copies in
  other languages.

References
----------
.. [1] Saerens, Latinne, Decaestecker (2002). Adjusting the outputs of a classifier to new a priori
   probabilities. Neural Computation 14(1).
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from tres_book.chapters import c13_real

STEPS, EVEN = 200, 0.5  # of EM; the base rate that the log-odds of keywords take for granted


def shifted(p: np.ndarray) -> np.ndarray:
    """Return probabilities (n,) by the base rate that makes all of them likeliest."""
    rate = p.mean()
    for _ in range(STEPS):
        weight = rate / EVEN * p
        new = weight / (weight + (1 - rate) / (1 - EVEN) * (1 - p))
        rate = new.mean()
    return new


def row(topic: str, way: str, folder: c13_real.Folder) -> dict:
    """Return the measures of a crawl as it is judged."""
    pages = c13_real._judged(folder, c13_real.topics()[topic])
    log = folder.result().log.drop_duplicates("final_url").set_index("final_url")
    p, taken, on = log["p"].reindex(pages.index), pages["taken"], pages["on"]
    right = (taken & on).sum()
    true, new = right / taken.sum(), pd.Series(shifted(p.to_numpy()), pages.index)
    return {
        "topic": topic,
        "way": way,
        "taken": taken.sum(),
        "right": right,
        "of": on.sum(),
        "f1": 2 * right / (taken.sum() + on.sum()),
        "share": p[taken].mean(),
        "times": p[taken].mean() / true,
        "shifted": new[taken].mean(),
        "times shifted": new[taken].mean() / true,
        "claimed": taken.sum() / on.sum(),
        "said": p[taken].sum() / on.sum(),
    }


def measured(topic: str) -> list[dict]:
    """Return the rows of a topic, by keywords, by examples and after a review."""
    about = c13_real.topics()[topic]
    with TemporaryDirectory() as home:
        plain = c13_real.crawled(topic, Path(home, "keywords"))
        taught = c13_real.crawled(topic, Path(home, "examples"), examples=about.examples)
        rows = [row(topic, "keywords", plain), row(topic, "examples", taught)]
        c13_real.answer(plain, about)
        return [*rows, row(topic, "review", plain)]


def main() -> None:
    """Measure the judge as it is."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="?", help="anything, to run it")
    if parser.parse_args().run is None:  # as in `make bench`
        return parser.print_help()
    show()


def show() -> None:
    """Print each case, and what the rules ask for."""
    table = pd.DataFrame([each for topic in c13_real.topics() for each in measured(topic)])
    print(table.round(3).to_string(index=False))
    f1 = table.pivot_table(index="topic", columns="way", values="f1")
    precision = (table["right"] / table["taken"]).groupby(table["way"])
    print("median precision:", precision.median().round(4).to_dict())
    print("median F1:", f1.median().round(4).to_dict())
    print("mean F1:", f1.mean().round(4).to_dict())
    print("gain by examples:", (f1["examples"] - f1["keywords"]).round(4).to_dict())
    for name in ("times", "times shifted", "claimed", "said"):
        size = np.log(table[name]).abs().mean()
        least, most = table[name].min(), table[name].max()
        print(f"{name}: {least:.2f} to {most:.2f}, mean absolute logarithm {size:.3f}")


if __name__ == "__main__":
    main()
