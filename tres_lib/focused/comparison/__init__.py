"""Crawls by several policies side by side."""
