"""What all tests share: a faster start, and marks on examples, which cannot mark themselves."""

import sys

import pytest

# Jupyter's JSON schemas import it for formats of IRIs alone, and it takes five seconds.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark examples that compile the whole simulation, or train a classifier, as slow."""
    slow = (
        "tres_book/world/",
        "tres_live/command/running.py",
        "tres_live/topic/own.py::tres_live.topic.own.own_corpus",
    )
    for item in items:
        if item.nodeid.startswith(slow):
            item.add_marker("slow")
