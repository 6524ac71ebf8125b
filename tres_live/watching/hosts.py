"""Hosts by number: until when each is left alone after failures, and whether its hints hold."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tres_lib.watching.beliefs import RATES

HINT_TRUST = 0.01, 0.98  # least, so that learning goes on, and most
FIRST_REST = 1 / 144  # days after a first failure; each further one in a row doubles it
LONGEST_REST = 1.0

HOST = np.dtype(
    [
        ("busy", "f8"),  # the day from which it is free
        ("failures", "i8"),  # in a row
        ("hints", "i8"),  # dates of changes by its server, and those that held
        ("held", "i8"),
        # Of known pages that a list of the host said to have changed: how many were expected to be
        # as before without that, and how many were.
        ("expected", "f8"),
        ("stayed", "i8"),
        ("prior", "f8", len(RATES)),  # of its pages' change rates, over that of all pages
    ]
)


def new_hosts(n: int) -> np.ndarray:
    """Return the records of n hosts of which nothing is known."""
    hosts = np.zeros(n, HOST)
    hosts["prior"] = 1.0
    return hosts


class Hosts:
    """The hosts of a watch.

    Attributes
    ----------
    changed : set of int
        Hosts whose rows a store does not have yet.
    """

    def __init__(self) -> None:
        self.changed: set[int] = set()
        self._hosts = new_hosts(64)
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._names)

    @property
    def records(self) -> np.ndarray:
        """The records of all, (n,) of `HOST`; they may be written to."""
        return self._hosts[: len(self)]

    @property
    def busy(self) -> np.ndarray:
        """The day from which each is free, (n,)."""
        return self.records["busy"]

    def load(self, row: Mapping[str, Any]) -> None:
        """Take in a row of a store, as `row` makes it."""
        self._hosts[self._add(row["name"])] = np.frombuffer(row["record"], HOST)[0]

    def of(self, url: str) -> int:
        """Return the number of a URL's host."""
        name = urlsplit(url).hostname or ""
        if name not in self._numbers:
            self.changed.add(self._add(name))
        return self._numbers[name]

    def note(self, host: int, failed: bool, day: float) -> None:
        """Record an answer or a failure; a host that fails is left alone for a while."""
        record = self._hosts[host]
        if failed:
            rest = FIRST_REST * 2.0 ** min(int(record["failures"]), 30)
            record["failures"] += 1
            record["busy"] = day + min(rest, LONGEST_REST)
            self.changed.add(host)
        elif record["failures"]:
            record["failures"] = 0
            self.changed.add(host)

    def trust(self, host: int) -> float:
        """Return the probability that a page of the host has changed when its server says so."""
        record = self._hosts[host]
        return float((1 + record["held"]) / (2 + record["hints"]))

    def note_hint(self, host: int, held: bool) -> None:
        """Take note that a server said that a page has changed, and whether it has."""
        self._hosts["hints"][host] += 1
        self._hosts["held"][host] += held
        self.changed.add(host)

    def list_trust(self, host: int) -> float:
        """Return how far its feeds and sitemaps are believed that a known page has changed.

        A share of the pages that would have been taken for fresh; least if it always says so.
        """
        record = self._hosts[host]
        stale = 1 - (1 + record["stayed"]) / (2 + record["expected"])
        return float(np.clip(stale, *HINT_TRUST))

    def note_listed(self, host: int, fresh: float, changed: bool) -> None:
        """Take note of a page said to have changed, fresh with that probability without it."""
        self._hosts["expected"][host] += fresh
        self._hosts["stayed"][host] += not changed
        self.changed.add(host)

    def row(self, host: int) -> dict[str, object]:
        """Return a host as a row of a store."""
        return {"host": host, "name": self._names[host], "record": self._hosts[host].tobytes()}

    def _add(self, name: str) -> int:
        host = len(self)
        self._numbers[name] = host
        self._names.append(name)
        if host == len(self._hosts):
            self._hosts = np.concatenate([self._hosts, new_hosts(host)])
        return host
