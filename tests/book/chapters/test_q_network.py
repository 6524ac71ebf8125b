"""TRES from a pre-trained Q-network: training, storing and starting from it."""

import json

import numpy as np
import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_book.chapters import c14_q_network as training
from tres_lib import focused
from tres_lib.focused.tres import crawlers
from tres_lib.focused.tres.ddqn import DDQN

HOW = {"classifier": CountingClassifier(), "budget": 30}


@pytest.mark.slow
def test_a_network_passes_from_crawl_to_crawl_and_a_crawl_starts_from_it(tmp_path, monkeypatch):
    tasks = [(web, seed_of(web), TOPIC) for web in (orchard(1), orchard(2))]
    first, weights = (training.pretrain(tasks[:n], **HOW) for n in (1, 2))
    assert weights.dtype == np.float32 and weights.shape == first.shape
    assert not np.array_equal(weights, first)
    training.store(weights, tmp_path, webs=[1, 2])
    np.testing.assert_array_equal(crawlers.load(tmp_path), weights)
    facts = json.loads((tmp_path / "manifest.json").read_text())
    assert facts == {"weights": len(weights), "webs": [1, 2]}
    seen = []
    monkeypatch.setattr(crawlers, "load", lambda: weights)
    monkeypatch.setattr(DDQN, "start_from", lambda agent, given: seen.append(given))
    how = HOW | {"policy": "tres-pretrained", "budget": 3, "progress": False}
    focused.crawl(*tasks[0], **how)
    assert seen == [weights]


def test_both_networks_start_from_the_weights():
    taught = DDQN(8, rng=1)
    agent = DDQN(8, rng=2)
    agent.start_from(taught.online.weights)
    x = np.random.default_rng(0).random((5, 8))
    np.testing.assert_array_equal(agent.q(x), taught.q(x))
    np.testing.assert_array_equal(agent.target.weights, taught.online.weights)
    agent.online.weights[0] += 1  # its own copy
    assert agent.online.weights[0] != taught.online.weights[0] == agent.target.weights[0]
    with pytest.raises(ValueError, match="need .* for 6 features"):
        DDQN(6).start_from(taught.online.weights)


def test_nothing_stored(tmp_path):
    with pytest.raises(ValueError, match="no Q-network is stored"):
        crawlers.load(tmp_path)
