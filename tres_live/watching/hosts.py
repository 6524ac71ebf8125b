"""Hosts by number: until when each is left alone after failures, and whether its hints hold."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tres_lib.watching.beliefs import RATES

LISTS_TELL = 0.01, 0.98  # least, so that learning goes on, and most
FIRST_REST = 1 / 144  # days after a first failure; each further one in a row doubles it
LONGEST_REST = 1.0


class Hosts:
    """The hosts of a watch.

    Attributes
    ----------
    busy : (n,) array
        The day from which each is free; n is at least their number.
    priors : (n, rates) array
        By what the prior of each host's change rates differs from that of all pages.
    changed : set of int
        Hosts whose rows a store does not have yet.
    """

    def __init__(self) -> None:
        self.busy = np.zeros(64)
        self.priors = np.ones((64, len(RATES)))
        self.changed: set[int] = set()
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._failures: list[int] = []
        self._hints: list[tuple[int, int]] = []  # given, and those that held
        # Of known pages that a list of the host said to have changed: how many were expected to be
        # as before without that, and how many were.
        self._listed: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._names)

    def load(self, row: Mapping[str, Any]) -> None:
        """Take in a row of a store, as `row` makes it."""
        host = self._add(row["name"])
        self.priors[host] = np.frombuffer(row["prior"])
        self.busy[host], self._failures[host] = row["busy"], row["failures"]
        self._hints[host] = row["hints"], row["held"]
        self._listed[host] = row["expected"], row["stayed"]

    def of(self, url: str) -> int:
        """Return the number of a URL's host."""
        name = urlsplit(url).hostname or ""
        if name not in self._numbers:
            self.changed.add(self._add(name))
        return self._numbers[name]

    def note(self, host: int, failed: bool, day: float) -> None:
        """Record an answer or a failure; a host that fails is left alone for a while."""
        if failed:
            rest = FIRST_REST * 2.0 ** min(self._failures[host], 30)
            self._failures[host] += 1
            self.busy[host] = day + min(rest, LONGEST_REST)
            self.changed.add(host)
        elif self._failures[host]:
            self._failures[host] = 0
            self.changed.add(host)

    def trust(self, host: int) -> float:
        """Return the probability that a page of the host has changed when its server says so."""
        hints, held = self._hints[host]
        return (1 + held) / (2 + hints)

    def note_hint(self, host: int, held: bool) -> None:
        """Take note that a server said that a page has changed, and whether it has."""
        hints, before = self._hints[host]
        self._hints[host] = hints + 1, before + held
        self.changed.add(host)

    def lists_tell(self, host: int) -> float:
        """Return how far its feeds and sitemaps are believed that a known page has changed.

        A share of the pages that would have been taken for fresh; least if it always says so.
        """
        expected, stayed = self._listed[host]
        return float(np.clip(1 - (1 + stayed) / (2 + expected), *LISTS_TELL))

    def note_listed(self, host: int, fresh: float, changed: bool) -> None:
        """Take note of a page said to have changed, fresh with that probability without it."""
        expected, stayed = self._listed[host]
        self._listed[host] = expected + fresh, stayed + (not changed)
        self.changed.add(host)

    def row(self, host: int) -> dict[str, object]:
        """Return a host as a row of a store."""
        return {
            "host": host,
            "name": self._names[host],
            "busy": float(self.busy[host]),
            "failures": self._failures[host],
            "hints": self._hints[host][0],
            "held": self._hints[host][1],
            "expected": self._listed[host][0],
            "stayed": self._listed[host][1],
            "prior": self.priors[host].tobytes(),
        }

    def _add(self, name: str) -> int:
        host = len(self._names)
        self._numbers[name] = host
        self._names.append(name)
        self._failures.append(0)
        self._hints.append((0, 0))
        self._listed.append((0.0, 0))
        if host == len(self.busy):
            self.busy = np.concatenate([self.busy, np.zeros(host)])
            self.priors = np.concatenate([self.priors, np.ones((host, len(RATES)))])
        return host
