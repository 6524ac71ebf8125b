"""Which shard owns a registered domain: a consistent hash."""

from functools import lru_cache
from hashlib import blake2b

from tres_lib.checks import count

CACHE = 2**16
FACTOR = 2862933555777941757  # of a linear congruential generator modulo 2^64


@lru_cache(CACHE)
def owner(domain: str, shards: int) -> int:
    """Return the number of the shard that owns a registered domain, with all its hosts.

    Each shard owns about as many domains. Where a shard is added to n, a share 1 / (n + 1) of the
    domains moves, all of them to the new one. `web.domain` gives a URL's registered domain.

    References
    ----------
    Lamping and Veach (2014), A fast, minimal memory, consistent hash algorithm.

    Examples
    --------
    >>> names = [f"site-{i}.example" for i in range(1_000)]
    >>> moved = [(owner(name, 4), owner(name, 5)) for name in names]
    >>> sum(old != new for old, new in moved), {new for old, new in moved if old != new}
    (193, {4})
    """
    count("shards", shards)
    state = int.from_bytes(blake2b(domain.encode(errors="replace"), digest_size=8).digest())
    home = following = 0
    while following < shards:
        home = following
        state = (state * FACTOR + 1) % 2**64
        # The domain stays in its home until the number of shards reaches this one.
        following = int((home + 1) * (2**31 / ((state >> 33) + 1)))
    return home
