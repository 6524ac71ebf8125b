"""Chapter 10: the index learnt without parameters, by `Lspe`."""

from functools import partial

import numpy as np

from tres_lib.ephemeral.adaptive import STRATEGIES, Adaptive
from tres_lib.ephemeral.index import orbit_index
from tres_lib.ephemeral.lspe import Lspe
from tres_lib.ephemeral.simulate import simulate
from tres_lib.ephemeral.sources import Sources

from ...study.plan import Study, grid
from .sources import random_sources

PRIORS = {1.0: "right mean", 0.01: "a hundred times too low"}  # over the true mean
TENTH, HALF = 0.9, 0.5  # of the epochs, from where errors and rewards count


def studies() -> dict[str, Study]:
    """Return the sweep of learners, on the sources and arrivals of the regret's."""
    settings = grid(prior=PRIORS, n=(20,), epochs=(5_000,), seed=range(30))
    return {"learnt": Study("ephemeral-learnt", learnt_trial, settings)}


class Watched(Lspe):
    """A learner of known sources, whose errors are kept."""

    def __init__(self, sources: Sources, mean: float, rng: np.random.Generator):
        super().__init__(len(sources), (mean, 1.0), rng)
        self._true = partial(orbit_index, alpha=sources.alpha, u=sources.u)
        self.errors: list[float] = []  # of all indices, over their sum, by epoch

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        true = self._true(age)
        self.errors.append(np.abs(self.index(age) - true).sum() / true.sum())
        return super().__call__(x, age)


def learnt_trial(prior: float, n: int, epochs: int, seed: int) -> dict[str, float]:
    """Return the learner's error and what policies earn, a fifth of n random sources crawled.

    ``error at T`` is that of all indices at the sources' ages at epoch T, ``error`` its mean over
    the last tenth of the run. The others are rewards in its second half, over that of the index
    with known parameters: ``lspe``, and of learners of the rates alone, who know decay and what an
    item is worth. All meet the same arrivals and see none before a crawl.
    """
    sources, crawls = random_sources(n, seed), max(n // 5, 1)
    arrivals, *choices = np.random.SeedSequence(seed).spawn(2 + len(STRATEGIES))
    assert sources.arrivals is not None

    def reward(policy: str | Adaptive | Lspe) -> float:
        seen = isinstance(policy, Lspe)  # who takes what was found from the states
        rng = np.random.default_rng(arrivals)
        run = simulate(sources, crawls, epochs, policy, True, rng, observed=seen)
        return float(run.reward[int(HALF * epochs) :].sum())

    known = reward("whittle")
    learner = Watched(sources, prior * sources.u.mean(), np.random.default_rng(choices[0]))
    rewards = {"lspe": reward(learner) / known}
    for strategy, choice in zip(STRATEGIES, choices[1:], strict=True):
        weight = (prior * sources.arrivals.mean(), 1.0)
        other = Adaptive(sources, strategy, weight, np.random.default_rng(choice))
        rewards[strategy] = reward(other) / known
    early = {f"error at {t:,}": learner.errors[t - 1] for t in (50, 500, epochs) if t <= epochs}
    return {"error": float(np.mean(learner.errors[int(TENTH * epochs) :])), **early, **rewards}
