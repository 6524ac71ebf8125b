"""Independent random generators from one seed."""

from __future__ import annotations

import zlib

import numpy as np


def spawn(seed: int, n: int) -> list[np.random.Generator]:
    """Return `n` statistically independent generators that derive from one seed.

    Parameters
    ----------
    seed : int
        Non-negative; the same seed gives the same generators.
    n : int
        How many; a larger `n` keeps the first ones as they were.

    Raises
    ------
    ValueError
        If `n` is negative.
    """
    if n < 0:
        raise ValueError(f"n: {n} is negative; give the number of generators, 0 or more")
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(n)]


def streams(seed: int, *names: str) -> dict[str, np.random.Generator]:
    """Return one independent generator a name: drawing from one leaves the others alone.

    A stream depends on the seed and its own name only: adding a name or changing the order changes
    no other stream.

    Raises
    ------
    ValueError
        If a name occurs twice.
    """
    if len(set(names)) < len(names):
        raise ValueError(f"names: {names} holds a name twice; give each stream its own name")
    keys = {name: zlib.crc32(name.encode()) for name in names}
    return {
        name: np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key,)))
        for name, key in keys.items()
    }
