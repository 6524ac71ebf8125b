"""How many fetches a round has, and how the shards share them."""

import numpy as np


def round_sizes(budget: int, rounds: int) -> np.ndarray:
    """Return the fetches of each round, (n,) int64: short ones first, n <= rounds of them.

    After k of n rounds a share (k / n)^2 of the budget is spent: links that have just been found
    and weights fitted to few pages are worth most to the others early on.

    Parameters
    ----------
    budget, rounds : int

    Examples
    --------
    >>> round_sizes(1_000, 5)
    array([ 40, 120, 200, 280, 360])
    """
    spent = np.rint(budget * (np.arange(rounds + 1) / rounds) ** 2).astype(np.int64)
    sizes = np.diff(spent)
    return sizes[sizes > 0]


def divide(budget: int, found: np.ndarray, fetched: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Share out a round's fetches by what the shards found in the last one, (n,) int64.

    A shard gets them in proportion to (found + 1) / (fetched + 2), its harvest rate with one
    relevant and one other page added, but not more than it has links; what is over goes to the
    others in the same way.

    Parameters
    ----------
    budget : int
    found, fetched : (n,) int
        Relevant pages, and all, of each shard's last round.
    links : (n,) int
        That each shard may choose from.

    Examples
    --------
    >>> divide(60, np.array([9, 4, 0]), np.array([8, 8, 8]) + 1, np.array([100, 5, 100]))
    array([50,  5,  5])
    """
    worth = (found + 1) / (fetched + 2)
    shares = np.zeros(len(links), np.int64)
    while (left := budget - shares.sum()) > 0 and (open_ := shares < links).any():
        part = left * np.where(open_, worth, 0) / worth[open_].sum()
        whole = np.floor(part).astype(np.int64)
        largest = np.argsort(whole - part, kind="stable")[: left - whole.sum()]
        whole[largest] += 1
        shares = np.minimum(shares + whole, links)
    return shares
