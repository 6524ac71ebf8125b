"""What all tests share: nothing but a faster start."""

import sys

# Jupyter's JSON schemas import it for formats of IRIs alone, and it takes five seconds.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
