"""Figures for studies: all of `tres_lib.plots`, under its former name."""

from ..plots import *  # noqa: F403
