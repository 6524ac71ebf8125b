"""The time of a watch, on this machine or in a laboratory, and the fetches that it allows."""

import logging
import time
from dataclasses import dataclass
from threading import Event

HOUR, DAY = 3_600.0, 86_400.0  # seconds
SLOWEST = 1e-3  # fetches a day
ROUNDING = 1e-6  # of a fetch
SET_BACK = "the clock was set back by %.1f hours; the watch's time goes on, so much ahead of it"

logger = logging.getLogger(__name__)


class WallClock:
    """The clock of this machine."""

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


@dataclass
class Budget:
    """The time of a watch, in seconds since 1970, and its fetches; `rate`: those of a second."""

    began: float
    at: float  # the time up to which fetches were saved up
    level: float  # and how many
    offset: float  # by which the watch's time is ahead of the clock
    rate: float

    def now(self, clock: float, passed: float = 0.0) -> float:
        """Return the time of the watch by a clock's, of which so many seconds passed for sure."""
        # It goes on where the clock is set back, and is ahead of it from then on. Where the clock
        # jumps forward, the watch first takes back that lead, so that no time comes twice.
        lead = self.at + passed - clock
        if clock + self.offset >= self.at:
            self.offset = min(self.offset, max(lead, 0.0))
        else:
            if (back := lead - self.offset) > HOUR:
                logger.warning(SET_BACK, back / HOUR)
            self.offset = lead
        return clock + self.offset

    def wait(self, now: float) -> float:
        """Return the seconds until a fetch is allowed; at most what an hour brings is saved up."""
        most = max(1.0, self.rate * HOUR)
        self.level = min(most, self.level + max(0.0, now - self.at) * self.rate)
        self.at = max(now, self.at)
        short = 1.0 - self.level
        return 0.0 if short < ROUNDING else short / self.rate
