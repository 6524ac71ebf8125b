"""What queries cost."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """What a query costs, ct(a) = c_q + c_r |S_R(a)| and a part for each page (Section 3).

    query : issuing a term; at least 1, so that a cost limit limits the queries, too.
    page : fetching a page of results.
    record : handling a record.

    Raises
    ------
    ValueError
        If query is below 1, another below 0, or one not finite.
    """

    query: float = 1.0
    page: float = 0.0
    record: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("query", 1), ("page", 0), ("record", 0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= least):
                raise ValueError(f"{name}={value!r}: give a finite cost, at least {least}")

    def of(self, pages: int, records: int) -> float:
        """Cost of a query with so many pages and records."""
        return self.query + self.page * pages + self.record * records
