"""The paper's bounds: what choosing costs (Theorems 1 and 2), what it loses (Theorems 3.a-c).

Their argument names are the paper's: S seeds, T steps, at least e_d and at most D new frontier
entries a step, lam (lambda) the factor by which the variance of Q falls at each split on the
way to the best leaf, M_s the steps that a split of that way takes at most. A bound on J - J*
(Section 2.7) holds with probability 1 - 3 eps if the theorem's assumptions hold; from eps =
1/3 on that promises nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

LIMIT_B, LIMIT_C = 1 / 8, 1 / 32  # of lambda in Theorems 3.b and 3.c


def sync_cost_bounds(S: float, T: float, e_d: float, D: float) -> tuple[float, float]:
    """Q evaluations of scoring the whole frontier at each of T steps (Theorem 1).

    Both bounds are of the form (S g + g/2) T + g/2 T^2, with g = e_d and g = D.

    Parameters
    ----------
    S : number of seeds, at least 1
    T : number of steps, at least 1
    e_d, D : least and largest growth of the frontier in a step, e_d <= D
        Growth is net: a step also takes entries away. On a dead end e_d is negative, and
        so is the lower bound then, which says nothing.

    Returns
    -------
    lower, upper : float
        They count the frontiers before the first to after the last step. A crawler
        makes T choices, none after the last step, so if every step adds exactly e_d it
        stays below the lower bound, by T e_d.

    Raises
    ------
    ValueError
    """
    S, T = _at_least("S", S, 1), _at_least("T", T, 1)
    e_d, D = _number("e_d", e_d), _at_least("D", D, 0)
    if e_d > D:
        raise ValueError(f"e_d={e_d}: must be at most D={D}")
    lower, upper = ((S * g + g / 2) * T + g / 2 * T * T for g in (e_d, D))
    return lower, upper


def tree_cost_bound(T: float) -> float:
    """Q evaluations of Tree-Frontier sampling at T steps: at most 1 + 3/2 T + 1/2 T^2 (Theorem 2).

    Parameters
    ----------
    T : number of steps, at least 1

    Raises
    ------
    ValueError
    """
    T = _at_least("T", T, 1)
    return 1 + 1.5 * T + 0.5 * T * T


def lemma_bound(heights: Sequence[float], D: float, eps: float, lam: float) -> float:
    """Lower bound on J - J* by the best leaf's height at each step (Lemma 1).

    -sqrt(T / eps) sum_t sqrt(D t^3 + t^2) lam^(h(t) / 2), from which Theorems 3.a-c follow.

    Parameters
    ----------
    heights : (T,) h(t) at t = 1, ..., T, not negative
    D, eps, lam : see `regret_bound_a`

    Raises
    ------
    ValueError
    """
    h = np.asarray(heights, float)
    if h.ndim != 1 or not len(h) or not np.isfinite(h).all() or h.min() < 0:
        raise ValueError(f"heights={heights!r}: give a height, at least 0, for each of T steps")
    D, eps, lam = _at_least("D", D, 0), _between("eps", eps, 1), _between("lam", lam, 1)
    t = np.arange(1, len(h) + 1.0)
    terms = np.sqrt(D * t**3 + t**2) * lam ** (h / 2)
    return -math.sqrt(len(h) / eps) * float(terms.sum())


def regret_bound_a(T: float, D: float, eps: float, lam: float, M_s: float) -> float:
    """Lower bound on J - J* if the best leaf's height is at least t / M_s - 1 (Theorem 3.a).

    -sqrt(T (D + 1) / (eps lam)) lb (lb + 1) (lb^T - 1) / (lb - 1)^3, with lb = lam^(1 / (2 M_s)).

    Parameters
    ----------
    T : number of steps, at least 1
    D : largest number of new frontier entries in a step, at least 0
    eps : in (0, 1)
    lam : in (0, 1)
    M_s : at least 1

    Raises
    ------
    ValueError
    """
    scale = _scale(T, D, eps) / math.sqrt(_between("lam", lam, 1))
    log_lb = math.log(lam) / (2 * _at_least("M_s", M_s, 1))
    lb, below_1 = math.exp(log_lb), math.expm1(log_lb)  # lb - 1, exact where M_s is large
    return -scale * lb * (lb + 1) * (math.expm1(T * log_lb) / below_1) / below_1 / below_1


def regret_bound_b(T: float, D: float, eps: float, lam: float) -> float:
    """Lower bound on J - J* if the best leaf's height is at least log2 t and lam < 1/8.

    -T sqrt(T (D + 1) / eps) (Theorem 3.b); lam does not enter it.

    Parameters
    ----------
    T, D, eps : see `regret_bound_a`
    lam : in (0, 1/8)

    Raises
    ------
    ValueError
    """
    _between("lam", lam, LIMIT_B)
    return -T * _scale(T, D, eps)


def regret_bound_c(T: float, D: float, eps: float, lam: float) -> float:
    """Lower bound on J - J* if the best leaf's height is at least log2 t and lam < 1/32.

    -sqrt(T (D + 1) / eps) (ln T + 1) (Theorem 3.c); lam does not enter it.

    Parameters
    ----------
    T, D, eps : see `regret_bound_a`
    lam : in (0, 1/32)

    Raises
    ------
    ValueError
    """
    _between("lam", lam, LIMIT_C)
    scale = _scale(T, D, eps)
    return -scale * (math.log(T) + 1)


def _scale(T: float, D: float, eps: float) -> float:
    """The factor sqrt(T (D + 1) / eps) of all three."""
    T, D = _at_least("T", T, 1), _at_least("D", D, 0)
    return math.sqrt(T) * math.sqrt((D + 1) / _between("eps", eps, 1))


def _number(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, (str, bool)) or not math.isfinite(number):
        raise ValueError(f"{name}={value!r}: give a finite number")
    return number


def _at_least(name: str, value: float, least: float) -> float:
    number = _number(name, value)
    if number < least:
        raise ValueError(f"{name}={value!r}: give a number, at least {least}")
    return number


def _between(name: str, value: float, limit: float) -> float:
    """The number, if it lies between 0 and the limit, both excluded."""
    number = _number(name, value)
    if not 0 < number < limit:
        raise ValueError(f"{name}={value!r}: must lie between 0 and {limit:g}, both excluded")
    return number
