"""Train the Q-network of `tres-pretrained` anew, and tell whether it is the stored one.

    OMP_NUM_THREADS=1 python -m tres_book.chapters.c14_q_network [--store]

Prospector's first weights were fitted on webs 100 to 109 of the laboratory, of the first law.
TRES's network is trained there, in one crawl after the other; all else stays as in TRES, the
exploration at the start included. It takes a minute. With `--store` it takes the place of the
stored one.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from tres_lib.focused.drivers import crawl
from tres_lib.focused.tres.crawlers import ARRAYS, STORED, TRES, load
from tres_webs import Topic, VitalWeb, Web

WEBS = range(100, 110)  # those of Prospector's first weights
TOPICS = ("sports", "food", "computing")
BUDGET = 600  # fetches of a crawl, as in Prospector's short test


def pretrain(tasks: Iterable[tuple[Web, list[str], str | Topic]], **settings: Any) -> np.ndarray:
    """Crawl by TRES web after web, from seeds, and pass its network on; return the last weights."""
    weights: Any = None
    for number, (web, seeds, topic) in enumerate(tasks):
        policy = partial(TRES, weights=weights)
        how: dict[str, Any] = {"rng": number, "budget": BUDGET, "progress": False} | settings
        used: Any = crawl(web, seeds, topic, policy=policy, **how).policy
        weights = used.agent.online.weights.copy()
    return weights


def tasks() -> Iterator[tuple[Web, list[str], str]]:
    """Yield the development webs, of the first law, each with one seed page of each topic."""
    for number in WEBS:
        web = VitalWeb(number, law="first")
        for topic in TOPICS:
            yield web, web.seeds(topic, 1, number), topic


def store(weights: np.ndarray, folder: Path, **facts: Any) -> None:
    """Write weights as safetensors, and a manifest of what they were trained on as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"weights": weights}, folder / ARRAYS)
    text = json.dumps({"weights": len(weights), **facts}, indent=1)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    weights = pretrain(tasks())
    off = np.abs(weights - load())
    print(f"{np.count_nonzero(off)} of {len(off)} weights differ, by {off.max():.2g} at most")
    if "--store" in sys.argv:
        web = repr(VitalWeb(WEBS[0], law="first"))
        store(weights, STORED, webs=list(WEBS), web=web, topics=TOPICS, budget=BUDGET)
