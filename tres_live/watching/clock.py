"""The time of a watch: of this machine, or of a laboratory where it passes at once."""

import time
from threading import Event

HOUR = 3_600.0
DAY = 86_400.0
ROUNDING = 1e-6  # of a fetch


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
        """Return after so many seconds, or as soon as `stop` is set."""
        stop.wait(seconds)


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


class Tokens:
    """A bucket that fills by the bandwidth, and holds what an hour brings, but at least one fetch.

    The bandwidth is in fetches a day; `level` fetches are saved up at the time `at`, in seconds.
    """

    def __init__(self, bandwidth: float, level: float, at: float):
        self.rate = bandwidth / DAY
        self.level, self.at = level, at

    def wait(self, now: float) -> float:
        """Return the seconds until a fetch is allowed."""
        most = max(1.0, self.rate * HOUR)
        self.level = min(most, self.level + max(0.0, now - self.at) * self.rate)
        self.at = max(now, self.at)
        short = 1.0 - self.level
        return 0.0 if short < ROUNDING else short / self.rate

    def spend(self, now: float) -> None:
        """Take a fetch out."""
        self.wait(now)  # fills it
        self.level -= 1.0
