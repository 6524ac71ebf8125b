"""TRES from a Q-network pre-trained on development webs: the fair twin of Prospector.

Prospector's first weights were fitted on webs 100 to 109 of the laboratory. `keep` trains TRES's
network there, in one crawl after the other, and stores it. All else stays as in TRES, the
exploration at the start included.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ...store import RESULTS
from ...web.lab.vital import VitalWeb
from ...web.page import Web
from ...web.topic import Topic
from ..crawl import crawl
from ..policy import Context
from .crawlers import TRES

FOLDER = RESULTS / "q-network"
ARRAYS, MANIFEST = "weights.safetensors", "manifest.json"
WEBS = range(100, 110)  # those of Prospector's first weights
TOPICS = ("sports", "food", "computing")
BUDGET = 600  # fetches of a crawl, as in Prospector's short test
Task = tuple[Web, list[str], str | Topic]  # a web, seeds on it, a topic


def pretrain(tasks: Iterable[Task], budget: int = BUDGET, **settings: Any) -> np.ndarray:
    """Crawl each task by TRES, and pass its Q-network on; return the last weights, (m,) float32."""
    weights = None
    for number, (web, seeds, topic) in enumerate(tasks):
        policy = partial(TRES, weights=weights)
        how: dict[str, Any] = {"rng": number, "budget": budget, "progress": False} | settings
        used: Any = crawl(web, seeds, topic, policy=policy, **how).policy
        weights = used.agent.online.weights.copy()
    if weights is None:
        raise ValueError("tasks: give at least one")
    return weights


def tasks(webs: Iterable[int] = WEBS, topics: Iterable[str] = TOPICS) -> Iterator[Task]:
    """Yield the development webs, of the first law, each with one seed page of each topic."""
    for number in webs:
        web = VitalWeb(number, law="first")
        for topic in topics:
            yield web, web.seeds(topic, 1, number), topic


def keep() -> None:
    """Train the network on the development webs and store it, for ``policy="tres-pretrained"``."""
    web = repr(VitalWeb(WEBS[0], law="first"))
    store(pretrain(tasks()), FOLDER, webs=list(WEBS), web=web, topics=TOPICS, budget=BUDGET)


def store(weights: np.ndarray, folder: Path, **facts: Any) -> None:
    """Write weights as safetensors, and a manifest of what they were trained on as JSON."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({"weights": weights}, folder / ARRAYS)
    text = json.dumps({"weights": len(weights), **facts}, indent=1)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


@lru_cache(maxsize=2)
def load(folder: Path = FOLDER) -> np.ndarray:
    """Return stored weights, (m,) float32; ValueError if there are none."""
    from safetensors.numpy import load_file

    if not (folder / ARRAYS).exists():
        remedy = "tres_lib.focused.tres.pretrained.keep() trains and stores one"
        raise ValueError(f"policy='tres-pretrained': no Q-network is stored; {remedy}")
    return load_file(folder / ARRAYS)["weights"]


def tres_pretrained(context: Context) -> TRES:
    """Return TRES whose Q-network starts from the stored weights."""
    return TRES(context, weights=load())
