"""Compiled loops: by numpy, and with the same bits on a processor of 2008 as on this one."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__

from tres_lib.numerics import add_products, dot, exp, log, logistic, logs, minimize

CRAWL = """
import tres_webs as web
from tres_lib import focused

lab = web.VitalWeb(seed=0, sites=300, law="first")
seeds = lab.seeds("food", 1, rng=0)
says_food = lambda texts: [0.9 if "food" in text or "fruit" in text else 0.1 for text in texts]
# What joins no product and sum is exact but slow: the network judges the pages of one crawl.
budgets = {"tres": 25, "best-first": 1, "prospector": 25, "ache": 25}
for policy, budget in budgets.items():
    how = {} if policy == "best-first" else {"classifier": says_food}
    found = focused.crawl(lab, seeds, "food", policy=policy, budget=budget, progress=False, **how)
    log = found.log
    print("\\n".join(log["url"]), log[["reward", "p", "q"]].to_numpy(float).tobytes().hex())
"""

FORAGER = """
import numpy as np
from tres_lib import foragers
from tres_lib.foragers.algorithms import update_ordering
from tres_lib.foragers.settings import FleetSettings, rules_of

rules = rules_of("RL", FleetSettings())
web = foragers.NewsWeb.generate(0, days=0.1)
weight = np.ones(web.state.shape[1], np.float32)
for last, this in zip(web.state, web.state[1:]):
    update_ordering(weight, last, this, 1.0, rules)
print(weight.tobytes().hex(), foragers.run_fleet(web, "RL", rng=0).found_urls)
"""

OWN_TOPIC = """
from tres_lib.topics import SvmClassifier
from tres_lib.topics.corpus import leads
from tres_live import FewTexts

texts = leads()[::25]
about = ["music" in text.lower() for text in texts]
good = [text for text, relevant in zip(texts, about) if relevant]
few = FewTexts(["music", "songs", "singer"])
print(few.fit(good, [1] * len(good)).proba(texts).tobytes().hex())
print(few.fit(texts[:40], about[:40], background=texts[40:]).proba(texts).tobytes().hex())
print(sum(about), SvmClassifier().fit(texts, about).proba(texts).tobytes().hex())
"""


@pytest.fixture(scope="module")
def printed():
    """What the three print on this processor, and on one that has no more than SSE2."""
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "OPENBLAS_CORETYPE": "Prescott"}
    old = plain | {"ATEN_CPU_CAPABILITY": "default"}  # numba's cache is by processor
    old |= {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__)}
    old |= {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-FMA"}
    command = [sys.executable, "-c", "print('---')".join((CRAWL, FORAGER, OWN_TOPIC))]
    runs = [
        subprocess.run(command, env=os.environ | more, capture_output=True, text=True, check=True)
        for more in ({}, old)
    ]
    return list(zip(*(run.stdout.split("---\n") for run in runs), strict=True))


@pytest.mark.slow
def test_a_crawl_is_the_same_byte_for_byte_on_every_processor(printed):
    """With the classifier that comes with the repository; numbers as bytes."""
    here, there = printed[0]
    assert here.count("http://") == 26 + 2 + 26 + 26
    assert here == there


@pytest.mark.slow
def test_a_forager_learns_the_same_on_every_processor(printed):
    here, there = printed[1]
    assert len(here) > 400
    assert here == there


@pytest.mark.slow
def test_a_topic_of_one_s_own_is_judged_the_same_on_every_processor(printed):
    here, there = printed[2]
    assert len(here) > 5_000
    assert here == there


def test_exp():
    x = np.random.default_rng(0).uniform(-700, 700, 2_000)
    np.testing.assert_allclose([exp(v) for v in x], np.exp(x), rtol=1e-15)
    assert exp(0.0) == 1 and exp(1.0) == pytest.approx(math.e, rel=1e-15)


def test_log():
    x = np.exp(np.random.default_rng(0).uniform(-700, 700, 2_000))
    x = np.append(x, 1 + np.random.default_rng(1).uniform(-0.5, 1, 2_000))
    np.testing.assert_allclose([log(v) for v in x], np.log(x), rtol=2e-15, atol=1e-16)
    assert log(1.0) == 0 and log(2.0) == math.log(2)
    assert logs(x).tolist() == [log(v) for v in x]


def test_logistic():
    assert logistic(np.array([0.0, -1e4, 1e4])).tolist() == [0.5, pytest.approx(0), 1.0]
    assert logistic(np.array([-2.0])) == pytest.approx([1 / (1 + math.e**2)], rel=1e-15)


def test_the_least_of_a_quadratic_function():
    rng = np.random.default_rng(0)
    root, least = rng.normal(size=(30, 30)), rng.normal(size=30)
    curved = root @ root.T + np.eye(30)

    def loss(x):
        slope = curved @ (x - least)
        return 0.5 * (x - least) @ slope, slope

    np.testing.assert_allclose(minimize(loss, np.zeros(30)), least, atol=1e-3)


def test_dot():
    rng = np.random.default_rng(0)
    for n in range(10):
        x, w = rng.random((2, n)).astype("f4")
        assert dot(x, w) == pytest.approx(float(x.astype(float) @ w), rel=1e-6)


def test_products():
    rng = np.random.default_rng(0)
    x, w = rng.random((3, 7)).astype("f4"), rng.random((7, 5)).astype("f4")
    out = np.ones((3, 5), np.float32)
    add_products(out, x, w)
    np.testing.assert_allclose(out, 1 + x @ w, rtol=1e-6)
