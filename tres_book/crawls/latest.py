"""Things of gigabytes, of which a process keeps one."""

import gc
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def latest(make: Callable[..., T]) -> Callable[..., T]:
    """Keep the last thing made, and let it go before another is made."""
    kept: dict[tuple, T] = {}

    @wraps(make)
    def get(*given: Any) -> T:
        if given not in kept:
            kept.clear()
            gc.collect()  # a web that remembers its pages holds itself
            kept[given] = make(*given)
        return kept[given]

    return get
