"""Intervals for studies: all of `tres_lib.intervals`, under its former name."""

from ..intervals import *  # noqa: F403
