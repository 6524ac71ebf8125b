"""Our order in the loops of other crawlers."""
