"""The time of a watch: of this machine, or of a laboratory where it passes at once."""

import time
from threading import Event
from typing import Protocol

HOUR = 3_600.0
DAY = 86_400.0
ROUNDING = 1e-6  # of a fetch
SLOWEST = 1e-3  # fetches a day


class Clock(Protocol):
    """What tells the time, in seconds since 1970."""

    def now(self) -> float:
        """Return the time."""

    def wait(self, seconds: float, stop: Event) -> None:
        """Return after so many seconds, or as soon as `stop` is set."""


class WallClock:
    """The clock of this machine.

    Examples
    --------
    >>> WallClock().now() > 1_700_000_000
    True
    """

    def now(self) -> float:
        """Return the time."""
        return time.time()

    def wait(self, seconds: float, stop: Event) -> None:
        """Return after so many seconds, a day at most, or as soon as `stop` is set."""
        stop.wait(min(seconds, DAY))


class VirtualClock:
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

    Parameters
    ----------
    bandwidth : float
        Fetches a day.
    level, at : float
        Fetches saved up at a time in seconds.

    Examples
    --------
    >>> tokens = Tokens(bandwidth=240, level=0, at=0)
    >>> tokens.wait(now=0), tokens.wait(now=90)
    (360.0, 270.0)
    """

    def __init__(self, bandwidth: float, level: float, at: float):
        self.rate = bandwidth / DAY
        self.most = max(1.0, self.rate * HOUR)
        self.level = level
        self.at = at

    def wait(self, now: float) -> float:
        """Return the seconds until a fetch is allowed."""
        self._fill(now)
        short = 1.0 - self.level
        return 0.0 if short < ROUNDING else short / self.rate

    def spend(self, now: float) -> None:
        """Take a fetch out."""
        self._fill(now)
        self.level -= 1.0

    def _fill(self, now: float) -> None:
        self.level = min(self.most, self.level + max(0.0, now - self.at) * self.rate)
        self.at = max(now, self.at)
