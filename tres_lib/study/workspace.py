"""Where a study lives, and the scale of its run."""

from __future__ import annotations

import os

from ..store import build_dir, root

__all__ = ["SCALES", "build_dir", "check_scale", "root", "scale"]

SCALES = ("smoke", "default", "paper")


def scale() -> str:
    """Return the scale of this run: TRES_SCALE, which the driver sets, or "default".

    Raises
    ------
    ValueError
        If TRES_SCALE names no scale.
    """
    return check_scale(os.environ.get("TRES_SCALE", "default"))


def check_scale(name: str) -> str:
    """Return `name` if it is a scale; raise ValueError with the list of scales if not."""
    if name not in SCALES:
        raise ValueError(f"scale: {name!r} is none of {', '.join(SCALES)}")
    return name
