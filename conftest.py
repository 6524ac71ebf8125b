"""What all tests share: a faster start, and marks on examples, which cannot mark themselves."""

import gc
import os
import sys
from pathlib import Path

import pytest

# Jupyter's JSON schemas import it for formats of IRIs alone, and it takes a second a process.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
LIGHT = str(Path(__file__).parent / "tests" / "light")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (LIGHT, os.environ.get("PYTHONPATH"))))
collect_ignore = [LIGHT]


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


def pytest_collection_finish() -> None:
    """Keep the collector of garbage away from what is imported, and lives to the end."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
