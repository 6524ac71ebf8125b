"""The time of a watch: of this machine, or of a laboratory where it passes at once."""

import time
from threading import Event

DAY = 86_400.0  # seconds
SLOWEST = 1e-3  # fetches a day


class WallClock:
    """The clock of this machine.

    Examples
    --------
    >>> WallClock().now() > 1_700_000_000
    True
    """

    def now(self) -> float:
        """Return the time, in seconds since 1970."""
        return time.time()

    def wait(self, seconds: float, stop: Event) -> None:
        """Return after so many seconds, a day at most, or as soon as `stop` is set."""
        stop.wait(min(seconds, DAY))


class VirtualClock(WallClock):
    """A clock on which waiting takes no time.

    Examples
    --------
    >>> clock = VirtualClock(0.0)
    >>> clock.wait(30 * 86_400, Event())
    >>> clock.now()
    2592000.0
    """

    def __init__(self, now: float = 0.0):
        self._now = now

    def now(self) -> float:
        """Return the time."""
        return self._now

    def wait(self, seconds: float, stop: Event) -> None:
        """Let so many seconds pass."""
        self._now += seconds
