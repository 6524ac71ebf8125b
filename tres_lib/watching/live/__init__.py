"""The one crawler on the live Web, for weeks: its store, beliefs, calendar, loop and reports."""
