"""The live Web: polite, bounded and guarded fetching over HTTP."""
