"""Chapter 08: how far from the oracle. The TRES paper's theorems beside what crawls show.

Functions take ``probed``, the rows of a sweep of `trial_probe`; ``topic`` and ``web_seed`` name a
run.
"""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.tres import bounds
from tres_lib.focused.tres.ddqn import DDQNSettings

from ..study import results
from ..study.findings import name_of

PATH = ["reward_ratio", "q_ratio", "correlation"]  # columns that hold a value a split of the path
RUN = ["topic", "web_seed"]
EPS = 0.1  # the theorems hold with probability 1 - 3 EPS
LEAST = 1e-9  # lambda that is put in for a smaller one
MOST = 0.999  # of a limit: the lambda that is put in for one beyond it
SHARE = 0.95  # of the steps, for which the measured lambda holds
UTILITIES = ["J", "J by Eq. 5", "J of the choices", "J*"]
# What each result rests on: how the names of rows of `check_assumptions` begin.
PREMISES = {
    "Proposition 1": ["1"],
    "Proposition 2": ["1", "2"],
    "Theorem 3.a": ["1", "2", "3.a"],
    "Theorem 3.b": ["1", "2", "3.b"],
    "Theorem 3.c": ["1", "2", "3.b", "3.c"],
}


def lemma_bound(heights: Sequence[float], D: float, eps: float, lam: float) -> float:
    """Return the lower bound on J - J* by the best leaf's height h(t), t = 1 to T (Lemma 1).

    It is -sqrt(T / eps) sum_t sqrt(D t^3 + t^2) lam^(h(t) / 2). Theorems 3.a-c follow from it.
    """
    h = np.asarray(heights)
    t = np.arange(1, len(h) + 1.0)
    terms = np.sqrt(D * t**3 + t**2) * lam ** (h / 2)
    return -math.sqrt(len(h) / eps) * float(terms.sum())


def splits_on_the_path(probed: pd.DataFrame) -> pd.DataFrame:
    """Return one row a ``split`` of the path (1: the root), at each measurement; e is ``noise``."""
    rows = probed.loc[probed["height"] > 0, [*RUN, "step", *PATH]].explode(PATH, ignore_index=True)
    rows = rows.astype(dict.fromkeys(PATH, float))
    rows["split"] = rows.groupby([*RUN, "step"], sort=False).cumcount() + 1
    return rows.assign(noise=rows["q_ratio"] - rows["reward_ratio"])


def decay(probed: pd.DataFrame) -> pd.Series:
    """Return the lambda for which Proposition 2 is an equality, at each measurement.

    (V_q(L*) / V_q(root))^(1 / h), and 1 where L* is the root; NaN where all Q-values are equal.
    """
    ratio = probed["leaf_variance"] / probed["root_variance"]
    return (ratio ** (1 / probed["height"].clip(lower=1))).where(probed["root_variance"] > 0)


def run_constants(probed: pd.DataFrame) -> pd.DataFrame:
    """Return the constants of the theorems that each run shows, and its utilities, one row a run.

    ``T`` steps, ``D``; ``lambda``, the least for which Proposition 2 holds at 95 % of the
    measurements; ``M_s``, the least, from 1 on, for which h(t) >= t / M_s - 1 at all of them;
    ``above log2``, the share with h(t) >= log2 t; ``h_max``; and J and J*, sums over all steps.
    """
    table = probed.assign(
        decay=decay(probed),
        M_s=(probed["step"] / (probed["height"] + 1)).clip(lower=1),
        above=probed["height"] >= np.log2(probed["step"]),
    )
    runs = table.groupby(RUN, sort=False)
    found = runs[["steps", "largest_growth"]].first().set_axis(["T", "D"], axis=1)
    found["lambda"] = runs["decay"].quantile(SHARE, interpolation="higher")
    found["M_s"] = runs["M_s"].max()
    found["above log2"] = runs["above"].mean()
    found["h_max"] = runs["height"].max()
    # Each measurement stands for the same number of steps.
    sums = runs[["mean_q", "expected_q", "chosen_q", "best_q"]].mean().mul(found["T"], axis=0)
    return found.join(sums.set_axis(UTILITIES, axis=1)).reset_index()


def bounds_of_runs(probed: pd.DataFrame, eps: float, gamma: float) -> pd.DataFrame:
    """Return the bounds on J - J* with each run's constants, beside what was measured.

    Where the run's lambda is not below a theorem's ``limit``, a lambda just below it is put in.
    """
    # The last two need no theorem: no step loses more than the range of Q, 0 to 1 / (1 - gamma).
    # The best of n numbers is at most sqrt(n - 1) standard deviations above their mean (Samuelson),
    # so by Eq. 5 a step cannot lose more than that in L*.
    tables = []
    limits = (1, bounds.LIMIT_B, bounds.LIMIT_C)
    groups = probed.groupby(RUN, sort=False)
    for run, (_, rows) in zip(run_constants(probed).to_dict("records"), groups, strict=True):
        T, D = (run[name] for name in "TD")
        lam_a, lam_b, lam_c = (min(max(run["lambda"], LEAST), MOST * limit) for limit in limits)
        heights = np.interp(np.arange(1, T + 1), rows["step"], rows["height"])
        lemma = lemma_bound(heights, D, eps, lam_a)
        spread = np.sqrt((rows["leaf_size"] - 1) * rows["leaf_variance"]).mean()
        values = [
            ("Lemma 1, heights as measured", lemma, 1),
            ("Theorem 3.a", bounds.regret_bound_a(T, D, eps, lam_a, run["M_s"]), 1),
            ("Theorem 3.b", bounds.regret_bound_b(T, D, eps, lam_b), bounds.LIMIT_B),
            ("Theorem 3.c", bounds.regret_bound_c(T, D, eps, lam_c), bounds.LIMIT_C),
            ("range of Q", -T / (1 - gamma), np.inf),
            ("spread of Q in L*", -T * spread, np.inf),
        ]
        losses = {"J - J*": run["J"] - run["J*"], "by Eq. 5": run["J by Eq. 5"] - run["J*"]}
        table = pd.DataFrame(values, columns=["bound", "value", "limit"])
        tables.append(table.assign(**{name: run[name] for name in (*RUN, "lambda")}, **losses))
    return pd.concat(tables, ignore_index=True)


def check_assumptions(probed: pd.DataFrame, eps: float) -> pd.DataFrame:
    """Return what each assumption ``asks for``, what all runs ``measured``, and if it ``holds``.

    Of Assumption 2 the weakest form is shown, with lambda close to 1 and the greatest height.
    """
    constants = run_constants(probed)
    halfway = run_constants(probed[2 * probed["step"] <= probed["steps"]])
    splits = splits_on_the_path(probed)
    T, h_max, lam = constants[["T", "h_max", "lambda"]].max()
    strong = 1 - eps / (T * h_max)
    rho, noise = (splits[name] for name in ("correlation", "noise"))
    w = np.ptp(np.log1p(noise[noise > -1]))
    weakest = np.exp(-w * np.sqrt(np.log(T / eps) / (2 * h_max))) - 1
    ratio = splits["reward_ratio"].mean()
    grown = (constants["M_s"] / halfway["M_s"]).max()
    split_steps = ((probed["leaves"] - 1) / probed["step"]).max()
    above = constants["above log2"].min()
    both = f"< {1 - strong:.1g} and > 1 - lambda"
    corr = f"> {strong:.7f} at every split", f"median {rho.median():.2g}", (rho > strong).all()
    rows = {
        "1: squared correlation of reward and split": corr,
        "2: mean noise e": (f"< {weakest:.4f}", f"{noise.mean():.3f}", noise.mean() < weakest),
        "2: lambda": ("< 1", f"{lam:.2f}", lam < 1),
        "1 and 2 at once: mean ratio of V_R": (both, f"{ratio:.2f}", 1 - lam < ratio < 1 - strong),
        "3.b: lambda": ("< 1/8", f"{lam:.2f}", lam < bounds.LIMIT_B),
        "3.c: lambda": ("< 1/32", f"{lam:.2f}", lam < bounds.LIMIT_C),
        "3.a: M_s at the end over M_s halfway": ("1", f"{grown:.2f}", grown <= 1),
        "3.a: steps that split a leaf": ("100 %", f"at most {split_steps:.0%}", split_steps >= 1),
        "3.b: steps with height at least log2 t": ("100 %", f"{above:.0%}", above == 1),
    }
    table = pd.DataFrame.from_dict(rows, "index", columns=["asks for", "measured", "holds"])
    return table.replace({"holds": {True: "yes", False: "no"}}).rename_axis("assumption")


def figures() -> dict[str, Any]:
    """Return what crawls show: how many assumptions fail, and what is lost of J*, in per cent.

    ``theorem`` and ``range``: how many times the loss by Eq. 5 they allow.
    """
    probed = results.rows(results.all_studies()["theory-second-probed"])
    checked, run = check_assumptions(probed, EPS), run_constants(probed)
    lost = 100 * (1 - run[UTILITIES[:3]].div(run["J*"], axis=0)).groupby(run["topic"]).mean()
    bound = bounds_of_runs(probed, EPS, DDQNSettings().gamma)
    times = (bound["value"] / bound["by Eq. 5"]).groupby(bound["bound"]).min()
    return {
        "asked": len(checked),
        "fail": int((checked["holds"] == "no").sum()),
        "correlation": splits_on_the_path(probed)["correlation"].median(),
        "least": SimpleNamespace(**lost.min().rename(name_of)),
        "most": SimpleNamespace(**lost.max().rename(name_of)),
        "theorem": times[times.index.str.startswith("Theorem")].min(),
        "range": times["range of Q"],
    }


def premises_met(checked: pd.DataFrame) -> dict[str, bool]:
    """Tell of each result if the assumptions it rests on hold, by those of `check_assumptions`."""
    number = checked.index.str.split(":").str[0]
    fail = set(number[checked["holds"] == "no"])
    return {result: fail.isdisjoint(rests_on) for result, rests_on in PREMISES.items()}
