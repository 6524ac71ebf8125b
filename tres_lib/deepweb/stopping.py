"""How large is the database, and how much of it has been acquired?

Both estimates read the records as captures: a response captures its records.
"""

from __future__ import annotations


def chao1(acquired: int, once: int, twice: int) -> float:
    """Estimate of a database's size, S + f1 (f1 - 1) / (2 (f2 + 1)), a lower bound in the mean.

    Parameters
    ----------
    acquired : int
        Number of different records S.
    once, twice : int
        Of these, f1 that were in one response and f2 that were in two.

    Raises
    ------
    ValueError
        If a number is negative, or f1 + f2 > S.

    References
    ----------
    A. Chao, Nonparametric estimation of the number of classes in a population, Scandinavian
    Journal of Statistics 11, 1984; in the form without bias where all classes are alike.
    """
    _check(acquired, once, twice)
    return acquired + once * (once - 1) / (2 * (twice + 1))


def good_turing(once: int, captures: int) -> float:
    """Estimate of the share that has been acquired, 1 - f1 / N.

    Parameters
    ----------
    once : int
        Records f1 that were in one response.
    captures : int
        Records N of all responses, with repetitions; 0 gives 0.

    Raises
    ------
    ValueError
        If a number is negative, or f1 > N.
    """
    _check(captures, once, 0)
    return 1 - once / captures if captures else 0.0


def _check(total: int, once: int, twice: int) -> None:
    if once < 0 or twice < 0 or once + twice > total:
        raise ValueError(
            f"once={once}, twice={twice} of {total}: counts are from 0 on, and at most the total"
        )
