"""When to ask again: what a busy host says, which faults pass, and how long to wait."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import requests
from urllib3.exceptions import ProtocolError

FIRST_BACKOFF = 0.5  # seconds; each further wait is twice as long
LONGEST = 86_400.0  # seconds; what is longer is as good as for ever
SECONDS = re.compile(r"\s*(\d+)\s*", re.ASCII)
LASTING = (requests.exceptions.SSLError, requests.exceptions.ProxyError, requests.Timeout)


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a Retry-After header asks for, as a number or a date; 0 without a sound one."""
    value = headers.get("Retry-After", "")
    number = SECONDS.fullmatch(value)
    if number:
        return LONGEST if len(number[1]) > 6 else min(LONGEST, float(number[1]))
    try:
        seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0
    return min(LONGEST, max(0.0, seconds))


def backoff(attempt: int, delay: float) -> float:
    """Seconds to wait after the attempt, counted from 0."""
    return max(delay, FIRST_BACKOFF) * 2**attempt


def is_passing(error: Exception) -> bool:
    """Whether the same request may do better soon: a connection that failed or broke off.

    A host that was silent until time ran out is not asked again at once.
    """
    broken = isinstance(error, (requests.ConnectionError, ProtocolError))
    return broken and not isinstance(error, LASTING)


def why(error: BaseException) -> str:
    """What a fault of the network stack comes down to: a line that a terminal may show."""
    while nested := _cause(error):
        error = nested
    text = getattr(error, "strerror", None) or str(error)
    line = f"{type(error).__name__}: {' '.join(str(text).split())[:200]}"
    return "".join(c if c.isprintable() else "?" for c in line)


def _cause(error: BaseException) -> BaseException | None:
    """The fault that this one wraps: requests and urllib3 hand it on as an argument."""
    inside = (getattr(error, "reason", None), *reversed(error.args))
    return next((one for one in inside if isinstance(one, BaseException)), None)
