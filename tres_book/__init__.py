"""The book: what its chapters run, store, judge and print."""
