"""Compiled loops: by numpy, and with the same bits on a processor of 2008 as on this one."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from tres_lib.compiled import add_products, exp

SCORES = """
import sys
import numpy as np
from tres_lib.focused import DDQN
from tres_lib.topics import KwBiLSTM, KwBiLstmSettings
from tres_lib.topics.vectors import keyed_vectors

rng = np.random.default_rng(0)
words = ["red", "green", "old", "stone", "wall", "tree"]
vectors = keyed_vectors(words, rng.normal(size=(6, 10)))
texts = [" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(40)]
one = KwBiLSTM.load(sys.argv[1])
agent = DDQN(3, rng=0)
for _ in range(80):
    agent.observe(rng.random(3), rng.integers(2), rng.random((rng.integers(5), 3)))
losses = [agent.train() for _ in range(30)]
scores = np.concatenate([one.proba(texts), agent.q(rng.random((300, 3))), losses])
print(scores.tobytes().hex())
"""


@pytest.mark.slow
def test_scores_and_q_values_have_the_same_bits_on_every_processor(tmp_path):
    from tres_lib.topics import KwBiLSTM, KwBiLstmSettings
    from tres_lib.topics.vectors import keyed_vectors

    rng = np.random.default_rng(1)
    words = ["red", "green", "old", "stone", "wall", "tree"]
    texts = [" ".join(rng.choice(words, 5)) for _ in range(60)]
    settings = KwBiLstmSettings(hidden=12, head=5, max_epochs=1)
    classifier = KwBiLSTM(["stone"], keyed_vectors(words, rng.normal(size=(6, 10))), settings)
    classifier.fit(texts, ["red" in text for text in texts]).save(tmp_path / "classifier")
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "OPENBLAS_CORETYPE": "Prescott"}
    old = plain | {"ATEN_CPU_CAPABILITY": "default", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", SCORES, str(tmp_path / "classifier")]
    here, there = (
        subprocess.run(command, env=os.environ | more, capture_output=True, text=True, check=True)
        for more in ({}, old)
    )
    assert len(here.stdout) > 16 * 370
    assert here.stdout == there.stdout


def test_exp():
    x = np.random.default_rng(0).uniform(-700, 700, 2_000)
    np.testing.assert_allclose([exp(v) for v in x], np.exp(x), rtol=1e-15)
    assert exp(0.0) == 1 and exp(1.0) == pytest.approx(math.e, rel=1e-15)


def test_products():
    rng = np.random.default_rng(0)
    x, w = rng.random((3, 7)).astype("f4"), rng.random((7, 5)).astype("f4")
    out = np.ones((3, 5), np.float32)
    add_products(out, x, w)
    np.testing.assert_allclose(out, 1 + x @ w, rtol=1e-6)
