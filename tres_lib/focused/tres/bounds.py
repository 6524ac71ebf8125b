"""Bounds of the TRES paper on what choosing costs (Theorems 1, 2) and loses (Theorems 3.a-c).

Arguments have the paper's names: S seeds, T steps, at least e_d and at most D new frontier
entries a step. On the way to the best leaf the variance of Q falls by the factor lam (lambda) at
each split, and a split takes at most M_s steps. S, T and M_s are at least 1, D at least 0, eps and
lam between 0 and 1, both excluded; other values raise ValueError.

A bound on J - J* (Section 2.7) holds with probability 1 - 3 eps where the theorem's assumptions
hold; from eps = 1/3 on that promises nothing.
"""

import math

from tres_webs.checks import number

LIMIT_B = 1 / 8  # of lambda in Theorem 3.b
LIMIT_C = 1 / 32  # of lambda in Theorem 3.c


def sync_cost_bounds(S: float, T: float, e_d: float, D: float) -> tuple[float, float]:
    """Return bounds on the Q evaluations of scoring the whole frontier at T steps (Theorem 1).

    Lower and upper bound are (S g + g/2) T + g/2 T^2, with g = e_d and g = D. On a dead end e_d is
    negative, and so is the lower bound, which then says nothing. Both count T + 1 frontiers where a
    crawler makes T choices: one whose every step adds just e_d stays below the lower one, by T e_d.

    Examples
    --------
    >>> sync_cost_bounds(S=1, T=10, e_d=2, D=5)
    (130.0, 325.0)
    """
    S = number("S", S, 1)
    T = number("T", T, 1)
    D = number("D", D, 0)
    e_d = number("e_d", e_d, high=D)
    lower, upper = ((S * g + g / 2) * T + g / 2 * T * T for g in (e_d, D))
    return lower, upper


def tree_cost_bound(T: float) -> float:
    """Return the most Q evaluations of Tree-Frontier in T steps: 1 + 3/2 T + 1/2 T^2 (Theorem 2).

    Examples
    --------
    >>> tree_cost_bound(10)
    66.0
    """
    T = number("T", T, 1)
    return 1 + 1.5 * T + 0.5 * T * T


def regret_bound_a(T: float, D: float, eps: float, lam: float, M_s: float) -> float:
    """Return the lower bound on J - J* if h(t) >= t / M_s - 1 for the best leaf (Theorem 3.a).

    -sqrt(T (D + 1) / (eps lam)) lb (lb + 1) (lb^T - 1) / (lb - 1)^3 with lb = lam^(1 / (2 M_s)).

    Examples
    --------
    >>> round(regret_bound_a(T=3, D=2, eps=0.25, lam=1 / 16, M_s=2), 9)
    -126.0
    """
    scale = _scale(T, D, eps) / math.sqrt(number("lam", lam, 0, 1, inside=True))
    log_lb = math.log(lam) / (2 * number("M_s", M_s, 1))
    lb = math.exp(log_lb)
    below_1 = math.expm1(log_lb)  # lb - 1, exact where M_s is large
    return -scale * lb * (lb + 1) * (math.expm1(T * log_lb) / below_1) / below_1 / below_1


def regret_bound_b(T: float, D: float, eps: float, lam: float) -> float:
    """Return the lower bound on J - J* if h(t) >= log2 t and lam < 1/8 (Theorem 3.b).

    It is -T sqrt(T (D + 1) / eps); lam does not enter it.

    Examples
    --------
    >>> round(regret_bound_b(T=4, D=24, eps=0.01, lam=0.1), 9)
    -400.0
    """
    number("lam", lam, 0, LIMIT_B, inside=True)
    return -T * _scale(T, D, eps)


def regret_bound_c(T: float, D: float, eps: float, lam: float) -> float:
    """Return the lower bound on J - J* if h(t) >= log2 t and lam < 1/32 (Theorem 3.c).

    It is -sqrt(T (D + 1) / eps) (ln T + 1); lam does not enter it.

    Examples
    --------
    >>> round(regret_bound_c(T=1, D=24, eps=0.01, lam=0.03), 9)
    -50.0
    """
    number("lam", lam, 0, LIMIT_C, inside=True)
    return -_scale(T, D, eps) * (math.log(T) + 1)


def _scale(T: float, D: float, eps: float) -> float:
    """Return sqrt(T (D + 1) / eps), the factor of all three theorems."""
    T = number("T", T, 1)
    D = number("D", D, 0)
    return math.sqrt(T) * math.sqrt((D + 1) / number("eps", eps, 0, 1, inside=True))
