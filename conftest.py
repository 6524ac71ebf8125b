"""What all tests share: a faster start, and marks on examples, which cannot mark themselves."""

import sys

import pytest

# Jupyter's JSON schemas import it for formats of IRIs alone, and it takes five seconds.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark examples as slow that compile much, train a classifier or walk a large graph."""
    slow = (
        "tres_book/world/",
        "tres_live/command/crawling.py",
        "tres_live/watching/watch.py",
        "tres_lib/foragers/graphs.py::tres_lib.foragers.graphs.graph_statistics",
    )
    for item in items:
        if item.nodeid.startswith(slow):
            item.add_marker("slow")
