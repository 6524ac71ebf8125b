"""Things of gigabytes, of which a process keeps one."""

import gc
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def latest(make: Callable[..., T]) -> Callable[..., T]:
    """Keep the last thing made, and let it go before another is made."""
    made: dict[tuple, T] = {}

    @wraps(make)
    def get(*given: Any) -> T:
        if given not in made:
            made.clear()
            gc.collect()  # a web that remembers its pages holds itself
            made[given] = make(*given)
        return made[given]

    return get
