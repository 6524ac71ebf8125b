"""The laboratory web: endless, deterministic, written from real text."""
